import { metrics, scoreMetric } from '../../../src/metrics/index.ts';
import { builtIn, sample, scored, tools } from './samples.ts';

const without = (what: string) =>
  `the pattern uses ${what}, which the safe regex engine does not support`;

describe('parameter problem', () => {
  const UNKNOWN = 'with.ignorecase is not a parameter of';
  test.each([
    ['exact_match', { ignorecase: true }, `${UNKNOWN} exact_match; did you mean "ignore_case"?`],
    [
      'word_count',
      { ignorecase: 1 },
      `${UNKNOWN} word_count; known are min, max, negate, transform`,
    ],
    ['exact_match', { ignore_case: 'yes' }, 'with.ignore_case must be true or false'],
    ['contains', { mode: 'some' }, 'with.mode must be one of any, all'],
    ['regex', { pattern: '(?=a)b' }, without('(?=')],
    ['regex', { pattern: 'a(?!b)' }, without('(?!')],
    ['regex', { pattern: '(?<=a)b' }, without('(?<=')],
    ['regex', { pattern: '(?<!a)b' }, without('(?<!')],
    ['regex', { pattern: '(a)\\1' }, without('\\1')],
    ['regex', { pattern: '(?>a)' }, without('(?>')],
    ['regex', { pattern: 'a++' }, without('++')],
    ['regex', { pattern: '[+*+]++' }, without('++')],
    ['regex', { pattern: 'a\\Z' }, without('\\Z')],
    ['regex', { pattern: '(' }, 'the pattern is not valid: missing closing ): `(`'],
    ['regex', { pattern: 'a{2000}' }, 'the pattern is not valid: invalid repeat count: `{2000}`'],
    ['regex', { pattern: '(a)', group: 2 }, 'the pattern has no group 2'],
    ['regex', { group: 1 }, 'with.group needs with.pattern'],
    ['message_matches_regex', { expression: '(?=a)' }, without('(?=')],
    ['message_matches_regex', {}, 'with.expression is missing'],
    ['word_count', { min: 'few' }, 'with.min must be a number'],
    ['criteria', { statements: [] }, 'with.statements must have at least 1 item'],
    ['json_schema', {}, 'with.schema is missing or has the wrong type'],
    ['json_schema', { schema: '{' }, 'the schema is not JSON'],
    ['json_schema', { schema: '[]' }, 'the schema must be a map'],
    ['g_eval', { criteria: 'x', scale: 1 }, 'with.scale must be at least 2'],
  ])('of %s with %j is: %s', (uses, given, problem) => {
    expect(metrics.get(uses)?.problems(given)).toEqual([problem]);
  });

  test('is not reported for escaped or bracketed syntax in a pattern', () => {
    for (const pattern of ['\\(\\?=', '[(?=]', '(?i)x', '(?P<n>a)', '(?<n>a)', '\\\\1'])
      expect(metrics.get('regex')?.problems({ pattern })).toEqual([]);
  });
});

describe('usesExpected', () => {
  test.each([
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
  ])('for %s with the parameters %j returns %j', (uses, given, wanted) => {
    expect(metrics.get(uses)?.usesExpected(given)).toBe(wanted);
  });
});

describe('scoreMetric', () => {
  test("lets a threshold replace the metric's own pass rule, whether stricter or looser", async () => {
    const at = (threshold: number | null, output = 'sittin') =>
      scored(builtIn('levenshtein', {}, { threshold }), sample(output, { expected: 'sitting' }));
    const reason = expect.stringContaining('at least 0.95 wanted');
    expect(await at(null)).toMatchObject({ status: 'pass' });
    expect(await at(0.95)).toMatchObject({ status: 'fail', reason });
    expect(await at(6 / 7)).toMatchObject({ status: 'pass', reason: null });
    expect(await at(0, 'x')).toMatchObject({ status: 'pass', reason: null });
  });

  const same = sample('a', { expected: 'a' });

  test('applies negate after the threshold, and mentions it in the reason', async () => {
    const negated = builtIn('levenshtein', { negate: true }, { threshold: 1 });
    const reason = 'negated: the metric passes';
    expect(await scored(negated, same)).toMatchObject({ status: 'fail', reason, value: 1 });
  });

  test('returns an error for every answer if the parameters are invalid', async () => {
    const wrong = builtIn('exact_match', { nope: 1 });
    const scores = await scoreMetric(wrong, [sample('a'), sample('b')], tools());
    expect(scores.map(({ status }) => status)).toEqual(['error', 'error']);
    const reason = 'there is no metric unknown';
    expect(await scored('unknown', 'a')).toMatchObject({ status: 'error', reason });
  });

  test("returns scores with the metric's name and its skip setting", async () => {
    const own = { name: 'same', skip: true };
    const score = { metric: 'same', status: 'pass', value: 1, reason: null, skip: true };
    expect(await scored(builtIn('exact_match', {}, own), same)).toEqual(score);
  });

  test.each([...new Set(metrics.values())].map(({ name, example }) => [name, example] as const))(
    'returns no scores for the metric %s if there are no answers',
    async (name, example) => {
      const of = tools({ evaluate: () => Promise.resolve([]) });
      expect(await scoreMetric(builtIn(name, example.with), [], of)).toEqual([]);
    },
  );
});
