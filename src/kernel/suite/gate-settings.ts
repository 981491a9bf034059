import { z } from 'zod';

export const FAIL_ON = ['regression', 'failure', 'never'] as const;

const error = 'must be a number from 0 to 1';

const passShare = z.number({ error }).min(0, { error }).max(1, { error });

/** Every setting needs a default, because older results do not have the newer settings. */
export const gateSettingsSchema = z.strictObject({
  fail_on: z
    .enum(FAIL_ON)
    .describe(
      'What makes a run red: regression (the default), failure (also any reference that fails ' +
        'on head), or never.',
    )
    .default('regression'),
  alpha: passShare
    .describe(
      'False-alarm rate: the probability that a run is red although head answers like base, ' +
        'if tries are independent; at most 0.5.',
    )
    .default(0.05),
  min_drop: passShare
    .describe('Smallest drop of a pass rate that can make a run red, 0–1.')
    .default(0.01),
  tolerance: z
    .union([passShare, z.literal('auto')])
    .describe(
      'Green means that a drop larger than this is ruled out. A number above 0 and up to 1, ' +
        'or auto: the drop that the suite can detect, but at least 0.05 and at most 0.1.',
    )
    .default('auto'),
  gate_on: z
    .enum(['suite+references', 'suite'])
    .describe('Whether individual references can make a run red, or only whole suites.')
    .default('suite+references'),
  churn: z
    .enum(['gate', 'accept'])
    .describe(
      'accept: individual references that get worse do not make a run red, unless they are ' +
        'critical. Pass rates still do. Useful after a change of the model.',
    )
    .default('gate'),
  unit: z
    .enum(['tries', 'references'])
    .describe(
      'What is compared: tries (the default), or references, whose tries the roll-up combines ' +
        'into one result.',
    )
    .exactOptional(),
  metrics: z
    .record(z.string(), z.enum(['fail', 'warn', 'ignore']), {
      error: 'must be a map of metric names like { politeness: fail }',
    })
    .describe(
      "What happens to the run if a metric's mean gets worse, by the metric's name " +
        '(`metric.entry` for one number of a map). Default: warn, if it is known whether ' +
        'higher or lower is better.',
    )
    .exactOptional(),
  on_inconclusive: z
    .enum(['pass', 'fail'])
    .describe('Whether an inconclusive suite passes or fails the run.')
    .default('pass'),
  scoring: z
    .enum(['warn', 'fail'])
    .describe(
      'What happens to the run if the pass rate of the same answers changes through new ' +
        "scoring, or if head is worse only when base's scoring judges both sides.",
    )
    .default('warn'),
  removed: z
    .enum(['warn', 'fail'])
    .describe('What happens to the run if references are removed or their questions change.')
    .default('warn'),
  new: z
    .enum(['report', 'fail'])
    .describe('What happens to the run if a new reference fails on head.')
    .default('report'),
  untrusted: z
    .enum(['fail', 'pass'])
    .describe(
      'What happens in a merge queue to the change of an outside contributor if suites may not ' +
        'run for it.',
    )
    .default('fail'),
  anchor: z
    .strictObject({
      since: z.string().describe('`last-release`, `30-days` (1 to 3650), or a tag or commit.'),
      fail: z.boolean().describe('Whether a drop since that commit fails the run.').default(false),
    })
    .nullable()
    .describe('An older commit with which head is compared, too; null for none.')
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

export const DEFAULT_GATE = gateSettingsSchema.parse({});

export const suiteGateSchema = z.strictObject({
  fail_on: gateSettingsSchema.shape.fail_on.unwrap().exactOptional(),
  min_drop: gateSettingsSchema.shape.min_drop.unwrap().exactOptional(),
  tolerance: gateSettingsSchema.shape.tolerance.unwrap().exactOptional(),
  min_pass_rate: gateSettingsSchema.shape.min_pass_rate.unwrap().exactOptional(),
  unit: gateSettingsSchema.shape.unit,
  metrics: gateSettingsSchema.shape.metrics,
});

export type SuiteGate = z.infer<typeof suiteGateSchema>;
