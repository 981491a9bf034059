import { z } from 'zod';
import {
  differenceSchema,
  ends,
  shareSchema,
  sides,
  sideSchema,
} from '../../kernel/result/pieces.ts';
import { countSchema } from '../../types/usage-totals.ts';

const gradedInterval = (description: string) =>
  z
    .strictObject({
      low: shareSchema.describe('Lower end.'),
      high: shareSchema.describe('Upper end.'),
    })
    .nullable()
    .describe(`${description} Null where there is nothing to count; absent in older results.`)
    .exactOptional();

const graderResultSchema = z.strictObject({
  rubric: z.string().describe('Name of the rubric.'),
  side: sideSchema.describe('The side whose rubric and grader were tested.'),
  examples: countSchema.describe('Labelled examples of the rubric.'),
  judged: countSchema.describe('Examples with a readable grade and a label of the rubric.'),
  agreement: shareSchema
    .nullable()
    .describe('Share of judged examples that got the expected label.'),
  true_positive_rate: shareSchema
    .nullable()
    .describe('Share of positive examples that the grader calls positive.'),
  true_negative_rate: shareSchema
    .nullable()
    .describe('Share of negative examples that the grader calls negative.'),
  true_positive_interval: gradedInterval(
    '95 % interval of `true_positive_rate` (Wilson), each example counted once, even if ' +
      'graded several times.',
  ),
  true_negative_interval: gradedInterval('The same for `true_negative_rate`.'),
  kappa: differenceSchema.nullable().describe("Cohen's kappa of the grader with the labels."),
  base_rate: shareSchema
    .nullable()
    .describe(
      'Share of positive examples, needed to interpret kappa. Positive is a label ' +
        "of the rubric's highest score.",
    ),
  flipped: z
    .array(
      z.strictObject({
        content: z.string().describe('The example.'),
        expected: z.string().describe('The label that people gave.'),
        ...sides(z.string().nullable(), "Label of {side}'s grader; null: unreadable."),
      }),
    )
    .describe("Examples that base's and head's graders label differently; empty on base."),
});

export type GraderResult = z.infer<typeof graderResultSchema>;

const gradedRightSchema = z.strictObject({
  right: countSchema.describe('Answers to which the grader gives the same label as people.'),
  n: countSchema.describe('Labelled examples with a readable grade.'),
});

const correctedRateSchema = z
  .strictObject({
    rate: shareSchema.describe("Rate corrected for the grader's errors."),
    ...ends(shareSchema, 'its two-sided 90 % interval.'),
  })
  .nullable();

const graderErrorSchema = z.strictObject({
  metric: z
    .string()
    .describe(
      'The only judge of the suite: a rubric metric, or `conversation` for all evaluators together.',
    ),
  objects: z
    .strictObject({
      level: z
        .enum(['Message', 'Turn', 'Thread', 'ToolCall'])
        .describe('What is judged: messages, turns, tool calls or the whole thread.'),
      ...sides(shareSchema.nullable(), 'Share that passes on {side}; null: not judged.'),
    })
    .describe(
      'What is corrected for a metric with `every`: ' +
        'the share of turns, messages or tool calls of a dialogue that pass, averaged over dialogues. ' +
        "Absent: the suite's pass rates are corrected.",
    )
    .exactOptional(),
  kind: z
    .enum(['corrected', 'within error', 'no better than chance'])
    .describe(
      '`within error`: the rates differ by no more than the share of answers that the grader ' +
        'misjudges. `no better than chance`: the grader labels the examples no better than chance, so ' +
        'the rates cannot be corrected.',
    ),
  good: gradedRightSchema.describe('Examples that people accept.'),
  bad: gradedRightSchema.describe('Examples that people reject.'),
  wrong: shareSchema
    .nullable()
    .describe("Share of the suite's answers that the grader misjudges; null: unknown."),
  ...sides(correctedRateSchema, 'Corrected rate on {side}; null if unknown.'),
  difference: z
    .strictObject({
      difference: differenceSchema.describe("Head − base, corrected for the grader's errors."),
      ...ends(differenceSchema, 'its two-sided 90 % interval.'),
    })
    .nullable()
    .describe('Null if the sides are not compared or the rates cannot be corrected.'),
});

export type GraderError = z.infer<typeof graderErrorSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    graders: GraderResult[];
  }
  interface SuiteParts {
    grader_error?: GraderError;
  }
}

export const graderKeys = {
  graders: z
    .array(graderResultSchema)
    .describe('Agreement of changed rubrics and graders with labelled examples.'),
};

export const graderSuiteKeys = {
  grader_error: graderErrorSchema
    .describe(
      "Pass rates corrected for the grader's errors on labelled examples. Does not affect the " +
        'verdict. Absent if there are no labelled examples, or if other metrics also judge the suite.',
    )
    .exactOptional(),
};
