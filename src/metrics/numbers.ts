import { z } from 'zod';
import { defineComparison, numberExpected } from './comparison.ts';
import { bounds, defineMetric, measurement, inBounds } from './definition.ts';
import { lengthIn, numberOf, numbersIn, units } from './measures/words.ts';

export const numericDiff = defineComparison({
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
  expects: () => numberExpected(false),
  source: "autoevals `NumericDiff`; tolerances as in Python's `math.isclose`",
  example: { output: 'about 9 metres', expected: 10, value: 1 - 1 / 19, pass: false },
  measure({ output, expected, options }) {
    const wanted = numberOf(expected) ?? 0;
    const found = numbersIn(output);
    const actual =
      options.number === 'only' && found.length !== 1
        ? undefined
        : options.number === 'last'
          ? found.at(-1)
          : found[0];
    if (actual === undefined)
      return measurement(
        0,
        false,
        `the answer has ${found.length === 0 ? 'no number' : 'several numbers'}`,
      );
    const difference = Math.abs(wanted - actual);
    const value = difference === 0 ? 1 : 1 - difference / (Math.abs(wanted) + Math.abs(actual));
    const pass = difference <= Math.max(options.abs_tol, options.rel_tol * Math.abs(wanted));
    return measurement(
      value,
      pass,
      pass ? null : `${String(actual)} differs from ${String(wanted)} by ${String(difference)}`,
    );
  },
});

export const length = defineMetric({
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
  better: 'none',
  source: 'count',
  example: { output: 'Short answer', with: { max: 40 }, value: 12, pass: true },
  measure: ({ output, options }) => inBounds(lengthIn(output, options.unit), options, options.unit),
});

export const wordCount = defineMetric({
  name: 'word_count',
  group: 'text',
  summary: 'The number of words of the answer, words being what white space separates.',
  parameters: bounds,
  range: '0 and up',
  passes: 'from `min` to `max`; without bounds always',
  better: 'none',
  source: 'promptfoo `word-count`',
  example: { output: 'one two  three', with: { min: 1, max: 2 }, value: 3, pass: false },
  measure: ({ output, options }) => inBounds(lengthIn(output, 'words'), options, 'words'),
});
