import { z } from 'zod';
import { usageSchema } from './answer-schema.ts';
import type { Json } from './plain.ts';
import { countSchema } from './usage-totals.ts';

export const outcomeSchema = z.enum(['pass', 'fail', 'ungraded', 'error', 'skipped']);

export const jsonSchema: z.ZodType<Json, Json> = z.json();

export const levelSchema = z.enum(['Message', 'Turn', 'Thread', 'ToolCall']);

export const gradeSchema = z.strictObject({
  prompt: z.string().describe('The rubric with its values filled in, up to 20,000 characters.'),
  replies: z
    .array(
      z.strictObject({
        grader: z.string().describe("The grader's model."),
        label: z
          .string()
          .nullable()
          .describe('The label in the reply; null if there is none. Absent in older results.')
          .exactOptional(),
        reply: z.string().describe('The reply, up to 20,000 characters.'),
        usage: usageSchema
          .nullable()
          .describe("Tokens of the grader's calls for this grade; null if unknown."),
      }),
    )
    .describe('One reply per grader.'),
});

const grade = gradeSchema
  .describe(
    "The grader's prompt and replies; absent without a rubric, or if there are more than " +
      '2,000 grades.',
  )
  .exactOptional();

export const objectScoreSchema = z.strictObject({
  at: countSchema.describe("Position among the dialogue's turns, messages or tool calls, from 0."),
  turn: countSchema
    .describe('Number of the scripted turn, from 1; absent without a script.')
    .exactOptional(),
  status: outcomeSchema.describe('Result of the metric for this object.'),
  value: jsonSchema.describe('What the metric measured; null if nothing.'),
  reason: z.string().nullable().describe('The reason; null if none was given.'),
  raised: z
    .literal(true)
    .describe("Set if the metric's code raised an error. The object fails.")
    .exactOptional(),
  label: z.string().describe("The rubric's label; absent without a rubric.").exactOptional(),
  grade,
});

export const objectScoresSchema = z.strictObject({
  level: levelSchema.describe('The kind of object that is judged.'),
  scores: z.array(objectScoreSchema).describe('Scores in the order of the dialogue.'),
});

const ofScore = {
  grade,
  metric: z.string().describe('Name of the metric.'),
  skip: z.boolean().describe('True if the metric is shown but does not affect the outcome.'),
  objects: objectScoresSchema
    .describe(
      'Scores of individual turns, messages or tool calls, if the metric uses `every`; ' +
        'absent if it judged only the last one.',
    )
    .exactOptional(),
};

export const scoreSchema = z.discriminatedUnion('status', [
  z.strictObject({
    ...ofScore,
    status: z.enum(['pass', 'fail']).describe('Whether the metric passes in this answer.'),
    value: jsonSchema.describe('What the metric measured.'),
    reason: z
      .string()
      .nullable()
      .describe('The reason that the metric or its grader gave; null if none.'),
    raised: z
      .literal(true)
      .describe(
        "Set if the metric's code raised an error on this answer, or on all its turns, " +
          'messages or tool calls. The answer fails.',
      )
      .exactOptional(),
    label: z
      .string()
      .describe("The rubric's label for the value; absent without a rubric.")
      .exactOptional(),
  }),
  z.strictObject({
    ...ofScore,
    status: z
      .enum(['ungraded', 'error', 'skipped'])
      .describe(
        'Why there is no score: the grade could not be read, there was an error, or a ' +
          'condition was not met.',
      ),
    value: z.null().describe('Always null.'),
    reason: z.string().describe('What happened.'),
  }),
]);

export const tallySchema = z.strictObject({
  num_passes: countSchema.describe('Scores that pass, including skipped metrics.'),
  num_fails: countSchema.describe('Scores that fail, including skipped metrics.'),
  num_skip_passes: countSchema.describe('Scores of skipped metrics that pass.'),
  num_skip_fails: countSchema.describe('Scores of skipped metrics that fail.'),
  num_tries: countSchema.describe('Number of tries that were made.'),
  num_metrics: countSchema.describe('Number of metrics that judge the reference.'),
  num_ungraded: countSchema.describe('Scores without a readable grade.'),
  num_errors: countSchema.describe('Scores that are errors.'),
});
