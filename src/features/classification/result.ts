import { z } from 'zod';
import { shareSchema } from '../../kernel/result/pieces.ts';
import { countSchema } from '../../types/usage-totals.ts';

const bothSidesSchema = z.strictObject({
  base: shareSchema.nullable().describe('The value on base; null if nothing was judged.'),
  head: shareSchema.nullable().describe('The value on head; null if nothing was judged.'),
});

const classificationSchema = z.strictObject({
  metric: z.string().describe('The metric that compares the labels.'),
  accuracy: bothSidesSchema.describe('Share of answers with the expected label.'),
  macro_f1: bothSidesSchema.describe(
    'Mean F1 over the labels. F1 is 0 for a label that is never correct.',
  ),
  other: bothSidesSchema.describe('Share of answers that are none of the labels.'),
  labels: z
    .array(
      z.strictObject({
        label: z.string().describe('The label.'),
        references: countSchema.describe('References that expect this label.'),
        precision: bothSidesSchema.describe(
          'Share of correct answers among those with this label; null: no answer has it.',
        ),
        recall: bothSidesSchema.describe(
          'Share of answers with this label among those that should have it; null: no answers.',
        ),
      }),
    )
    .describe('Figures of each label, in the order of the references.'),
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
        'How often each label is right. Only in suites whose expected values are a few labels, ' +
          'compared by `exact_match`. Each try of a reference is one item.',
      )
      .exactOptional(),
  },
};
