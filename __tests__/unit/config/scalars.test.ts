import { createGeneration } from '../../../src/kernel/select/generation.ts';
import { referenceScoringDiffers } from '../../../src/kernel/select/scoring.ts';
import { codeValues } from '../../../src/types/plain.ts';
import { PROMPT, suiteFiles, suiteOf } from './tree.ts';

const METRICS = 'metrics: [{ uses: exact_match }]\n';

async function referencesOf(tests: string, rows = '') {
  const suite = await suiteOf({
    ...suiteFiles(PROMPT, METRICS + tests),
    ...(rows === '' ? {} : { 'prompts/tests/rows.jsonl': rows }),
  });
  return suite.tests.references;
}

const yaml = async (scalar: string) =>
  (await referencesOf(`references: [{ input: { a: ${scalar} }, expected: ${scalar} }]\n`))[0];

const FROM = 'references_from: { file: rows.jsonl }\n';
const jsonl = async (scalar: string) =>
  (await referencesOf(FROM, `{"a": ${scalar}, "expected": ${scalar}}\n`))[0];

describe('scalar used as text', () => {
  test.each([
    ['12.50', 12.5],
    ['01234', 1234],
    ['1e3', 1000],
    ['True', true],
    ['FALSE', false],
    ['1.10', 1.1],
    ['0.0000001', 1e-7],
    ['+5', 5],
    ['-0', -0],
    ['1.0', 1],
    ['0x1F', 31],
    ['.5', 0.5],
  ])('keeps its source text in YAML, but code gets the parsed value: %s', async (text, value) => {
    const found = await yaml(text);
    expect(found).toMatchObject({ input: { a: text }, expected: text });
    expect(found && codeValues(found)).toEqual({ input: { a: value }, expected: value });
  });

  test.each([
    ['12.50', 12.5],
    ['1E3', 1000],
    ['1e-7', 1e-7],
    ['-0', -0],
    ['1.0', 1],
    ['0.0000001', 1e-7],
  ])(
    'keeps its source text in JSON Lines, but code gets the parsed value: %s',
    async (text, value) => {
      const found = await jsonl(text);
      expect([found?.input['a'], found?.expected]).toEqual(
        text === String(value) ? [value, value] : [text, text],
      );
      expect(found && codeValues(found)).toEqual({ input: { a: value }, expected: value });
    },
  );

  test.each(['12.5', '7', 'true', "'12.50'", '"True"', 'yes', '2024-01-02', '1_000'])(
    'has no separate parsed value if writing that value gives the same text: %s',
    async (scalar) => {
      expect(await yaml(scalar)).not.toHaveProperty('values');
    },
  );

  test('is preserved in lists, anchors, merge keys and mapped columns', async () => {
    const [list, alias, merged] = await referencesOf(
      'references:\n' +
        '  - { input: { a: &price 12.50 }, expected: [1.10, x, [1.0], { b: 2.0 }] }\n' +
        '  - &base { input: { a: *price }, expected: 1.0 }\n' +
        '  - { <<: *base, input: { <<: { a: 007 } } }\n',
    );
    expect(list).toMatchObject({ input: { a: '12.50' }, expected: ['1.10', 'x', [1], { b: 2 }] });
    expect(alias).toMatchObject({ input: { a: '12.50' }, expected: '1.0' });
    expect(merged).toMatchObject({ input: { a: '007' }, expected: '1.0' });
    const [row, whole] = await referencesOf(
      'references_from: { file: rows.jsonl, map: { input: { a: q }, expected: gold } }\n',
      '{"q": 12.50, "gold": [1.10, "x"]}\n{"q": "say 1.50", "gold": "2.50"}\n',
    );
    expect(row).toMatchObject({ input: { a: '12.50' }, expected: ['1.10', 'x'] });
    expect(whole).not.toHaveProperty('values');
  });

  test('is preserved in defaults files, ids, labels and metric values', async () => {
    const suite = await suiteOf({
      ...suiteFiles(PROMPT, 'defaults: [shared]\n'),
      'prompts/tests/shared.yaml':
        'metrics:\n  - { name: c, uses: contains, with: { value: [1.10, x] } }\n' +
        '  - { name: n, uses: numeric_diff, with: { value: 0x1F } }\n' +
        '  - { name: r, rubric: yea, pass: 1.0 }\n' +
        'references: [{ id: 007, input: { a: 1.0 }, expected: 2 }]\n',
      'rubrics/yea.yaml': 'yea: { prompt: "{completion}", choice_scores: { 1.0: 1, 2.0: 0 } }\n',
      'evaldiff.yaml': 'grader: { model: gpt-4o }',
    });
    const [contains, numeric, rubric] = suite.tests.metrics;
    expect(suite.tests.references[0]).toMatchObject({ id: '007', input: { a: '1.0' } });
    expect(contains?.source).toMatchObject({ with: { value: ['1.10', 'x'] } });
    expect(numeric?.source).toMatchObject({ with: { value: 31 } });
    expect(rubric?.pass).toEqual(['1.0']);
  });
});

describe("change of a scalar's notation", () => {
  const target = { provider: 'openai' as const, endpoint: null, model: 'gpt-4o' };
  const asked = async (scalar: string) => {
    const suite = await suiteOf(
      suiteFiles(PROMPT, `${METRICS}references: [{ input: { a: ${scalar} }, expected: x }]\n`),
    );
    const [reference] = suite.tests.references;
    if (reference === undefined) throw new Error('there is no reference');
    return createGeneration(suite.prompt, { model: 'gpt-4o', parameters: {}, target }, reference);
  };
  const fingerprint = async (scalar: string) => {
    const generation = await asked(scalar);
    return generation.kind === 'impossible' ? null : generation.fingerprint;
  };

  test('changes the rendered prompt and its fingerprint', async () => {
    expect(await asked('12.50')).toMatchObject({
      messages: expect.arrayContaining([
        expect.objectContaining({ content: expect.stringContaining('12.50') }),
      ]),
    });
    expect(await fingerprint('12.50')).not.toBe(await fingerprint('12.5'));
    expect(await fingerprint('12.50')).toBe(await fingerprint("'12.50'"));
  });

  test('counts as a change of scoring even if only code can see the difference', async () => {
    const written = async (scalar: string) => {
      const found = await yaml(scalar);
      if (found === undefined) throw new Error('there is no reference');
      return found;
    };
    const [number, text, short] = await Promise.all(['12.50', "'12.50'", '12.5'].map(written));
    if (number === undefined || text === undefined || short === undefined) throw new Error();
    expect(referenceScoringDiffers(number, { ...number })).toBe(false);
    expect(referenceScoringDiffers(number, text)).toBe(true);
    expect(referenceScoringDiffers(number, short)).toBe(true);
  });
});
