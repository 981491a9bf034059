import { z } from 'zod';
import type { Json } from '../types/plain.ts';
import {
  defineBatch,
  measureError,
  missingExpected,
  type Description,
  type Input,
  type Measured,
  type MetricDefinition,
  type Options,
} from './definition.ts';
import { type Expectation, readExpected, textExpected } from './expected.ts';

export const valueParameter = {
  value: z
    .json()
    .optional()
    .describe("What to compare with, in place of the reference's `expected`."),
};

interface ComparisonSpec<S extends z.ZodRawShape> extends Description {
  parameters: S;
  check?(options: Options<S>): string[];
  /** False when the parameters leave nothing to compare with `expected`. */
  compares?(options: Options<S>): boolean;
  /** Absent: a text, or a list of texts. */
  expects?(options: Options<S>): Expectation;
  measure(input: Input<Options<S>> & { expected: Json }): Measured;
}

/** A metric that compares the answer with `expected`, or with `value` where the file gives one. */
export function defineComparison<S extends z.ZodRawShape>(
  spec: ComparisonSpec<S>,
): MetricDefinition {
  const { measure, check, compares, expects, parameters, ...rest } = spec;
  const own = (options: Record<string, unknown>): Options<S> => options as Options<S>;
  const given = (options: Record<string, unknown>): Json | undefined =>
    options.value as Json | undefined;
  const expectation = (options: Record<string, unknown>): Expectation | null =>
    compares?.(own(options)) === false ? null : (expects?.(own(options)) ?? textExpected);
  return defineBatch({
    ...rest,
    parameters: { ...valueParameter, ...parameters } as z.ZodRawShape,
    needs: { expected: true, model: false },
    check: (options) => check?.(own(options)) ?? [],
    usesExpected: (options) => given(options) === undefined && expectation(options) !== null,
    expects: expectation,
    async score(answers, options, context) {
      const how = expectation(options);
      return answers.map((answer) => {
        const value = given(options);
        const expected =
          how === null ? null : value === undefined ? readExpected(how, answer) : value;
        if (expected === undefined) return missingExpected(context.name);
        const wrong = how?.wrong(expected) ?? null;
        const { output } = answer.completion;
        return wrong === null
          ? measure({ answer, output, options: own(options), context, expected })
          : measureError(wrong);
      });
    },
  });
}
