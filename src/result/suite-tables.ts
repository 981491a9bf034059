import { z } from 'zod';
import { countSchema, differenceSchema, shareSchema } from './pieces.ts';

const bothSidesSchema = z.strictObject({
  base: shareSchema.nullable().describe('On base; null where nothing was judged.'),
  head: shareSchema.nullable().describe('On head; null where nothing was judged.'),
});

export const preferenceSchema = z.strictObject({
  metric: z.string().describe('The metric that compares.'),
  head: countSchema.describe('Comparisons in which head’s answer is preferred.'),
  base: countSchema.describe('Comparisons in which base’s answer is preferred.'),
  ties: countSchema.describe('Comparisons in which neither is.'),
  difference: differenceSchema.describe('Share preferred on head less share preferred on base.'),
  low: differenceSchema.describe(
    'Lower end of the difference’s two-sided 90 % interval, which holds over all looks at growing tries: a larger drop is ruled out.',
  ),
  high: differenceSchema.describe(
    'Upper end of the difference’s two-sided 90 % interval, which holds over all looks at growing tries.',
  ),
  p: shareSchema.describe('One-sided mid-p of the sign test for "base’s answers are preferred".'),
  gates: z.boolean().describe('The verdict rests on it: nothing else gates in the suite.'),
  summary: z.string().describe('One sentence with the numbers.'),
});

export const classificationSchema = z.strictObject({
  metric: z.string().describe('The metric that compares the labels.'),
  accuracy: bothSidesSchema.describe('Share of answers that are the expected label.'),
  macro_f1: bothSidesSchema.describe(
    'Mean over the labels of F1, which is 0 for a label that is never right.',
  ),
  other: bothSidesSchema.describe('Share of answers that are none of the labels.'),
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

/** Comparisons of base's with head's answers: one for each reference and try. */
export type PreferenceSummary = z.infer<typeof preferenceSchema>;

export type BothSides = z.infer<typeof bothSidesSchema>;

/**
 * Answers as labels, each try of a reference one item. Shares are 0–1; null where nothing was
 * answered, or never with that label.
 */
export type ClassificationSummary = z.infer<typeof classificationSchema>;
