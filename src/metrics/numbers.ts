import { z } from 'zod';
import { shorten } from '../text/visible.ts';
import { textAt } from './answer.ts';
import { defineComparison, numberExpected } from './comparison.ts';
import {
  countBounds,
  boundsRule,
  passOrFail,
  defineMetric,
  measureError,
  inBounds,
  type Measurement,
} from './definition.ts';
import {
  decimalText,
  absoluteDifference,
  exactly,
  isNear,
  type Decimal,
} from './measures/decimal.ts';
import { decimalMarks, onlyNumber, numbersIn, type Numeral } from './measures/numbers.ts';
import { lengthIn, units } from './measures/words.ts';

export const decimalMark = z
  .enum(decimalMarks)
  .optional()
  .describe(
    'Decimal mark of the numbers in the answer. If it is not set, an answer with an ' +
      'ambiguous number (`3,14`, `10 000`) fails.',
  );

/** With `negate`, a fail would become a pass, so an ambiguous number is an error. */
export function unreadNumber({ text }: Numeral, negate: boolean): Measurement {
  const said = JSON.stringify(shorten(text, 80));
  const reason = `${said} is an ambiguous number; set \`decimal\` to the decimal mark`;
  return negate ? measureError(reason) : passOrFail(false, reason);
}

export const numericDiff = defineComparison({
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
    const [absolute, relative] = [exactly(options.abs_tol), exactly(options.rel_tol)];
    const most = {
      digits: relative.digits * wanted.digits,
      exponent: relative.exponent + wanted.exponent,
    };
    const pass =
      isNear(wanted, actual.value, absolute) ||
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

export const length = defineMetric({
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

export const wordCount = defineMetric({
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
