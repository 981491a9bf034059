import { z } from 'zod';
import { closed, flag, oneOf, wholeNumber } from '../../config/schema.ts';
import type { OwnSettings } from '../../project/settings.ts';

declare module '../../project/settings.ts' {
  interface FeatureSettings {
    coverage: CoverageSettings;
  }
}

const linesSchema = oneOf(['changed', 'off']);

const memberSchemas = {
  lines: linesSchema
    .describe(
      'changed: after the verdict, a comparison asks for which new and changed lines of a prompt ' +
        'a test fails without them. off: it does not.',
    )
    .default('off'),
  untested: oneOf(['advise', 'fail'])
    .describe('What happens to the run if a new or changed line is untested. Needs lines: changed.')
    .default('advise'),
  draft: flag()
    .describe('Also draft a test for untested lines, and suggest it if it passes its trial.')
    .default(false),
  max_calls: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .describe('Maximum calls of "evaldiff cover" without some of the lines.')
    .default(400),
};

const coverageSchema = z
  .union([linesSchema, closed(memberSchemas)], {
    error: 'must be changed, off, or a map like { lines: changed, max_calls: 400 }',
  })
  .transform((written) =>
    typeof written === 'object' ? written : closed(memberSchemas).parse({ lines: written }),
  )
  .describe('Finds which lines of a prompt a test holds (fails without them).')
  .prefault({});

type CoverageSettings = z.output<typeof coverageSchema>;

/** Read from base, because a pull request must not raise what the search may spend. */
export const coverageSettings: OwnSettings = {
  key: 'coverage',
  schema: coverageSchema,
  members: Object.keys(memberSchemas),
  fromBase: () => true,
};
