import { z } from 'zod';
import { shorten } from '../text/visible.ts';
import { alternatives, quoteAlternatives, textAt } from './answer.ts';
import {
  defineComparison,
  numberExpected,
  partExpected,
  patternExpected,
  textExpected,
} from './comparison.ts';
import {
  passOrFail,
  measureError,
  offByDefault,
  yesOrNo,
  countBounds,
  boundsRule,
  defineMetric,
  inBounds,
  type Measurement,
  type MetricDefinition,
  type MetricExample,
} from './definition.ts';
import {
  sameNumber,
  decimalText,
  absoluteDifference,
  exactly,
  isNear,
  type Decimal,
} from './measures/decimal.ts';
import { STRICT, compareJson, parseJson } from './measures/json.ts';
import {
  AS_WRITTEN,
  comparable,
  ignoreCase,
  ignorePunctuation,
  normalisation,
  normaliseText,
  type Normalisation,
} from './measures/normalise.ts';
import { onlyNumber, numbersIn, decimalMarks, type Numeral } from './measures/numbers.ts';
import { compilePattern } from './measures/pattern.ts';
import { occursAt } from './measures/places.ts';
import { lengthIn, units } from './measures/words.ts';

const decimalMark = z
  .enum(decimalMarks)
  .optional()
  .describe(
    'Decimal mark of the numbers in the answer. If it is not set, an answer with an ' +
      'ambiguous number (`3,14`, `10 000`) fails.',
  );

/** With `negate`, a fail would become a pass, so an ambiguous number is an error. */
function unreadNumber({ text }: Numeral, negate: boolean): Measurement {
  const said = JSON.stringify(shorten(text, 80));
  const reason = `${said} is an ambiguous number; set \`decimal\` to the decimal mark`;
  return negate ? measureError(reason) : passOrFail(false, reason);
}

const numericDiff = defineComparison({
  name: 'numeric_diff',
  group: 'text',
  summary: 'How close a number in the answer is to the expected one: 1 − |e − o| ÷ (|e| + |o|).',
  parameters: {
    number: z
      .enum(['first', 'last', 'only'])
      .default('last')
      .describe('Which number in the answer to compare.'),
    decimal: decimalMark,
    abs_tol: z.number().min(0).default(0).describe('Largest difference that passes.'),
    rel_tol: z
      .number()
      .min(0)
      .default(0)
      .describe('Largest relative difference that passes (0.01: 1 % of the expected number).'),
  },
  range: '0 to 1',
  passes: 'if the difference is within `abs_tol` or `rel_tol`',
  expects: () => numberExpected(false),
  source: "autoevals `NumericDiff`; tolerances as in Python's `math.isclose`",
  example: { output: 'about 9 metres', expected: 10, value: 1 - 1 / 19, pass: false },
  measure({ output, expected, options }) {
    const wanted = onlyNumber(expected) ?? exactly(0);
    const found = numbersIn(output, options.decimal);
    const actual =
      options.number === 'only' && found.length !== 1
        ? undefined
        : options.number === 'last'
          ? found.at(-1)
          : found[0];
    if (actual === undefined) {
      const message = `the answer has ${found.length === 0 ? 'no number' : 'several numbers'}`;
      return passOrFail(false, message);
    }
    if (actual.value === null) return unreadNumber(actual, options.negate);
    const apart = absoluteDifference(wanted, actual.value);
    const relative = exactly(options.rel_tol);
    const most = {
      digits: relative.digits * wanted.digits,
      exponent: relative.exponent + wanted.exponent,
    };
    const pass =
      isNear(wanted, actual.value, exactly(options.abs_tol)) ||
      isNear(wanted, actual.value, absoluteDifference(most, exactly(0)));
    const size = (number: Decimal) => Math.abs(Number(decimalText(number)));
    const sum = size(wanted) + size(actual.value);
    return passOrFail(
      pass,
      `${actual.text} differs from ${decimalText(wanted)} by ${decimalText(apart)}`,
      apart.digits === 0n ? 1 : Number.isFinite(sum) ? 1 - size(apart) / sum : 0,
    );
  },
});

const length = defineMetric({
  name: 'length',
  aliases: ['string_length'],
  group: 'text',
  summary: 'The length of the judged text: the answer, or the whole dialogue at level Thread.',
  parameters: {
    unit: z
      .enum(units)
      .default('characters')
      .describe('Characters are Unicode code points; bytes are UTF-8.'),
    ...countBounds,
  },
  range: '0 and up',
  ...boundsRule,
  better: 'none',
  source: 'count; FlexEval `string_length`',
  example: { output: 'Short answer', with: { max: 40 }, value: 12, pass: true },
  measure: ({ answer, options, context }) =>
    inBounds(lengthIn(textAt(answer, context.level), options.unit), options, options.unit),
});

