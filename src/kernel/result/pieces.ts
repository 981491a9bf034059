import { z } from 'zod';
import { usageSchema } from '../../types/answer-schema.ts';
import type { GradeRecord, ObjectScore, Outcome, Score, Tally } from '../../types/metric.ts';
import type { Json, Side } from '../../types/plain.ts';

export const countSchema = z.number().int().nonnegative();

export const shareSchema = z.number().min(0).max(1);

export const differenceSchema = z.number().min(-1).max(1);

export const dollarsSchema = z.number().nonnegative().nullable();

export const sideSchema = z.enum(['base', 'head']) satisfies z.ZodType<Side>;

/** `{side}` and `{Side}` in `about` become base and head. */
export function sides<S extends z.ZodType>(schema: S, about: string): Record<Side, S> {
  const of = (side: Side, title: string): S =>
    schema.describe(about.replaceAll('{side}', side).replaceAll('{Side}', title));
  return { base: of('base', 'Base'), head: of('head', 'Head') };
}

/** `interval` reads like `the difference's two-sided 90 % interval.` */
export function ends<S extends z.ZodType>(schema: S, interval: string): Record<'low' | 'high', S> {
  return {
    low: schema.describe(`Lower end of ${interval}`),
    high: schema.describe(`Upper end of ${interval}`),
  };
}

export const outcomeSchema = z.enum([
  'pass',
  'fail',
  'ungraded',
  'error',
  'skipped',
]) satisfies z.ZodType<Outcome>;

export const jsonSchema: z.ZodType<Json, Json> = z.json();

export const variantSchema = z.strictObject({
  model: z
    .string()
    .nullable()
    .describe('The model as the prompt names it; null: code computes the output.'),
  parameters: z
    .record(z.string(), jsonSchema)
    .describe('Parameters that are sent with the messages.'),
});

export type Variant = z.infer<typeof variantSchema>;

const gradeSchema = z.strictObject({
  prompt: z.string().describe('The rubric as it was filled in; cut after 20,000 characters.'),
  replies: z
    .array(
      z.strictObject({
        grader: z.string().describe('The model.'),
        label: z
          .string()
          .nullable()
          .describe('The label that was read in its reply; null: none. Absent in older results.')
          .exactOptional(),
        reply: z.string().describe('What it replied, whole or cut after 20,000 characters.'),
        usage: usageSchema
          .nullable()
          .describe('Tokens of its calls for this grade; null: not known.'),
      }),
    )
    .describe('Of each grader.'),
}) satisfies z.ZodType<GradeRecord>;

const grade = gradeSchema
  .describe('What the grade rests on; absent: no rubric judged, or more than 2,000 at once.')
  .exactOptional();

const objectScoreSchema = z.strictObject({
  at: countSchema.describe("Position among the dialogue's objects of that level, from 0."),
  turn: countSchema
    .describe('Number of the scripted turn, from 1; absent: no script.')
    .exactOptional(),
  status: z
    .enum(['pass', 'fail', 'ungraded', 'error', 'skipped'])
    .describe('Result of the metric for this object.'),
  value: jsonSchema.describe('What the metric measured there; null: nothing.'),
  reason: z.string().nullable().describe('The reason; null: not given.'),
  raised: z
    .literal(true)
    .describe("The metric's own code broke on it, which fails it; absent: it did not.")
    .exactOptional(),
  label: z.string().describe("The rubric's label; absent: no rubric judged.").exactOptional(),
  grade,
}) satisfies z.ZodType<ObjectScore>;

const ofScore = {
  grade,
  metric: z.string().describe('Name of the metric.'),
  skip: z.boolean().describe('The metric is shown, but does not gate.'),
  objects: z
    .strictObject({
      level: z.enum(['Message', 'Turn', 'Thread', 'ToolCall']).describe('The unit that is judged.'),
      scores: z.array(objectScoreSchema).describe('In the order of the dialogue.'),
    })
    .describe(
      'Each turn, message or tool call, of a metric with `every`; absent: it judged the last one alone.',
    )
    .exactOptional(),
};

export const scoreSchema = z.discriminatedUnion('status', [
  z.strictObject({
    ...ofScore,
    status: z.enum(['pass', 'fail']).describe('Whether the metric passes in this answer.'),
    value: jsonSchema.describe('What the metric measured.'),
    reason: z.string().nullable().describe('Why, as the metric or its grader says; null: nothing.'),
    raised: z
      .literal(true)
      .describe(
        "The metric's own code broke on this answer, or on all that it judged of it, " +
          'which fails it; absent: it did not.',
      )
      .exactOptional(),
    label: z
      .string()
      .describe("The rubric's label behind the value; absent: no rubric judged.")
      .exactOptional(),
  }),
  z.strictObject({
    ...ofScore,
    status: z
      .enum(['ungraded', 'error', 'skipped'])
      .describe('Why there is no score: no readable grade, an error, or a condition not met.'),
    value: z.null().describe('There is none.'),
    reason: z.string().describe('What happened.'),
  }),
]) satisfies z.ZodType<Score>;

export const tallySchema = z.strictObject({
  num_passes: countSchema.describe('Scores that pass, including skipped metrics.'),
  num_fails: countSchema.describe('Scores that fail, including skipped metrics.'),
  num_skip_passes: countSchema.describe('Scores of skipped metrics that pass.'),
  num_skip_fails: countSchema.describe('Scores of skipped metrics that fail.'),
  num_tries: countSchema.describe('Tries that were made.'),
  num_metrics: countSchema.describe('Metrics that judge the reference.'),
  num_ungraded: countSchema.describe('Scores without a readable grade.'),
  num_errors: countSchema.describe('Scores that are errors.'),
}) satisfies z.ZodType<Tally>;
