import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
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
  test.each(Object.entries(jsonSchemas()))(
    'in schemas/%s are current; `npx node scripts/schemas.ts` writes them',
    (name, schema) => {
      expect(JSON.parse(readFileSync(`schemas/${name}`, 'utf8'))).toEqual(schema);
    },
  );

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
