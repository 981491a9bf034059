import { z } from 'zod';
import {
  countSchema,
  differenceSchema,
  shareSchema,
  sideSchema,
} from '../../kernel/result/pieces.ts';

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
  side: sideSchema.describe('Whose rubric and grader were asked.'),
  examples: countSchema.describe('Labelled examples of the rubric.'),
  judged: countSchema.describe(
    'Examples that count: their grade could be read, and the rubric knows their label.',
  ),
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
    '95 % interval of `true_positive_rate` (Wilson), an example counted once however often it is graded.',
  ),
  true_negative_interval: gradedInterval('The same of `true_negative_rate`.'),
  kappa: differenceSchema.nullable().describe("Cohen's kappa of the grader with the labels."),
  base_rate: shareSchema
    .nullable()
    .describe(
      'Share of positive examples, without which kappa cannot be read. Positive is a label ' +
        "of the rubric's highest score.",
    ),
  flipped: z
    .array(
      z.strictObject({
        content: z.string().describe('The example.'),
        expected: z.string().describe('The label that people give it.'),
        base: z.string().nullable().describe("Label of base's grader; null: not read."),
        head: z.string().nullable().describe("Label of head's grader; null: not read."),
      }),
    )
    .describe("Examples that base's grader labels otherwise than head's; empty on base."),
});

export type GraderResult = z.infer<typeof graderResultSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    graders: GraderResult[];
  }
}

export const graderKeys = {
  graders: z
    .array(graderResultSchema)
    .describe("Agreement of rubrics' graders with labelled examples, where a change touches them."),
};
