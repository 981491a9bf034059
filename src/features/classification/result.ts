import { z } from 'zod';
import { countSchema, shareSchema } from '../../kernel/result/pieces.ts';

const bothSidesSchema = z.strictObject({
  base: shareSchema.nullable().describe('On base; null if nothing was judged.'),
  head: shareSchema.nullable().describe('On head; null if nothing was judged.'),
});

const classificationSchema = z.strictObject({
  metric: z.string().describe('The metric that compares the labels.'),
  accuracy: bothSidesSchema.describe('Share of answers with the expected label.'),
  macro_f1: bothSidesSchema.describe(
    'Mean F1 over the labels. F1 is 0 for a label that is never right.',
  ),
  other: bothSidesSchema.describe('Share of answers that are not a label.'),
  labels: z
    .array(
      z.strictObject({
        label: z.string().describe('The label.'),
        references: countSchema.describe('References that expect it.'),
        precision: bothSidesSchema.describe(
          'Share of answers with this label that are right; null: no answer has it.',
        ),
        recall: bothSidesSchema.describe(
          'Share of answers to its references that have the label; null: nothing was answered.',
        ),
      }),
    )
    .describe('In the order of the references.'),
});

export type BothSides = z.infer<typeof bothSidesSchema>;

/** Each try counts once. A share is null if its denominator is 0. */
export type ClassificationSummary = z.infer<typeof classificationSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface SuiteParts {
    classification?: ClassificationSummary | null;
  }
}

export const classificationKeys = {
  suite: {
    classification: classificationSchema
      .nullable()
      .describe(
        'In suites whose expected values are a few labels, compared by `exact_match`: ' +
          'each try of a reference is one item.',
      )
      .exactOptional(),
  },
};
