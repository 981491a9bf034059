import { z } from 'zod';
import {
  decided,
  defineComparison,
  defineMetric,
  failure,
  measured,
  type Measured,
  type MetricDefinition,
} from './definition.ts';
import { alternatives, asText, excerpt, quoteAlternatives } from './expected.ts';
import { jsonEqual, parseJson } from './measures/json-text.ts';
import { normalisation, normalise, type Normalisation } from './measures/normalise.ts';
import { numberOf, numbersIn } from './measures/numbers.ts';
import { compilePattern } from './measures/pattern.ts';
import { bounds, within } from './bounds.ts';
import { lengthIn, units } from './measures/length.ts';

const anyOf = 'A list means any of its entries.';

/**
 * A comparison of the normalised answer with each normalised alternative, one of which has to fit.
 */
function fits(
  output: string,
  texts: readonly string[],
  options: Normalisation,
  fit: (actual: string, wanted: string) => boolean,
): boolean {
  const actual = normalise(output, options);
  return texts.some((text) => fit(actual, normalise(text, options)));
}

const exactMatch = defineComparison({
  name: 'exact_match',
  group: 'text',
  summary: `The answer is the expected text. ${anyOf} An expected map is compared as JSON, whatever the order of its keys.`,
  parameters: normalisation,
  range: '0 or 1',
  passes: 'at 1',
  source: 'string equality; Inspect `exact`, promptfoo `equals`',
  example: { output: ' Paris\n', expected: 'Paris', value: 1, pass: true },
  measure({ output, expected, options }) {
    if (expected !== null && typeof expected === 'object' && !Array.isArray(expected)) {
      const found = parseJson(output, 'raw');
      if (!found.ok) return decided(false, found.reason);
      return decided(jsonEqual(found.value, expected), 'the JSON differs from the expected map');
    }
    const texts = alternatives(expected);
    return decided(
      fits(output, texts, options, (a, b) => a === b),
      `is not ${quoteAlternatives(texts)}`,
    );
  },
});

const contains = defineComparison({
  name: 'contains',
  group: 'text',
  summary: `The expected text stands somewhere in the answer. ${anyOf}`,
  parameters: {
    ...normalisation,
    mode: z
      .enum(['any', 'all'])
      .default('any')
      .describe('For a list: one entry is enough, or all are needed.'),
  },
  range: '0 or 1',
  passes: 'at 1',
  source: 'substring search; promptfoo `contains`, `contains-any`, `contains-all`',
  example: {
    output: 'The capital is PARIS.',
    expected: 'paris',
    with: { ignore_case: true },
    value: 1,
    pass: true,
  },
  measure({ output, expected, options }) {
    const actual = normalise(output, options);
    const texts = alternatives(expected);
    const missing = texts.filter((text) => !actual.includes(normalise(text, options)));
    if (options.mode === 'all')
      return decided(missing.length === 0, `lacks ${quoteAlternatives(missing)}`);
    return decided(missing.length < texts.length, `lacks ${quoteAlternatives(texts)}`);
  },
});

const startsWith = defineComparison({
  name: 'starts_with',
  group: 'text',
  summary: `The answer begins with the expected text. ${anyOf}`,
  parameters: normalisation,
  range: '0 or 1',
  passes: 'at 1',
  source: 'prefix test; promptfoo `starts-with`, openai/evals `Match`',
  example: { output: 'Dear Ada, …', expected: ['Dear', 'Hello'], value: 1, pass: true },
  measure({ output, expected, options }) {
    const texts = alternatives(expected);
    return decided(
      fits(output, texts, options, (a, b) => a.startsWith(b)),
      `does not begin with ${quoteAlternatives(texts)}`,
    );
  },
});

const endsWith = defineComparison({
  name: 'ends_with',
  group: 'text',
  summary: `The answer ends with the expected text. ${anyOf}`,
  parameters: normalisation,
  range: '0 or 1',
  passes: 'at 1',
  source: 'suffix test',
  example: { output: 'It is 42.', expected: '42', value: 0, pass: false },
  measure({ output, expected, options }) {
    const texts = alternatives(expected);
    return decided(
      fits(output, texts, options, (a, b) => a.endsWith(b)),
      `does not end with ${quoteAlternatives(texts)}`,
    );
  },
});

