import { z } from 'zod';
import { SIDES, type Side } from '../../types/plain.ts';
import { jsonSchema } from '../../types/score-schema.ts';
import { countSchema } from '../../types/usage-totals.ts';

export const passesSchema = z.strictObject({
  passes: countSchema.describe('Number of tries that passed.'),
  tries: countSchema.describe('Number of tries that passed or failed.'),
});

export const shareSchema = z.number().min(0).max(1);

export const differenceSchema = z.number().min(-1).max(1);

/** Base's answers or tests, judged by both scorings. */
export const judgedTwice = {
  unit: z
    .enum(['answers', 'tests'])
    .default('answers')
    .describe('What is counted: `tests` if the roll-up changed.'),
  judged: countSchema.describe("Number of base's answers or tests that both scorings judged."),
  pass_fail: countSchema.describe(
    "Number of these that pass under base's scoring and fail under head's.",
  ),
  fail_pass: countSchema.describe(
    "Number of these that fail under base's scoring and pass under head's.",
  ),
};

export const sideSchema = z.enum(SIDES);

/** In `about`, `{side}` and `{Side}` stand for the side's name. */
export function sides<S extends z.ZodType>(schema: S, about: string): Record<Side, S> {
  const of = (side: Side, title: string) =>
    schema.describe(about.replaceAll('{side}', side).replaceAll('{Side}', title));
  return { base: of('base', 'Base'), head: of('head', 'Head') };
}

export function ends<S extends z.ZodType>(schema: S, interval: string): Record<'low' | 'high', S> {
  return {
    low: schema.describe(`Lower end of ${interval}`),
    high: schema.describe(`Upper end of ${interval}`),
  };
}

export const variantSchema = z.strictObject({
  model: z
    .string()
    .nullable()
    .describe("The model's name in the prompt; null if code computes the output."),
  parameters: z
    .record(z.string(), jsonSchema)
    .describe('Parameters that are sent with the messages.'),
});

/** The keys by which parts of a result name their suite. */
export const suiteFields = {
  path: z.string().describe('File of the prompt.'),
  suite: z.string().describe('Name of the suite.'),
  variant: variantSchema.describe('Model and parameters of the suite.'),
};

export type Variant = z.infer<typeof variantSchema>;