const wordCount = defineMetric({
  name: 'word_count',
  group: 'text',
  summary: 'The number of words in the answer, separated by white space.',
  parameters: countBounds,
  range: '0 and up',
  ...boundsRule,
  better: 'none',
  source: 'promptfoo `word-count`',
  example: { output: 'one two  three', with: { min: 1, max: 2 }, value: 3, pass: false },
  measure: ({ output, options }) => inBounds(lengthIn(output, 'words'), options, 'words'),
});

const anyOf = 'If a list is expected, one matching entry is enough.';

function fitsAny(
  output: string,
  texts: readonly string[],
  options: Normalisation,
  fit: (actual: string, wanted: string) => boolean,
): boolean {
  return texts.some((text) => {
    const { actual, wanted } = comparable(output, text, options);
    return fit(actual, wanted);
  });
}

const exactMatch = defineComparison({
  name: 'exact_match',
  group: 'text',
  summary:
    `The answer is the expected text. ${anyOf} An expected map is compared as JSON; the ` +
    'order of its keys does not matter.',
  parameters: normalisation,
  ...yesOrNo,
  source: 'string equality; Inspect `exact`, promptfoo `equals`',
  example: { output: ' Paris\n', expected: 'Paris', value: 1, pass: true },
  measure({ output, expected, options }) {
    if (expected !== null && typeof expected === 'object' && !Array.isArray(expected)) {
      const found = parseJson(output, 'raw');
      if (!found.ok) return passOrFail(false, found.reason);
      const equal = compareJson(found.value, expected, STRICT).share === 1;
      return passOrFail(equal, 'the JSON differs from the expected map');
    }
    const texts = alternatives(expected);
    return passOrFail(
      fitsAny(output, texts, options, (a, b) => a === b),
      `is not ${quoteAlternatives(texts)}`,
    );
  },
});

const contains = defineComparison({
  name: 'contains',
  group: 'text',
  summary: `The answer contains the expected text. ${anyOf}`,
  parameters: {
    ...normalisation,
    mode: z
      .enum(['any', 'all'])
      .default('any')
      .describe('If a list is expected: `any` needs one of its entries, `all` needs every entry.'),
  },
  ...yesOrNo,
  expects: () => partExpected,
  source: 'substring search; promptfoo `contains`, `contains-any`, `contains-all`',
  example: {
    output: 'The capital is PARIS.',
    expected: 'paris',
    with: { ignore_case: true },
    value: 1,
    pass: true,
  },
  measure({ output, expected, options }) {
    const texts = alternatives(expected);
    const missing = texts.filter(
      (text) => !fitsAny(output, [text], options, (a, b) => a.includes(b)),
    );
    if (options.mode === 'all')
      return passOrFail(missing.length === 0, `lacks ${quoteAlternatives(missing)}`);
    return passOrFail(missing.length < texts.length, `lacks ${quoteAlternatives(texts)}`);
  },
});

function atEdge(
  name: string,
  verb: string,
  source: string,
  example: MetricExample,
  fit: (actual: string, wanted: string) => boolean,
): MetricDefinition {
  return defineComparison({
    name,
    group: 'text',
    summary: `The answer ${verb}s with the expected text. ${anyOf}`,
    parameters: normalisation,
    ...yesOrNo,
    expects: () => partExpected,
    source,
    example,
    measure({ output, expected, options }) {
      const texts = alternatives(expected);
      const reason = `does not ${verb} with ${quoteAlternatives(texts)}`;
      return passOrFail(fitsAny(output, texts, options, fit), reason);
    },
  });
}

const startsWith = atEdge(
  'starts_with',
  'begin',
  'prefix test; promptfoo `starts-with`, openai/evals `Match`',
  { output: 'Dear Ada, …', expected: ['Dear', 'Hello'], value: 1, pass: true },
  (actual, wanted) => actual.startsWith(wanted),
);

const endsWith = atEdge(
  'ends_with',
  'end',
  'suffix test',
  { output: 'It is 42.', expected: '42', value: 0, pass: false },
  (actual, wanted) => actual.endsWith(wanted),
);

