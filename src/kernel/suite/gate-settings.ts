import { z } from 'zod';

const passShare = z.number().min(0).max(1);

/** Every setting has a default, so that results from before the setting existed stay readable. */
export const gateSettingsSchema = z.strictObject({
  fail_on: z
    .enum(['regression', 'failure', 'never'])
    .describe('What makes a run red: a regression, also any failing reference, or nothing.')
    .default('regression'),
  alpha: passShare
    .describe(
      'False-alarm rate: chance of a red run if head answers like base and tries are ' +
        'independent; at most 0.5.',
    )
    .default(0.05),
  min_drop: passShare.describe('Smallest drop of a pass rate that counts, 0–1.').default(0.01),
  tolerance: z
    .union([passShare, z.literal('auto')])
    .describe(
      'Largest drop that may remain possible under a green verdict, above 0 to 1; auto: the ' +
        'drop that the suite can detect, limited to 0.05 to 0.1.',
    )
    .default('auto'),
  gate_on: z
    .enum(['suite+references', 'suite'])
    .describe('Whether single references can make a run red, or only suites.')
    .default('suite+references'),
  churn: z
    .enum(['gate', 'accept'])
    .describe(
      'accept: single references that break do not make a run red, unless they are critical; ' +
        'rates still do. For example, after a change of the model.',
    )
    .default('gate'),
  unit: z
    .enum(['tries', 'references'])
    .describe('What is compared: tries (the default), or the roll-up of each reference.')
    .exactOptional(),
  metrics: z
    .record(z.string(), z.enum(['fail', 'warn', 'ignore']))
    .describe(
      "What happens to the run if a metric's mean gets worse, by name (`metric.entry` for a " +
        'number of a map); by default, metrics with a better direction warn.',
    )
    .exactOptional(),
  on_inconclusive: z
    .enum(['pass', 'fail'])
    .describe('Whether an inconclusive suite passes or fails the run.')
    .default('pass'),
  scoring: z
    .enum(['warn', 'fail'])
    .describe(
      'What happens to the run if a scoring change moves the pass rate of the same answers, ' +
        "or passes answers that fall under base's scoring.",
    )
    .default('warn'),
  removed: z
    .enum(['warn', 'fail'])
    .describe('What happens to the run if references are removed or have another question.')
    .default('warn'),
  new: z
    .enum(['report', 'fail'])
    .describe('What happens to the run if a new reference fails on head.')
    .default('report'),
  anchor: z
    .strictObject({
      since: z.string().describe('`last-release`, `30-days` (1 to 3650), or a tag or commit.'),
      fail: z.boolean().describe('Whether a drop since then fails the run.').default(false),
    })
    .nullable()
    .describe('An older commit that head is also compared with; null for none.')
    .default(null),
  attributes: z
    .enum(['advise', 'fail'])
    .describe('What happens to the run if an attribute regresses.')
    .default('advise'),
  min_pass_rate: passShare
    .nullable()
    .describe('Pass rate that every suite must reach on head, 0–1; null for no minimum.')
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
