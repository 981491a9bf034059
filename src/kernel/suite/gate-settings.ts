import { z } from 'zod';

const passShare = z.number().min(0).max(1);

/** Every setting has a default, so that results from before the setting existed stay readable. */
export const gateSettingsSchema = z.strictObject({
  fail_on: z
    .enum(['regression', 'failure', 'never'])
    .describe('What makes a run red: a regression, any failing reference too, or nothing.')
    .default('regression'),
  alpha: passShare
    .describe(
      'Chance of a red run where head answers as base does, if tries are independent; at most 0.5.',
    )
    .default(0.05),
  min_drop: passShare.describe('Smallest drop of a pass rate that counts, 0–1.').default(0.01),
  tolerance: z
    .union([passShare, z.literal('auto')])
    .describe(
      'Largest drop that may stand under green, above 0 to 1; auto: what the suite can see, 0.05 to 0.1.',
    )
    .default('auto'),
  gate_on: z
    .enum(['suite+references', 'suite'])
    .describe('Whether single references can make a run red, or suites only.')
    .default('suite+references'),
  churn: z
    .enum(['gate', 'accept'])
    .describe(
      'accept: single references that break, unless critical, do not make a run red, as after a ' +
        'change of the model; rates still do.',
    )
    .default('gate'),
  unit: z
    .enum(['tries', 'references'])
    .describe(
      'What is compared: tries, or what the roll-up makes of each reference; absent: tries.',
    )
    .exactOptional(),
  metrics: z
    .record(z.string(), z.enum(['fail', 'warn', 'ignore']))
    .describe(
      'What a metric whose mean got worse does to the run, by name (`metric.entry` for one ' +
        'number of a map); absent: those that know a direction warn.',
    )
    .exactOptional(),
  on_inconclusive: z
    .enum(['pass', 'fail'])
    .describe('What an inconclusive suite does to the run.')
    .default('pass'),
  scoring: z
    .enum(['warn', 'fail'])
    .describe(
      'What a scoring change does to the run that moves the pass rate of the same answers, ' +
        "or passes what falls under base's scoring.",
    )
    .default('warn'),
  removed: z
    .enum(['warn', 'fail'])
    .describe('What references do to the run that are removed, or ask something else.')
    .default('warn'),
  new: z
    .enum(['report', 'fail'])
    .describe('What a new reference does to the run that fails on head.')
    .default('report'),
  anchor: z
    .strictObject({
      since: z.string().describe('`last-release`, `30-days` (1 to 3650), or a tag or commit.'),
      fail: z.boolean().describe('Whether a drop since then makes a run red.').default(false),
    })
    .nullable()
    .describe('An older commit that head is compared with, too; null: none.')
    .default(null),
  attributes: z
    .enum(['advise', 'fail'])
    .describe('What an attribute that regressed does to the run.')
    .default('advise'),
  min_pass_rate: passShare
    .nullable()
    .describe('Pass rate that every suite must reach on head, 0–1; null: none.')
    .default(null),
});

export type GateSettings = z.output<typeof gateSettingsSchema>;

export const DEFAULT_GATE: GateSettings = gateSettingsSchema.parse({});

export const suiteGateSchema = z.strictObject({
  fail_on: gateSettingsSchema.shape.fail_on.unwrap().exactOptional(),
  min_drop: gateSettingsSchema.shape.min_drop.unwrap().exactOptional(),
  tolerance: gateSettingsSchema.shape.tolerance.unwrap().exactOptional(),
  min_pass_rate: gateSettingsSchema.shape.min_pass_rate.unwrap().exactOptional(),
  unit: gateSettingsSchema.shape.unit,
  metrics: gateSettingsSchema.shape.metrics,
});

export type SuiteGate = z.infer<typeof suiteGateSchema>;