const match = defineComparison({
  name: 'match',
  group: 'text',
  summary: `The expected text or number stands at a place of the answer. ${anyOf}`,
  parameters: {
    location: z
      .enum(['begin', 'end', 'any', 'exact'])
      .default('end')
      .describe('Where it has to stand.'),
    numeric: z
      .boolean()
      .default(false)
      .describe(
        'Compare numbers: the first, the last, any or the only number of the answer; currency signs and thousands separators are left out.',
      ),
    ignore_case: z.boolean().default(true).describe('Upper and lower case count as equal.'),
    ignore_punctuation: z.boolean().default(true).describe('Punctuation and symbols are left out.'),
  },
  range: '0 or 1',
  passes: 'at 1',
  source: 'Inspect `match`',
  example: {
    output: 'So the total is $1,024.',
    expected: 1024,
    with: { numeric: true },
    value: 1,
    pass: true,
  },
  measure({ output, expected, options }) {
    const { location, numeric } = options;
    const texts = alternatives(expected);
    const reason = `no ${quoteAlternatives(texts)} at its ${location === 'any' ? 'any place' : location}`;
    if (numeric) return matchNumber(numbersIn(output), texts.map(numberOf), location, reason);
    const place = { begin: 'startsWith', end: 'endsWith', any: 'includes' } as const;
    return decided(
      fits(output, texts, { ...options, trim: true }, (a, b) =>
        location === 'exact' ? a === b : a[place[location]](b),
      ),
      reason,
    );
  },
});

function matchNumber(
  found: number[],
  wanted: (number | null)[],
  location: 'begin' | 'end' | 'any' | 'exact',
  reason: string,
): Measured {
  if (wanted.includes(null))
    return failure('expected is not a number, and the metric compares numbers');
  const candidates = {
    begin: found.slice(0, 1),
    end: found.slice(-1),
    any: found,
    exact: found.length === 1 ? found : [],
  }[location];
  return decided(
    candidates.some((number) => wanted.includes(number)),
    reason,
  );
}

const regex = defineComparison({
  name: 'regex',
  group: 'text',
  summary:
    'The pattern is found in the answer. The pattern is `pattern`, else the expected text. With `group`, what that group captured is compared with the expected text.',
  parameters: {
    pattern: z
      .string()
      .optional()
      .describe(
        'RE2 syntax: no look-around, no back-references; `\\d`, `\\w` and `\\s` are ASCII.',
      ),
    ignore_case: z.boolean().default(false).describe('Upper and lower case count as equal.'),
    multiline: z.boolean().default(false).describe('`^` and `$` match at every line.'),
    dot_all: z.boolean().default(false).describe('`.` matches line ends too.'),
    full_match: z.boolean().default(false).describe('The whole answer has to match.'),
    group: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of the group to compare with the expected text; 0 is the whole match. Needs `pattern`.',
      ),
  },
  range: '0 or 1',
  passes: 'at 1',
  source: 'RE2 (linear time), through re2js',
  example: {
    output: 'Answer: 42',
    expected: '42',
    with: { pattern: 'Answer: (\\d+)', group: 1 },
    value: 1,
    pass: true,
  },
  check({ pattern, group, ...flags }) {
    if (pattern === undefined) return group === undefined ? [] : ['with.group needs with.pattern'];
    const compiled = compilePattern(pattern, flags);
    if (typeof compiled === 'string') return [compiled];
    return group !== undefined && group > compiled.groupCount()
      ? [`the pattern has no group ${String(group)}`]
      : [];
  },
  compares: ({ pattern, group }) => pattern === undefined || group !== undefined,
  measure({ output, expected, options }) {
    const { pattern, group, full_match } = options;
    if (pattern !== undefined && group !== undefined)
      return captured(output, pattern, group, alternatives(expected), options);
    let last = '';
    for (const source of pattern === undefined ? alternatives(expected) : [pattern]) {
      const compiled = compilePattern(source, options);
      if (typeof compiled === 'string') return failure(compiled);
      if (full_match ? compiled.testExact(output) : compiled.test(output)) return decided(true, '');
      last = source;
    }
    return decided(false, `the pattern ${excerpt(last, 80)} is not found`);
  },
});

