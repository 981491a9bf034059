import type { z } from 'zod';
import { closed, flag, wholeNumber } from '../../config/schema.ts';
import type { OwnSettings } from '../../project/settings.ts';

declare module '../../project/settings.ts' {
  interface FeatureSettings {
    explain: CauseSettings;
  }
}

const causesSchema = closed({
  max_calls: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .nullable()
    .describe(
      'Most calls of a run that look for the lines which made something worse; 0: none; ' +
        'null: half of what the comparison took, 120 to 200.',
    )
    .default(null),
  fix: flag()
    .describe('Look for a fix of these lines, too, and suggest one that was run.')
    .default(false),
})
  .describe('Which changed lines made something worse, found by experiment.')
  .prefault({});

export type CauseSettings = z.output<typeof causesSchema>;

/** The search spends the budget, so base's settings apply. */
export const causeSettings: OwnSettings = {
  key: 'explain',
  schema: causesSchema,
  members: ['max_calls', 'fix'],
  fromBase: () => true,
};