const match = defineComparison({
  name: 'match',
  group: 'text',
  summary:
    'The answer has the expected text or number at `location`. It must match as a whole: 25, ' +
    `1.5 and -5 do not end with 5. ${anyOf}`,
  parameters: {
    location: z.enum(['begin', 'end', 'any', 'exact']).default('end').describe('Where it must be.'),
    numeric: offByDefault(
      'Compare numbers: according to `location`, the first, the last, any or the only number ' +
        'in the answer. See how [numbers](#numbers) are read.',
    ),
    decimal: decimalMark,
    ignore_case: ignoreCase(true),
    ignore_punctuation: ignorePunctuation(true),
  },
  ...yesOrNo,
  expects: ({ numeric, location }) =>
    numeric ? numberExpected(true) : location === 'exact' ? textExpected : partExpected,
  source: 'Inspect `match`',
  example: {
    output: 'So the total is $1,024.',
    expected: 1024,
    with: { numeric: true },
    value: 1,
    pass: true,
  },
  measure({ output, expected, options }) {
    const { location } = options;
    const texts = alternatives(expected);
    const reason = `no ${quoteAlternatives(texts)} at its ${location === 'any' ? 'any place' : location}`;
    if (options.numeric)
      return matchNumber(
        numbersIn(output, options.decimal),
        texts.map(onlyNumber),
        options,
        reason,
      );
    const at = (a: string, b: string) => occursAt(a, b, location);
    return passOrFail(fitsAny(output, texts, { ...options, trim: true }, at), reason);
  },
});

function matchNumber(
  found: Numeral[],
  wanted: (Decimal | null)[],
  { location, negate }: { location: 'begin' | 'end' | 'any' | 'exact'; negate: boolean },
  reason: string,
): Measurement {
  const candidates = {
    begin: found.slice(0, 1),
    end: found.slice(-1),
    any: found,
    exact: found.length === 1 ? found : [],
  }[location];
  const equal = candidates.some(({ value }) =>
    wanted.some((number) => value !== null && number !== null && sameNumber(value, number)),
  );
  const unread = candidates.find(({ value }) => value === null);
  return equal || unread === undefined ? passOrFail(equal, reason) : unreadNumber(unread, negate);
}

const regexMetric = defineComparison({
  name: 'regex',
  group: 'text',
  summary:
    'The answer matches a regular expression: `pattern`, or the expected text if it is not ' +
    'set. With `group`, the text that this group captures is compared with the expected text.',
  parameters: {
    pattern: z
      .string()
      .optional()
      .describe(
        'RE2 syntax: no look-around, no back-references; `\\d`, `\\w` and `\\s` are ASCII.',
      ),
    ignore_case: offByDefault(
      'Ignore case. Single letters are compared, as in RE2 (`ß` is not `SS`).',
    ),
    multiline: offByDefault('`^` and `$` match at every line.'),
    dot_all: offByDefault('`.` also matches line ends.'),
    full_match: offByDefault('The whole answer must match.'),
    syntax: z
      .enum(['re2', 'javascript'])
      .default('re2')
      .describe(
        'The syntax of the pattern: `javascript` reads `\\s`, `.`, `\\uXXXX` and ' +
          '`(?<name>…)` as JavaScript does.',
      ),
    group: z
      .int()
      .min(0)
      .optional()
      .describe(
        'Number of the group to compare with the expected text; 0: the whole match. Needs `pattern`.',
      ),
  },
  ...yesOrNo,
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
      ? [`the pattern has no group ${group}`]
      : [];
  },
  expects({ pattern, group, ...flags }) {
    if (pattern === undefined) return patternExpected(flags);
    return group === undefined ? null : textExpected;
  },
  measure({ output, expected, options }) {
    const { pattern, group, full_match } = options;
    if (pattern !== undefined && group !== undefined)
      return captureOf(output, pattern, group, alternatives(expected), options);
    let last = '';
    for (const source of pattern === undefined ? alternatives(expected) : [pattern]) {
      const compiled = compilePattern(source, options);
      if (typeof compiled === 'string') return measureError(compiled);
      const text = normaliseText(output, AS_WRITTEN);
      if (full_match ? compiled.testExact(text) : compiled.test(text)) return passOrFail(true, '');
      last = source;
    }
    return passOrFail(false, `the pattern ${shorten(last, 80)} is not found`);
  },
});

function captureOf(
  output: string,
  pattern: string,
  group: number,
  texts: string[],
  options: Parameters<typeof compilePattern>[1] & { full_match: boolean },
): Measurement {
  const compiled = compilePattern(pattern, options);
  if (typeof compiled === 'string') return measureError(compiled);
  const matcher = compiled.matcher(normaliseText(output, AS_WRITTEN));
  const found = (options.full_match ? matcher.matches() : matcher.find())
    ? matcher.group(group)
    : null;
  if (found === null) return passOrFail(false, `the pattern ${shorten(pattern, 80)} is not found`);
  const spelling = { ...AS_WRITTEN, ignore_case: options.ignore_case, trim: true };
  return passOrFail(
    fitsAny(found, texts, spelling, (a, b) => a === b),
    `captured ${JSON.stringify(shorten(found, 80))}, not ${quoteAlternatives(texts)}`,
  );
}

export const textMetrics: readonly MetricDefinition[] = [
  exactMatch,
  contains,
  startsWith,
  endsWith,
  match,
  regexMetric,
  numericDiff,
  length,
  wordCount,
];