function captured(
  output: string,
  pattern: string,
  group: number,
  texts: string[],
  options: Parameters<typeof compilePattern>[1] & { full_match: boolean },
): Measured {
  const compiled = compilePattern(pattern, options);
  if (typeof compiled === 'string') return failure(compiled);
  const matcher = compiled.matcher(output);
  const found = (options.full_match ? matcher.matches() : matcher.find())
    ? matcher.group(group)
    : null;
  if (found === null) return decided(false, `the pattern ${excerpt(pattern, 80)} is not found`);
  const spelling = { ignore_case: options.ignore_case, trim: true, ignore_punctuation: false };
  return decided(
    fits(found, texts, spelling, (a, b) => a === b),
    `captured ${JSON.stringify(excerpt(found, 80))}, not ${quoteAlternatives(texts)}`,
  );
}

const numericDiff = defineComparison({
  name: 'numeric_diff',
  group: 'text',
  summary: 'How near a number of the answer is to the expected one: 1 − |e − o| ÷ (|e| + |o|).',
  parameters: {
    number: z
      .enum(['first', 'last', 'only'])
      .default('last')
      .describe('Which number of the answer counts.'),
    abs_tol: z.number().min(0).default(0).describe('Largest difference that passes.'),
    rel_tol: z
      .number()
      .min(0)
      .default(1e-9)
      .describe('Largest difference that passes, as a share of the expected number.'),
  },
  range: '0 to 1',
  passes: 'when the difference is within `abs_tol` or `rel_tol`',
  source: 'autoevals `NumericDiff`; tolerances as in Python’s `math.isclose`',
  example: { output: 'about 9 metres', expected: 10, value: 1 - 1 / 19, pass: false },
  measure({ output, expected, options }) {
    const wanted = numberOf(expected);
    if (wanted === null)
      return failure(`expected ${JSON.stringify(excerpt(asText(expected), 80))} is not a number`);
    const found = numbersIn(output);
    const actual =
      options.number === 'only' && found.length !== 1
        ? undefined
        : options.number === 'last'
          ? found.at(-1)
          : found[0];
    if (actual === undefined)
      return measured(
        0,
        false,
        `the answer has ${found.length === 0 ? 'no number' : 'several numbers'}`,
      );
    const difference = Math.abs(wanted - actual);
    const value = difference === 0 ? 1 : 1 - difference / (Math.abs(wanted) + Math.abs(actual));
    const pass = difference <= Math.max(options.abs_tol, options.rel_tol * Math.abs(wanted));
    return measured(
      value,
      pass,
      pass ? null : `${String(actual)} differs from ${String(wanted)} by ${String(difference)}`,
    );
  },
});

const length = defineMetric({
  name: 'length',
  group: 'text',
  summary: 'The length of the answer.',
  parameters: {
    unit: z
      .enum(units)
      .default('characters')
      .describe('Characters are Unicode code points; bytes are those of UTF-8.'),
    ...bounds,
  },
  range: '0 and up',
  passes: 'from `min` to `max`; without bounds always',
  source: 'count',
  example: { output: 'Short answer', with: { max: 40 }, value: 12, pass: true },
  measure: ({ output, options }) => within(lengthIn(output, options.unit), options, options.unit),
});

const wordCount = defineMetric({
  name: 'word_count',
  group: 'text',
  summary: 'The number of words of the answer, words being what white space separates.',
  parameters: bounds,
  range: '0 and up',
  passes: 'from `min` to `max`; without bounds always',
  source: 'promptfoo `word-count`',
  example: { output: 'one two  three', with: { min: 1, max: 2 }, value: 3, pass: false },
  measure: ({ output, options }) => within(lengthIn(output, 'words'), options, 'words'),
});

export const textMetrics: readonly MetricDefinition[] = [
  exactMatch,
  contains,
  startsWith,
  endsWith,
  match,
  regex,
  numericDiff,
  length,
  wordCount,
];
