/**
 * Reduces GitHub's OpenAPI description to the operations that evaldiff and its stand-in use, for
 * `__tests__/stand-ins/github/openapi.json`. Drops descriptions, examples, code samples and vendor
 * extensions. The package it reads is 385 MB, so it is not a dependency:
 *
 *   npm pack @octokit/openapi@23.0.2 --pack-destination /tmp
 *   tar xzf /tmp/octokit-openapi-23.0.2.tgz -C /tmp package/generated/api.github.com.json
 *   npx node scripts/github-openapi.ts /tmp/package/generated/api.github.com.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const OPERATIONS = [
  'issues/list-comments',
  'issues/create-comment',
  'issues/update-comment',
  'issues/delete-comment',
  'issues/list-events',
  'issues/remove-label',
  'issues/list-for-repo',
  'issues/create',
  'issues/update',
  'checks/create',
  'checks/update',
  'checks/list-for-ref',
  'pulls/get',
  'pulls/list',
  'pulls/list-review-comments',
  'pulls/create-review-comment',
  'pulls/update-review-comment',
  'pulls/delete-review-comment',
  'repos/compare-commits-with-basehead',
  'repos/get-collaborator-permission-level',
  'repos/list-pull-requests-associated-with-commit',
];
/** Error bodies that the description does not list for every operation. */
const ALWAYS = ['#/components/schemas/basic-error', '#/components/schemas/validation-error'];
const TARGET = fileURLToPath(
  new URL('../__tests__/stand-ins/github/openapi.json', import.meta.url),
);

type Node = { [key: string]: Value };
type Value = null | boolean | number | string | Value[] | Node;

const Description = z.object({
  openapi: z.string(),
  info: z.object({ version: z.string(), license: z.object({ name: z.string() }) }),
  paths: z.record(z.string(), z.record(z.string(), z.custom<Node>())),
  components: z.custom<Node>(),
});

/** Keys that do not describe the interface. Inside `properties` every key is a name and is kept. */
const DROPPED = new Set([
  'description',
  'summary',
  'example',
  'examples',
  'externalDocs',
  'tags',
  'title',
  'servers',
  'deprecated',
]);

function shapeOnly(value: Value, names = false): Value {
  if (Array.isArray(value)) return value.map((item) => shapeOnly(item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => names || !(DROPPED.has(key) || key.startsWith('x-')))
      .map(([key, item]) => [key, shapeOnly(item, !names && key === 'properties')]),
  );
}

function references(value: Value): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) =>
    key === '$ref' && typeof item === 'string' ? [item] : references(item),
  );
}

function follow(root: Node, pointer: string): Value {
  let value: Value = root;
  for (const part of pointer.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    const next: Value | undefined =
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? value[name]
        : undefined;
    if (next === undefined) throw new Error(`${pointer} leads nowhere`);
    value = next;
  }
  return value;
}

/**
 * All `components` that `start` refers to, reduced and sorted, so that a regenerated file differs
 * only if GitHub's does.
 */
function components(root: Node, start: string[]): Node {
  const kept = new Map<string, Value>();
  const open = [...start];
  for (let pointer = open.pop(); pointer !== undefined; pointer = open.pop()) {
    if (kept.has(pointer)) continue;
    const value = shapeOnly(follow(root, pointer));
    kept.set(pointer, value);
    open.push(...references(value));
  }
  const result: { [kind: string]: Node } = {};
  for (const pointer of [...kept.keys()].sort()) {
    const [, , kind = '', name = ''] = pointer.split('/');
    (result[kind] ??= {})[name] = kept.get(pointer) ?? null;
  }
  return result;
}

function main(source: string): void {
  const description = Description.parse(JSON.parse(readFileSync(source, 'utf8')));
  const paths: { [path: string]: Node } = {};
  const missing = new Set(OPERATIONS);
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const id = operation['operationId'];
      if (typeof id !== 'string' || !missing.delete(id)) continue;
      (paths[path] ??= {})[method] = shapeOnly(operation);
    }
  }
  if (missing.size > 0) throw new Error(`not in ${source}: ${[...missing].join(', ')}`);
  const subset = {
    openapi: description.openapi,
    info: {
      title: 'Part of the description of the GitHub REST API',
      version: description.info.version,
      license: description.info.license,
      'x-source': `@octokit/openapi ${description.info.version}, cut by scripts/github-openapi.ts`,
    },
    paths,
    components: components({ components: description.components }, [
      ...ALWAYS,
      ...references(paths),
    ]),
  };
  const text = `${JSON.stringify(subset, null, 1)}\n`;
  writeFileSync(TARGET, text);
  process.stdout.write(
    `${TARGET}: ${Object.keys(paths).length} paths, ${OPERATIONS.length} operations, ${text.length} bytes\n`,
  );
}

const [source] = process.argv.slice(2);
if (source === undefined) {
  process.stderr.write('usage: npx node scripts/github-openapi.ts PATH/TO/api.github.com.json\n');
  process.exitCode = 2;
} else {
  main(source);
}
