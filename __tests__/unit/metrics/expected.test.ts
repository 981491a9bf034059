import { metrics } from '../../../src/metrics/index.ts';
import type { Json } from '../../../src/types/plain.ts';
import { builtIn, sample, scored } from './samples.ts';

type Given = Record<string, Json>;
/** Status of an answer for an expected value as `written` in the file and as parsed `value`. */
const status = async (
  uses: string,
  given: Given,
  [written, value]: [Json, Json],
  output: string,
) => {
  const values = { input: {}, expected: value };
  return (await scored(builtIn(uses, given), sample(output, { expected: written, values }))).status;
};
const SKIP = 'to show a metric without an effect on the verdict, write skip: true';
const NULL = 'is null; if you mean the text, quote it';
const EMPTY = 'expected is an empty list';

describe('number or boolean in a different notation', () => {
  const [zeros, point] = [
    ['01234', 'x'],
    ['1.0', 'x'],
  ];
  test.each<[string, Given, [Json, Json], string, string]>([
    ['exact_match', {}, ['12.50', 12.5], '12.50', '12.5'],
    ['exact_match', {}, [zeros, [1234, 'x']], '01234', '1234'],
    ['exact_match', {}, ['True', true], 'True', 'true'],
    ['contains', {}, ['1.10', 1.1], 'v1.10', 'v1.1'],
    ['match', { numeric: true }, ['0x1F', 31], '31', '1'],
    ['numeric_diff', {}, ['0x1F', 31], '31', '32'],
    ['numeric_diff', {}, ['1e3', 1000], '1000', '3'],
    ['json_match', {}, ['12.50', 12.5], '12.5', '"12.50"'],
    ['json_match', {}, ['True', true], 'true', '"True"'],
    ['set_f1', {}, [point, [1, 'x']], '[1, "x"]', '[2, "x"]'],
    ['set_f1', {}, [point, [1, 'x']], '1.0, x', '10, x'],
    ['set_f1', {}, ['12.50', 12.5], '12.50', '125'],
  ])('is read by %s (options %j, expected %j)', async (uses, given, expected, right, wrong) => {
    expect(await status(uses, given, expected, right)).toBe('pass');
    expect(await status(uses, given, expected, wrong)).toBe('fail');
  });
});

const problem = (uses: string, given: Given, expected: Json) =>
  metrics.get(uses)?.expects(given)?.wrong(expected) ?? null;

describe('a metric with parameters', () => {
  test.each([
    ['exact_match', {}, null, `expected ${NULL}`],
    ['levenshtein', {}, ['a', null], `expected ${NULL}`],
    ['bleu', {}, [], EMPTY],
    ['embedding_similarity', {}, [], EMPTY],
    ['llm_rubric', {}, null, `expected ${NULL}`],
    ['factuality', {}, null, `expected ${NULL}`],
    ['numeric_diff', {}, 'abc', 'expected "abc" is not a number'],
    ['numeric_diff', {}, '3 to 5', 'expected "3 to 5" is not a number'],
    ['numeric_diff', {}, [1], 'expected "[1]" is not a number'],
    ['numeric_diff', {}, true, 'expected "true" is not a number'],
    ['match', { numeric: true }, ['1', 'x'], 'expected "x" is not a number'],
    ['match', { numeric: true }, [], EMPTY],
    ['regex', {}, ['a', 'b('], 'expected: the pattern is not valid: missing closing ): `b(`'],
    [
      'tool_call_match',
      {},
      [1],
      'expected must be tool names, or maps of name and arguments or schema',
    ],
    ['set_f1', {}, { a: 1 }, 'expected must be a list of entries'],
    ['set_recall', {}, ['', ' '], 'expected has only empty entries'],
  ])(
    '%s with the parameters %j reports that the expected value %j is unusable',
    async (uses, given, expected, message) => {
      expect(problem(uses, given, expected)).toBe(message);
    },
  );

  test.each([
    ['exact_match', {}, { a: null }],
    ['match', { numeric: true }, ['1', '$2.50']],
    ['numeric_diff', {}, '12 EUR'],
    ['json_match', {}, null],
    ['tool_call_match', {}, []],
    ['set_f1', {}, []],
    ['set_f1', {}, [null, 1]],
    ['regex', { pattern: 'a' }, '('],
    ['regex', { pattern: '(a)', group: 1 }, '('],
    ['llm_rubric', { criteria: 'polite' }, null],
  ])('%s with the parameters %j accepts the expected value %j', (uses, given, expected) => {
    const how = metrics.get(uses);
    const isUsed = how?.usesExpected(given) === true;
    expect(isUsed ? problem(uses, given, expected) : null).toBeNull();
  });

  test.each([
    ['exact_match', { value: null }, `with.value ${NULL}`],
    ['numeric_diff', { value: 'abc' }, 'with.value "abc" is not a number'],
    ['regex', { value: '(' }, 'with.value: the pattern is not valid: missing closing ): `(`'],
    ['word_count', { min: 5, max: 3 }, 'with.max: 3 is below min 5, so nothing can pass'],
    ['length', { max: -1 }, `with.max: every value fails (values: 0 and up); ${SKIP}`],
    [
      'count_tool_calls_by_name',
      { max: -1 },
      `with.max: every value fails (values: a map of tool and number); ${SKIP}`,
    ],
    ['word_count', { min: 0 }, `with.min: every value passes (values: 0 and up); ${SKIP}`],
  ])('%s rejects %j', (uses, given, message) => {
    expect(metrics.get(uses)?.problems(given)).toEqual([message]);
  });

  test.each([
    ['word_count', {}],
    ['word_count', { min: 0, max: 3 }],
    ['length', { max: 0 }],
    ['word_count', { min: 3, max: 3 }],
    ['flesch_reading_ease', { max: -1 }],
    ['json_match', { value: null }],
  ])('%s accepts %j', (uses, given) => expect(metrics.get(uses)?.problems(given)).toEqual([]));
});
