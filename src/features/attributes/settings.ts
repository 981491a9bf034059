import { z } from 'zod';
import { closed, filled, flag, numberBetween, oneOf, wholeNumber } from '../../config/schema.ts';
import { isPlainRelative, join } from '../../documents/paths.ts';
import type { OwnSettings } from '../../project/settings.ts';

declare module '../../project/settings.ts' {
  interface FeatureSettings {
    qualeval: QualEvalSettings;
  }
}

export const DEFAULT_ATTRIBUTES = 'evaldiff.attributes.yaml';

const switchSchema = z.union([oneOf(['auto', 'on', 'off']), flag()], {
  error: 'must be one of auto, on, off',
});

const memberSchemas = {
  enabled: switchSchema.describe('auto, on or off.').default('auto'),
  attributes: filled()
    .refine((path) => isPlainRelative(path) && join('', path) !== null, {
      error: 'must be a path below the working directory',
    })
    .describe('File with attributes chosen by people.')
    .default(DEFAULT_ATTRIBUTES),
  max_attributes: wholeNumber(1, 50).describe('Maximum attributes of each kind.').default(15),
  sample: wholeNumber(20, 10_000)
    .describe('Maximum number of tests rated in a suite. Tests that the change affects come first.')
    .default(500),
  slack: numberBetween(0, 1)
    .describe(
      'How far the share of references assigned to an attribute may differ from its expected ' +
        'share (its prior), relative to the prior.',
    )
    .default(0.1),
  insight_calls: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .nullable()
    .describe(
      'Maximum calls of a run to write insights about regressed attributes and to try their ' +
        'changes. 0: none. null: half of the calls of the comparison, but at least 120 and at most 400.',
    )
    .default(null),
  alignment: flag().describe('Also rate answers, for the skill alignment.').default(false),
  metric: filled()
    .nullable()
    .describe('The metric whose passes or values are compared. null: what decides the suite.')
    .default(null),
};

const qualevalSchema = z
  .union([switchSchema, closed(memberSchemas)], {
    error: 'must be one of auto, on, off, or a map like { enabled: on, max_attributes: 10 }',
  })
  .transform((written) => {
    const { enabled, ...rest } =
      typeof written === 'object' ? written : closed(memberSchemas).parse({ enabled: written });
    if (typeof enabled === 'string') return { ...rest, enabled };
    return { ...rest, enabled: enabled ? ('on' as const) : ('off' as const) };
  })
  .describe('Finds which domains and sub-tasks of the references changed (QualEval).')
  .prefault({});

export type QualEvalSettings = z.output<typeof qualevalSchema>;

/** Read from base if attributes can fail a run, so that a pull request cannot loosen its check. */
export const attributeSettings: OwnSettings = {
  key: 'qualeval',
  schema: qualevalSchema,
  members: Object.keys(memberSchemas),
  fromBase: ({ attributes }) => attributes === 'fail',
  files: (value) => [(value as QualEvalSettings).attributes],
};
