import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse as parseCsv } from 'csv-parse/sync';
import { renderSarif } from '../../../../src/features/results-out/findings.ts';
import { renderCtrf } from '../../../../src/features/results-out/formats.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { loadReports } from '../../../../src/report/sections/feature-report.ts';
import type { Json, JsonMap } from '../../../../src/types/plain.ts';
import { ROOT } from '../../../contract/source-graph.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { createRepository, temporaryFolder } from '../../../stand-ins/repository.ts';
import {
  green,
  hostile,
  passed,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
  tryOf,
  withProblems,
} from '../../../unit/report/results.ts';

const RESULTS = { regression, green, withProblems };

const folder = temporaryFolder('results-out');

async function written(result: Result, ending: string) {
  writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
  const file = `out${ending}`;
  const { err } = await commandIn(folder, ['report', 'result.json', '--results', file]);
  expect(err).toBe(`wrote ${file}\n`);
  return readFileSync(join(folder, file), 'utf8');
}

const jsonIn = async (name: keyof typeof RESULTS, ending: string) =>
  JSON.parse(await written(RESULTS[name](), ending)) as JsonMap;

function refuted(schema: object, value: unknown): unknown {
  const ajv = new Ajv({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return validate(value) ? null : validate.errors;
}

/** The part of opentelemetry-proto's JSON mapping that is written. */
const attribute = {
  required: ['key', 'value'],
  properties: {
    key: { type: 'string', pattern: '^(?:gen_ai|evaldiff|service)\\.' },
    value: {
      oneOf: [
        { required: ['stringValue'], properties: { stringValue: { type: 'string' } } },
        { required: ['doubleValue'], properties: { doubleValue: { type: 'number' } } },
      ],
    },
  },
};
const attributes = { type: 'array', items: attribute };
const nano = { type: 'string', pattern: '^\\d+$' };
const list = (items: object) => ({ type: 'array', minItems: 1, items });
const OTLP = {
  properties: {
    resourceSpans: list({
      required: ['resource', 'scopeSpans'],
      properties: {
        resource: { properties: { attributes } },
        scopeSpans: list({
          properties: {
            spans: list({
              additionalProperties: false,
              required: ['traceId', 'spanId', 'name', 'startTimeUnixNano', 'endTimeUnixNano'],
              properties: {
                traceId: { pattern: '^[0-9a-f]{32}$' },
                spanId: { pattern: '^[0-9a-f]{16}$' },
                name: { type: 'string' },
                kind: { enum: [1] },
                startTimeUnixNano: nano,
                endTimeUnixNano: nano,
                attributes,
                status: { properties: { code: { enum: [0, 1, 2] }, message: { type: 'string' } } },
                events: {
                  type: 'array',
                  items: {
                    required: ['timeUnixNano', 'name', 'attributes'],
                    properties: {
                      timeUnixNano: nano,
                      name: { const: 'gen_ai.evaluation.result' },
                      attributes,
                    },
                  },
                },
              },
            }),
          },
        }),
      },
    }),
  },
};

const tries = ({ suites }: ReturnType<typeof regression>) =>
  suites.flatMap(({ references }) =>
    references.flatMap(({ base, head }) => [...(base?.tries ?? []), ...(head?.tries ?? [])]),
  );

describe('the file of --results', () => {
  test.each(Object.keys(RESULTS) as (keyof typeof RESULTS)[])(
    'follows the schema of CTRF for the result %s',
    async (name) => {
      const path = 'node_modules/ctrf/dist/ctrf-schema.json';
      const schema = JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as object;
      expect(refuted(schema, await jsonIn(name, '.ctrf.json'))).toBeNull();
    },
  );

  test('has the cases that fail in the JUnit report as failed tests of CTRF', async () => {
    const { results } = (await jsonIn('regression', '.ctrf.json')) as {
      results: { summary: JsonMap; tests: { status: string; rawStatus: string }[] };
    };
    const references = regression().suites.flatMap((suite) => suite.references);
    expect(results.tests.map(({ rawStatus }) => rawStatus)).toEqual(
      references.map(({ status }) => status),
    );
    const failed = results.tests.filter(({ status }) => status === 'failed');
    const junit = await commandIn(folder, ['report', 'result.json', '--format', 'junit']);
    expect(failed.length).toBe(junit.out.match(/<(?:failure|error) /g)?.length);
    expect(results.summary['tests']).toBe(references.length);
    const stopped = renderCtrf({ ...regression(), problems: [{ place: null, message: 'no key' }] });
    expect(JSON.parse(stopped)).toMatchObject({
      results: { tests: [{ name: 'no key', status: 'failed' }, ...results.tests] },
    });
  });

  test('has a span of OpenTelemetry for each try, with an event for each score', async () => {
    const value = await jsonIn('regression', '.otlp.json');
    expect(refuted(OTLP, value)).toBeNull();
    const [{ scopeSpans: [{ spans }] = [{ spans: [] }] }] = value['resourceSpans'] as unknown as [
      { scopeSpans: [{ spans: { spanId: string; events: unknown[] }[] }] },
    ];
    const all = tries(regression());
    expect(spans.map(({ events }) => events.length)).toEqual(
      all.map(({ scores }) => scores.length),
    );
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(all.length);
  });

  test('has the results of promptfoo, which its import reads', async () => {
    const { evalId, results } = (await jsonIn('regression', '.promptfoo.json')) as {
      evalId: string;
      results: { version: number; prompts: JsonMap[]; results: JsonMap[] };
    };
    expect(evalId).toMatch(/^evaldiff-[0-9a-f]{16}$/);
    expect(results.version).toBe(3);
    expect(results.prompts.map(({ label }) => label)).toEqual([
      'base: gpt-4o {"temperature":0}',
      'head: gpt-4o {"temperature":0.2}',
      'head: gpt-4o {"temperature":0}',
    ]);
    const passed = results.prompts.map(({ metrics }) => (metrics as JsonMap)['testPassCount']);
    expect(passed).toEqual([74, 9, 56]);
    expect(results.results.map(({ success }) => success)).toEqual(
      tries(regression()).map(({ outcome }) => outcome === 'pass'),
    );
    const places = results.results.map(({ promptIdx, testIdx }) => `${promptIdx} ${testIdx}`);
    expect(new Set(places).size).toBe(places.length);
  });

  test('has a line for each try and score, with the commit', async () => {
    const text = await written(regression(), '.jsonl');
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonMap);
    const scores = tries(regression()).map((each) => Math.max(1, each.scores.length));
    expect(rows).toHaveLength(scores.reduce((sum, each) => sum + each, 0));
    expect(rows[0]).toMatchObject({
      commit: regression().base?.sha,
      side: 'base',
      try: 0,
      metric: expect.any(String) as unknown,
      status: expect.any(String) as unknown,
    });
  });

  test('is written by a run too, and its name is checked before the first call', async () => {
    const { directory, write } = createRepository();
    write({
      'prompts/p.yaml':
        'model: gpt-5.4\nprompt: Hi {a}\nmetrics: [{ uses: length }]\nreferences: [{ input: { a: 1 } }]\n',
    });
    const wrong = await commandIn(directory, ['run', '--results', 'out.json']);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      '--results: out.json must end in .attributes.csv, .csv, .jsonl, .ctrf.json, .otlp.json, .promptfoo.json, .sarif, .code-quality.json, which choose the format\n',
    ]);
    const { err } = await commandIn(directory, ['run', '--results', 'out.ctrf.json']);
    expect(err).toContain('wrote out.ctrf.json\n');
    expect(JSON.parse(readFileSync(join(directory, 'out.ctrf.json'), 'utf8'))).toMatchObject({
      reportFormat: 'CTRF',
    });
  });
});

