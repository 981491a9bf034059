import { describe, expect, test } from '@jest/globals';
import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import type { Json } from '../../../src/types/plain.ts';
import { builtIn, sample, tools } from './samples.ts';

describe('problems with parameters', () => {
  test.each<[string, Record<string, Json>, string]>([
    [
      'exact_match',
      { ignorecase: true },
      'with.ignorecase is not a parameter of exact_match; did you mean "ignore_case"?',
    ],
    [
      'word_count',
      { frobnicate: 1 },
      'with.frobnicate is not a parameter of word_count; known are min, max, negate',
    ],
    ['exact_match', { ignore_case: 'yes' }, 'with.ignore_case must be true or false'],
    ['contains', { mode: 'some' }, 'with.mode must be one of any, all'],
    ['regex', { pattern: '(?=a)b' }, 'the pattern uses (?=, which the safe engine does not have'],
    ['regex', { pattern: 'a(?!b)' }, 'the pattern uses (?!, which the safe engine does not have'],
    ['regex', { pattern: '(?<=a)b' }, 'the pattern uses (?<=, which the safe engine does not have'],
    ['regex', { pattern: '(?<!a)b' }, 'the pattern uses (?<!, which the safe engine does not have'],
    ['regex', { pattern: '(a)\\1' }, 'the pattern uses \\1, which the safe engine does not have'],
    ['regex', { pattern: '(?>a)' }, 'the pattern uses (?>, which the safe engine does not have'],
    ['regex', { pattern: 'a++' }, 'the pattern uses ++, which the safe engine does not have'],
    ['regex', { pattern: '[+*+]++' }, 'the pattern uses ++, which the safe engine does not have'],
    ['regex', { pattern: 'a\\Z' }, 'the pattern uses \\Z, which the safe engine does not have'],
    ['regex', { pattern: '(' }, 'the pattern is not valid: missing closing ): `(`'],
    ['regex', { pattern: 'a{2000}' }, 'the pattern is not valid: invalid repeat count: `{2000}`'],
    ['regex', { pattern: '(a)', group: 2 }, 'the pattern has no group 2'],
    ['regex', { group: 1 }, 'with.group needs with.pattern'],
    [
      'message_matches_regex',
      { expression: '(?=a)' },
      'the pattern uses (?=, which the safe engine does not have',
    ],
    ['message_matches_regex', {}, 'with.expression is missing'],
    ['word_count', { min: 'few' }, 'with.min must be a number'],
    ['criteria', { statements: [] }, 'with.statements must have at least 1 item'],
    ['json_schema', {}, 'with.schema is missing, or of a kind that it cannot be'],
    ['json_schema', { schema: '{' }, 'the schema is not JSON'],
    ['json_schema', { schema: '[]' }, 'the schema must be a map'],
    ['g_eval', { criteria: 'x', scale: 1 }, 'with.scale must be at least 2'],
  ])('%s with %j: %s', (uses, given, problem) => {
    expect(metrics.get(uses)?.problems(given)).toEqual([problem]);
  });

  test('a pattern with escaped or bracketed look-alikes is accepted', () => {
    for (const pattern of ['\\(\\?=', '[(?=]', '(?i)x', '(?P<n>a)', '(?<n>a)', '\\\\1'])
      expect(metrics.get('regex')?.problems({ pattern })).toEqual([]);
  });
});

describe('usesExpected', () => {
  test.each<[string, Record<string, Json>, boolean]>([
    ['exact_match', {}, true],
    ['exact_match', { value: 'x' }, false],
    ['regex', {}, true],
    ['regex', { pattern: 'x' }, false],
    ['regex', { pattern: '(x)', group: 1 }, true],
    ['is_json', {}, false],
    ['llm_rubric', {}, true],
    ['llm_rubric', { criteria: 'x' }, false],
    ['criteria', { statements: ['x'] }, false],
    ['factuality', {}, true],
  ])('%s with %j: %j', (uses, given, wanted) => {
    expect(metrics.get(uses)?.usesExpected(given)).toBe(wanted);
  });
});

describe('scoreMetric', () => {
  test("a threshold replaces a metric's own rule in both directions", async () => {
    const near = sample('sittin', { expected: 'sitting' });
    const at = async (threshold: number | null): Promise<unknown> =>
      (await scoreMetric(builtIn('levenshtein', {}, { threshold }), [near], tools()))[0];
    expect(await at(null)).toMatchObject({ status: 'pass' });
    expect(await at(0.95)).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('at least 0.95 wanted'),
    });
    expect(await at(6 / 7)).toMatchObject({ status: 'pass', reason: null });
    const far = sample('x', { expected: 'sitting' });
    expect(
      (await scoreMetric(builtIn('levenshtein', {}, { threshold: 0 }), [far], tools()))[0],
    ).toMatchObject({ status: 'pass', reason: null });
  });

  test('negate applies after the threshold and says why a passing metric fails', async () => {
    const same = sample('a', { expected: 'a' });
    expect(
      (
        await scoreMetric(
          builtIn('levenshtein', { negate: true }, { threshold: 1 }),
          [same],
          tools(),
        )
      )[0],
    ).toMatchObject({ status: 'fail', reason: 'negated: the metric passes', value: 1 });
  });

  test('wrong parameters are errors for every sample', async () => {
    const scores = await scoreMetric(
      builtIn('exact_match', { nope: 1 }),
      [sample('a'), sample('b')],
      tools(),
    );
    expect(scores.map(({ status }) => status)).toEqual(['error', 'error']);
    expect((await scoreMetric(builtIn('unknown'), [sample('a')], tools()))[0]).toMatchObject({
      status: 'error',
      reason: 'there is no metric unknown',
    });
  });

  test("the score has the metric's name and skip", async () => {
    const [score] = await scoreMetric(
      builtIn('exact_match', {}, { name: 'same', skip: true }),
      [sample('a', { expected: 'a' })],
      tools(),
    );
    expect(score).toEqual({ metric: 'same', status: 'pass', value: 1, reason: null, skip: true });
  });

  test.each([...metrics.keys()])('%s gives no scores for no samples', async (name) => {
    expect(
      await scoreMetric(
        builtIn(name, metrics.get(name)?.example.with ?? {}),
        [],
        tools({ evaluate: () => Promise.resolve([]) }),
      ),
    ).toEqual([]);
  });
});
