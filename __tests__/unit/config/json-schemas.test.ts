import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { schemaFiles } from '../../../scripts/schemas.ts';
import { jsonSchemas } from '../../../src/config/json-schemas.ts';
import { readYaml } from '../../../src/documents/yaml.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = Object.fromEntries(
  Object.entries(jsonSchemas()).map(([name, schema]) => [name.split('.')[0]!, ajv.compile(schema)]),
);
const parse = (text: string): unknown => {
  const reading = readYaml('x.yaml', text);
  if (!reading.ok) throw new Error(reading.problems[0]?.message);
  return JSON.parse(JSON.stringify(reading.value.value));
};

/** Paths of the properties without a sentence for whoever writes or reads them. */
function undescribed(schema: unknown, path: string): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  return Object.entries(schema).flatMap(([key, member]: [string, unknown]) => [
    ...(key === 'properties'
      ? Object.entries(member as Record<string, { description?: string }>)
          .filter(([, { description = '' }]) => !/^.+\.$/.test(description))
          .map(([name]) => `${path}.${name}`)
      : []),
    ...undescribed(member, key === 'properties' ? path : `${path}.${key}`),
  ]);
}

/** Which schema a fixture's file is for. */
function kindOf(path: string): string {
  if (basename(path) === 'evaldiff.yaml') return 'settings';
  if (path.includes('/rubrics/')) return 'rubrics';
  return path.includes('/prompts/tests/') ? 'tests' : 'prompt';
}

const fixtures = [
  'fixtures/repos/llmeval-examples',
  'fixtures/repos/flexeval-rubrics',
  'fixtures/demo',
]
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter(
    (entry) => entry.isFile() && entry.name.endsWith('.yaml') && entry.name !== 'llmeval.yaml',
  )
  .map((entry) => `${entry.parentPath}/${entry.name}`);

describe('the JSON Schemas', () => {
  test('and the type of result.json in schemas/ are current; `npm run generate` writes them', async () => {
    const files = await schemaFiles();
    expect([...files.keys()].sort()).toEqual(readdirSync('schemas').sort());
    for (const [name, text] of files)
      expect([name, readFileSync(`schemas/${name}`, 'utf8')]).toEqual([name, text]);
  });

  test.each(Object.entries(jsonSchemas()))('describe every property of %s', (_, schema) => {
    expect(undescribed(schema, '')).toEqual([]);
  });

  test.each(Object.entries(jsonSchemas()))('give %s an absolute id of its own', (name, schema) => {
    expect(schema).toHaveProperty('$id', `urn:evaldiff:v1:${name.split('.')[0]!}`);
  });

  test.each(fixtures)('accept %s', (path) => {
    const validate = validators[kindOf(path)]!;
    validate(parse(readFileSync(path, 'utf8')));
    expect(validate.errors).toBeNull();
  });

  test.each([
    ['settings', 'promts: x'],
    ['settings', 'n_tries: 0'],
    ['settings', 'gate: { fail_on: always }'],
    ['settings', 'models: { m: { provider: x } }'],
    ['prompt', 'model: x'],
    ['prompt', 'name: p\nmessages: [{ role: robot, content: x }]'],
    ['prompt', 'name: p\ntests: { metric: [] }'],
    ['tests', 'metrics: [{ nam: x }]'],
    ['tests', 'metrics: [{ name: x, level: Word }]'],
    ['tests', 'references: [{ input: { a: { b: 1 } } }]'],
    ['rubrics', 'r: { prompt: x, choice_scores: { A: good } }'],
    ['rubrics', 'r: { promt: x }'],
    ['attributes', 'domains: [{ title: x }]'],
    ['attributes', 'slack: 2'],
    ['attributes', 'prompts: { p.yaml: [a] }'],
  ])('of %s refuses %s', (kind, text) => {
    expect(validators[kind]!(parse(text))).toBe(false);
  });
});