describe('a file of --results that is a table', () => {
  const table = async (value: Result, ending = '.csv') => {
    const text = await written(value, ending);
    return parseCsv(text, { columns: true }) as Record<string, string>[];
  };

  test('has a row for each side, try, metric and judged object, also for a try without scores', async () => {
    const turns = {
      ...score('fail', 'polite', 0.5, 'rude'),
      objects: {
        level: 'Turn' as const,
        scores: [1, 0].map((value, at) => {
          return { at, status: value ? ('pass' as const) : ('fail' as const), value, reason: null };
        }),
      },
    };
    const broken = sideOf([{ outcome: 'fail', actual: 'x', scores: [turns] }]);
    const head = { ...broken, tries: [...broken.tries, tryOf(1, 'error', null)] };
    const pair = { base: passed('x'), head };
    const suite = suiteOf('talks', [referenceOf('a', 'regressed', pair)], { half: 0 });
    const rows = await table(resultOf({ suites: [suite] }));
    const cells = rows.map((row) =>
      ['suite', 'model', 'side', 'try', 'metric', 'level', 'object', 'pass', 'value']
        .map((column) => row[column])
        .join(' '),
    );
    expect(cells).toEqual([
      'talks gpt-4o base 0 exact_match   true true',
      'talks gpt-4o head 0 polite   false 0.5',
      'talks gpt-4o head 0 polite Turn 0 true 1',
      'talks gpt-4o head 0 polite Turn 1 false 0',
      'talks gpt-4o head 1     ',
    ]);
    expect(rows.at(-1)).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('no complete reply'),
    });
  });

  test.each([
    ['a "quoted", text', 'a "quoted", text'],
    ['two\nlines', 'two\nlines'],
    ['a\rb', 'a\rb'],
    ...['=', '+', '-', '@', '\t', '\r'].map((start): [Json, string] => [
      `${start}1+1`,
      `'${start}1+1`,
    ]),
    [-0.5, '-0.5'],
    [{ a: [1] }, '{"a":[1]}'],
  ])('writes the value %j so that it is read as %j', async (value, read) => {
    const scores = [score('pass', 'm', value)];
    const head = sideOf([{ outcome: 'pass', actual: 'x', scores }]);
    const suite = suiteOf('s', [referenceOf('a', 'pass', { head })]);
    const rows = await table(resultOf({ suites: [suite], mode: 'sweep' }));
    expect(rows.map((row) => row['value'])).toEqual([read]);
  });

  test('has a row per attribute if its name says so', async () => {
    const result = regression();
    const rows = await table(result, '.attributes.csv');
    expect(rows.map(({ attribute, kind, tests }) => [attribute, kind, tests])).toEqual(
      result.attributes.map(({ name, kind, n }) => [name, kind, String(n)]),
    );
    const [first] = result.attributes;
    expect([rows[0]?.['base_rate'], rows[0]?.['head_rate']]).toEqual(
      [first?.base, first?.head].map(String),
    );
  });
});

