import { z } from 'zod';
import { shorten } from '../text/visible.ts';
import { textOf } from '../types/answer.ts';
import { jsonText, type Json } from '../types/plain.ts';
import type { MetricAnswer } from './answer.ts';
import {
  defineBatch,
  measureError,
  missingExpected,
  type BatchSpec,
  type Expectation,
  type Input,
  type Measurement,
  type MetricDefinition,
  type Options,
} from './definition.ts';
import { onlyNumber } from './measures/numbers.ts';
import { compilePattern } from './measures/pattern.ts';

export const textExpected: Expectation = {
  reads: 'text',
  wrong(expected) {
    const texts = [expected].flat();
    if (texts.length === 0) return 'expected is an empty list';
    return texts.includes(null) ? 'expected is null; if you mean the text, quote it' : null;
  },
};

export const partExpected: Expectation = {
  reads: 'text',
  wrong(expected) {
    return (
      textExpected.wrong(expected) ??
      ([expected].flat().includes('')
        ? 'expected is empty, so every answer would contain it'
        : null)
    );
  },
};

export const numberExpected = (list: boolean): Expectation => ({
  reads: 'number',
  wrong(expected) {
    const entries = list && Array.isArray(expected) ? expected : [expected];
    const wrong = entries.find((entry) => onlyNumber(entry) === null);
    if (wrong === undefined) return entries.length === 0 ? 'expected is an empty list' : null;
    return `expected ${JSON.stringify(shorten(jsonText(wrong), 80))} is not a number`;
  },
});

export const patternExpected = (flags: Parameters<typeof compilePattern>[1]): Expectation => ({
  reads: 'text',
  wrong(expected) {
    const patterns = [expected].flat().map((entry) => compilePattern(jsonText(entry), flags));
    const wrong = patterns.find((pattern) => typeof pattern === 'string');
    return textExpected.wrong(expected) ?? (wrong === undefined ? null : `expected: ${wrong}`);
  },
});

export function readExpected(
  { reads }: Pick<Expectation, 'reads'>,
  { expected, values }: Pick<MetricAnswer, 'expected' | 'values'>,
): Json | undefined {
  const value = values?.expected;
  if (reads === 'text' || value === undefined || expected === undefined) return expected;
  if (reads === 'value') return value;
  const readable = (text: Json, given: Json) => (onlyNumber(text) === null ? given : text);
  return Array.isArray(expected) && Array.isArray(value)
    ? expected.map((text, index) => readable(text, value[index] ?? null))
    : readable(expected, value);
}

export const valueParameter = {
  value: z.json().optional().describe("What to compare with, instead of the test's `expected`."),
};

/** By default, `expects` is a text. */
interface ComparisonSpec<S extends z.ZodRawShape> extends Omit<BatchSpec<S>, 'score'> {
  measure(input: Input<Options<S>> & { expected: Json }): Measurement | Promise<Measurement>;
}

export function defineComparison<S extends z.ZodRawShape>(
  spec: ComparisonSpec<S>,
): MetricDefinition {
  const { measure, check, expects = () => textExpected, parameters, ...rest } = spec;
  const own = (options: Record<string, unknown>) => options as Options<S>;
  return defineBatch({
    ...rest,
    parameters: { ...valueParameter, ...parameters } as z.ZodRawShape,
    check: (options) => check?.(own(options)) ?? [],
    expects: (options) => expects(own(options)),
    async score(answers, options, context) {
      const how = expects(own(options));
      const value = options['value'] as Json | undefined;
      const measured = answers.map((answer) => {
        const expected =
          how === null ? null : value === undefined ? readExpected(how, answer) : value;
        if (expected === undefined) return missingExpected(context.name);
        const wrong = how?.wrong(expected) ?? null;
        const output = textOf(answer.completion);
        return wrong === null
          ? measure({ answer, output, options: own(options), context, expected })
          : measureError(wrong);
      });
      return Promise.all(measured);
    },
  });
}
