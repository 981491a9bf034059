import { z } from 'zod';
import { shareSchema } from '../../kernel/result/pieces.ts';
import { countSchema } from '../../types/usage-totals.ts';

export const noiseNoteSchema = z.strictObject({
  red: countSchema.describe('Comparisons of base with itself that went red.'),
  runs: countSchema.describe('Comparisons of base with itself.'),
  low: shareSchema.describe('Lower end of the 95 % interval (Wilson) of `red` / `runs`.'),
  high: shareSchema.describe('Upper end of the 95 % interval (Wilson) of `red` / `runs`.'),
  measured_at: z.string().describe('Day of the measurement, `YYYY-MM-DD`.'),
});

export type NoiseNote = z.infer<typeof noiseNoteSchema>;

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    noise: NoiseNote | null;
  }
}

export const noiseKeys = {
  noise: noiseNoteSchema
    .nullable()
    .describe(
      "The last measured false-alarm rate of this project's gate; null: " +
        'not measured, or unknown.',
    ),
};
