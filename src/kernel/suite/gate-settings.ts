import { z } from 'zod';

export const DEFAULT_GATE: GateSettings = {
  fail_on: 'regression',
  alpha: 0.05,
  min_drop: 0.01,
  tolerance: 'auto',
  gate_on: 'suite+references',
  on_inconclusive: 'pass',
  scoring: 'warn',
  removed: 'warn',
  attributes: 'advise',
  min_pass_rate: null,
};

const passShare = z.number().min(0).max(1);

/** The gate's settings in effect, also part of `result.json`. */
export const gateSettingsSchema = z.strictObject({
  fail_on: z
    .enum(['regression', 'failure', 'never'])
    .describe('What makes a run red: a regression, any failing reference too, or nothing.'),
  alpha: passShare.describe(
    'Chance of a red run where head answers as base does, if tries are independent; at most 0.5.',
  ),
  min_drop: passShare.describe('Smallest drop of a pass rate that counts, 0–1.'),
  tolerance: z
    .union([passShare, z.literal('auto')])
    .describe(
      'Largest drop that may stand under green, above 0 to 1; auto: what the suite can see, 0.05 to 0.1.',
    ),
  gate_on: z
    .enum(['suite+references', 'suite'])
    .describe('Whether single references can make a run red, or suites only.'),
  unit: z
    .enum(['tries', 'references'])
    .describe(
      'What is compared: tries, or what the roll-up makes of each reference; absent: tries.',
    )
    .exactOptional(),
  metrics: z
    .record(z.string(), z.enum(['fail', 'warn', 'ignore']))
    .describe(
      'What a metric whose mean got worse does to the run, by name (`metric.entry` for one number of a map); absent: those that know a direction warn.',
    )
    .exactOptional(),
  on_inconclusive: z.enum(['pass', 'fail']).describe('What an inconclusive suite does to the run.'),
  scoring: z
    .enum(['warn', 'fail'])
    .describe(
      "What a scoring change does to the run that moves the pass rate of the same answers, or passes what falls under base's scoring.",
    ),
  removed: z
    .enum(['warn', 'fail'])
    .describe('What references do to the run that are removed, or ask something else.'),
  attributes: z
    .enum(['advise', 'fail'])
    .describe('What an attribute that regressed does to the run.'),
  min_pass_rate: passShare
    .nullable()
    .describe('Pass rate that every suite must reach on head, 0–1; null: none.'),
});

export type GateSettings = z.infer<typeof gateSettingsSchema>;

export const suiteGateSchema = z.strictObject({
  fail_on: gateSettingsSchema.shape.fail_on.exactOptional(),
  min_drop: gateSettingsSchema.shape.min_drop.exactOptional(),
  tolerance: gateSettingsSchema.shape.tolerance.exactOptional(),
  min_pass_rate: gateSettingsSchema.shape.min_pass_rate.exactOptional(),
  unit: gateSettingsSchema.shape.unit,
  metrics: gateSettingsSchema.shape.metrics,
});

/** One suite's own gate settings. */
export type SuiteGate = z.infer<typeof suiteGateSchema>;
