import { stringify } from 'yaml';
import type { Json } from '../../types.ts';
import { isMap, type JsonMap } from '../document.ts';
import type { Draft, Imported } from './imported.ts';
import { importFormat } from './index.ts';

/**
 * Where editors find the JSON Schema of a kind of file; `owner` is the account that publishes the
 * action.
 */
export function schemaLine(
  kind: 'settings' | 'prompt' | 'tests' | 'attributes',
  owner: string,
): string {
  return `# yaml-language-server: $schema=https://raw.githubusercontent.com/${owner}/evaldiff/v1/schemas/${kind}.schema.json\n`;
}

/** Where rubrics are looked for unless the settings say so. */
const OWN_RUBRICS = 'rubrics/*.{yaml,yml}';

/**
 * What an imported file comes to as files of ours, by path; and what its settings would have to
 * say.
 */
export interface Conversion {
  files: Map<string, string>;
  settings: JsonMap;
  /**
   * Files of data and rubrics that these refer to, by their paths below the project; they are not
   * copied.
   */
  needs: string[];
}

/**
 * Writes imported prompts as files of ours: one prompt file each, and one test file for those that
 * share their tests.
 */
export function convertImport(imported: Imported, source: string, owner: string): Conversion {
  const files = new Map<string, string>();
  const slugs = new Map<Draft, string>();
  const taken = new Set<string>();
  for (const { prompt, tests } of imported.prompts) {
    const slug = free(slugOf(String(prompt.value['name'] ?? '')), taken);
    const shared = tests === null ? null : (slugs.get(tests) ?? slug);
    if (tests !== null && shared !== null && !slugs.has(tests)) {
      slugs.set(tests, shared);
      files.set(
        `prompts/tests/${shared}.yaml`,
        `${schemaLine('tests', owner)}# From ${source}\n${yaml(tests.value)}`,
      );
    }
    files.set(
      `prompts/${slug}.yaml`,
      `${schemaLine('prompt', owner)}# From ${source}\n${yaml({ ...(shared === null ? {} : { defaults: [`tests/${shared}`] }), ...prompt.value })}`,
    );
  }
  return {
    files,
    settings: settingsOf(imported),
    needs: [
      ...(imported.rubrics ?? []).map(({ file }) => file),
      ...[...slugs.keys()].flatMap(dataOf),
    ],
  };
}

function settingsOf({ models, grader, rubrics }: Imported): JsonMap {
  return {
    ...(Object.keys(models).length === 0 ? {} : { models }),
    ...(grader === null ? {} : { grader: { model: grader.model } }),
    ...(rubrics === undefined
      ? {}
      : { rubrics: [OWN_RUBRICS, ...rubrics.map(({ file }) => file)] }),
  };
}

function dataOf({ value }: Draft): string[] {
  const sources = value['references_from'];
  return Array.isArray(sources)
    ? sources.filter(isMap).flatMap(({ file }) => (typeof file === 'string' ? [file] : []))
    : [];
}

/** A settings file with these settings. */
export function settingsFile(settings: JsonMap, owner: string): string {
  return `${schemaLine('settings', owner)}${Object.keys(settings).length === 0 ? '' : yaml(settings)}`;
}

/**
 * As our reader takes it: no aliases for values that are there twice, no lines broken for width.
 */
function yaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.2' });
}

/** A file's name for a prompt's name: letters, digits and dashes. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return slug === '' ? 'prompt' : slug;
}

/**
 * A name that no other prompt has, and by which the new file is not read as the other tool's
 * (`promptfooconfig.yaml`).
 */
function free(slug: string, taken: Set<string>): string {
  let name = slug;
  for (
    let ordinal = importFormat(`${slug}.yaml`) === null ? 2 : 1;
    taken.has(name) || importFormat(`${name}.yaml`) !== null;
    ordinal += 1
  )
    name = `${slug}-${String(ordinal)}`;
  taken.add(name);
  return name;
}
