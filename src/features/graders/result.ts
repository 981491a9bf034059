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

const gradedRightSchema = z.strictObject({
  right: countSchema.describe('Of them, those that the grader labels so too.'),
  n: countSchema.describe('Labelled examples with a readable grade.'),
});

const correctedRateSchema = z
  .strictObject({
    rate: shareSchema.describe("Rate without the grader's errors."),
    low: shareSchema.describe('Lower end of its two-sided 90 % interval.'),
    high: shareSchema.describe('Upper end of its two-sided 90 % interval.'),
  })
  .nullable();

const graderErrorSchema = z.strictObject({
  metric: z
    .string()
    .describe(
      'What alone judges the suite: the metric by a rubric, or `conversation`, its evaluators all together.',
    ),
  objects: z
    .strictObject({
      level: z
        .enum(['Message', 'Turn', 'Thread', 'ToolCall'])
        .describe('What is judged one by one.'),
      base: shareSchema.nullable().describe('Share that passes on base; null: not judged.'),
      head: shareSchema.nullable().describe('Share that passes on head; null: not judged.'),
    })
    .describe(
      'What is corrected, of a metric with `every`: ' +
        "the share of a dialogue's objects that pass, as a mean over dialogues. " +
        "Absent: the suite's pass rates.",
    )
    .exactOptional(),
  kind: z
    .enum(['corrected', 'within error', 'no better than chance'])
    .describe(
      '`within error`: the rates differ by no more than the share of answers that the grader ' +
        'gets wrong. `no better than chance`: by its labelled examples the grader tells nothing, ' +
        'and nothing can be corrected.',
    ),
  good: gradedRightSchema.describe('Examples that pass for people.'),
  bad: gradedRightSchema.describe('Examples that fail for people.'),
  wrong: shareSchema
    .nullable()
    .describe('Share of such answers that the grader gets wrong; null: it cannot be said.'),
  base: correctedRateSchema.describe('On base; null where it cannot be said.'),
  head: correctedRateSchema.describe('On head; null where it cannot be said.'),
  difference: z
    .strictObject({
      difference: differenceSchema.describe("Head − base without the grader's errors."),
      low: differenceSchema.describe('Lower end of its two-sided 90 % interval.'),
      high: differenceSchema.describe('Upper end of its two-sided 90 % interval.'),
    })
    .nullable()
    .describe('Null where sides are not compared, or nothing can be corrected.'),
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
    .describe("Agreement of rubrics' graders with labelled examples, where a change touches them."),
};

export const graderSuiteKeys = {
  grader_error: graderErrorSchema
    .describe(
      "What the pass rates are without the grader's own errors, as labelled examples show " +
        'them. Changes no verdict; absent: no such examples, or something else judges too.',
    )
    .exactOptional(),
};