describe('findings for code reviews', () => {
  test('are the same in SARIF and in Code Quality, with file, line and a lasting id', async () => {
    const quality = JSON.parse(await written(regression(), '.code-quality.json')) as {
      fingerprint: string;
      location: { path: string; lines: { begin: number } };
    }[];
    expect(quality).toContainEqual(expect.objectContaining({ severity: 'major' }));
    expect(await jsonIn('regression', '.sarif')).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          results: quality.map(({ location: { path, lines }, fingerprint }) => ({
            ruleId: 'evaldiff',
            partialFingerprints: { evaldiff: fingerprint },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: path },
                  region: { startLine: lines.begin },
                },
              },
            ],
          })),
        },
      ],
    });
  });

  test('show a problem without a place at the first line of the settings file', async () => {
    const result = resultOf({ suites: [], problems: [{ place: null, message: 'no key' }] });
    const issues = JSON.parse(await written(result, '.code-quality.json')) as JsonMap[];
    expect(issues).toMatchObject([
      {
        description: expect.stringContaining('no key'),
        severity: 'major',
        location: { path: 'evaldiff.yaml', lines: { begin: 1 } },
      },
    ]);
    expect(renderSarif(result, [])).toContain('"uri": "evaldiff.yaml"');
  });

  test('contain no control characters of hostile answers', async () => {
    const text = renderSarif(hostile(), await loadReports(FEATURES));
    expect(text).not.toMatch(/\\u001b|\\u202e|\u202e/);
  });
});
