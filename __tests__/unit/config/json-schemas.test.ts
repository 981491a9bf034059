import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { filePathsBelow } from '../../../scripts/entries-below.ts';
import { SCHEMAS, schemaFiles } from '../../../scripts/schemas.ts';
import { readYaml } from '../../../src/documents/yaml.ts';
import { metrics } from '../../../src/metrics/index.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });

const validators = Object.fromEntries(
  Object.entries(SCHEMAS).map(([name, schema]) => [name.split('.')[0]!, ajv.compile(schema)]),
);
const parse = (text: string): unknown => {
  const reading = readYaml('x.yaml', text);
  if (!reading.ok) throw new Error(reading.problems[0]?.message);
  return JSON.parse(JSON.stringify(reading.value.value));
};

/**
 * Paths of properties without a description that ends with a full stop. Rules between properties
 * are excluded, because they repeat names described elsewhere.
 */
function undescribed(schema: unknown, path: string): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  return Object.entries(schema).flatMap(([key, member]: [string, unknown]) =>
    key === 'metricParameters'
      ? []
      : [
          ...(key === 'properties'
            ? Object.entries(member as Record<string, { description?: string }>)
                .filter(([, { description = '' }]) => !/^.+\.$/.test(description))
                .map(([name]) => `${path}.${name}`)
            : []),
          ...undescribed(member, key === 'properties' ? path : `${path}.${key}`),
        ],
  );
}

function kindOf(path: string): string {
  if (basename(path) === 'evaldiff.yaml') return 'settings';
  if (path.includes('/rubrics/')) return 'rubrics';
  return path.includes('/prompts/tests/') ? 'tests' : 'prompt';
}

const fixtures = [
  'fixtures/repos/llmeval-examples',
  'fixtures/repos/flexeval-rubrics',
  'fixtures/demo',
  'fixtures/program',
]
  .flatMap((folder) => filePathsBelow(folder).map((path) => `${folder}/${path}`))
  .filter((path) => path.endsWith('.yaml') && !path.endsWith('/llmeval.yaml'));

describe('JSON Schemas', () => {
  test('match the files in schemas/, and so does the type of result.json (if not, run npm run generate)', async () => {
    const files = await schemaFiles();
    expect([...files.keys()].sort()).toEqual(readdirSync('schemas').sort());
    for (const [name, text] of files)
      expect([name, readFileSync(`schemas/${name}`, 'utf8')]).toEqual([name, text]);
  });

  test.each(Object.entries(SCHEMAS))('describe every property of %s', (_, schema) => {
    expect(undescribed(schema, '')).toEqual([]);
  });

  test.each(Object.entries(SCHEMAS))('have an absolute id for %s', (name, schema) => {
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
    ['prompt', 'name: p\nmessages: [{ role: robot, content: x }]'],
    ['prompt', 'name: p\ntests: { metric: [] }'],
    ['tests', 'metrics: [{ nam: x }]'],
    ['tests', 'metrics: [{ name: x, level: Word }]'],
    ['tests', 'references: [{ input: { a: { b: 1 } } }]'],
    ['tests', 'metrics: [{ uses: contians }]'],
    ['tests', 'metrics: [{ uses: contains, with: { ignore_cas: true } }]'],
    ['tests', 'metrics: [{ uses: contains, kwargs: { ignore_case: 1 } }]'],
    ['rubrics', 'r: { prompt: x, choice_scores: { A: good } }'],
    ['rubrics', 'r: { promt: x }'],
    ['attributes', 'domains: [{ title: x }]'],
    ['attributes', 'task: 2'],
    ['attributes', 'prompts: { p.yaml: [a] }'],
  ])('of %s reject %s', (kind, text) => {
    expect(validators[kind]!(parse(text))).toBe(false);
  });

  test.each([...new Set(metrics.values())])('accept the example of $name', ({ name, example }) => {
    const validate = validators['tests']!;
    validate({ metrics: [{ name: 'a', uses: name, with: example.with ?? {} }] });
    expect(validate.errors).toBeNull();
  });
});
