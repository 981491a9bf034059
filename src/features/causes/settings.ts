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
      'Maximum calls of a run to find the lines that made something worse. 0: none. null: ' +
        'half of the calls of the comparison, but at least 120 and at most 200.',
    )
    .default(null),
  fix: flag()
    .describe('Also look for a fix of these lines, and suggest a tested one.')
    .default(false),
})
  .describe('Finds by experiment which changed lines made something worse.')
  .prefault({});

export type CauseSettings = z.output<typeof causesSchema>;

/** Read from base, because a pull request must not raise what the search may spend. */
export const causeSettings: OwnSettings = {
  key: 'explain',
  schema: causesSchema,
  members: ['max_calls', 'fix'],
  fromBase: () => true,
};
