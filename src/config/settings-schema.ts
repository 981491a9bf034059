import { z } from 'zod';
import { FILE_LIMITS } from '../documents/limits.ts';
import {
  DEFAULT_GATE,
  gateSettingsSchema,
  type GateSettings,
} from '../kernel/suite/gate-settings.ts';
import type { OwnSettings } from '../project/settings.ts';
import { TRANSPORTS, UNBOUNDED, gradersSchema, modelChoice, modelSchema } from './models.ts';
import {
  closed,
  filled,
  flag,
  listOf,
  mapOf,
  numberBetween,
  oneOf,
  scalar,
  anyText,
  wholeNumber,
} from './schema.ts';

export const FAIL_ON = ['regression', 'failure', 'never'] as const;

const globs = (folder: string) =>
  z
    .union([filled(), listOf(filled())], {
      error: 'must be a pattern like prompts/*.yaml, or a list of them',
    })
    .transform((written) => (typeof written === 'string' ? [written] : written))
    .default([`${folder}/*.{yaml,yml}`]);

export function tries() {
  const error = `must be a whole number from 1 to ${FILE_LIMITS.tries}, or adaptive`;
  return z.union(
    [
      z.literal('adaptive', { error }),
      z.int({ error }).min(1, { error }).max(FILE_LIMITS.tries, { error }),
    ],
    { error },
  );
}

function tolerance() {
  const error =
    'must be auto, or a number above 0 and up to 1, such as 0.05; it cannot be 0, because no ' +
    'number of tries can rule out every drop';
  return z.union(
    [z.literal('auto', { error }), z.number({ error }).gt(0, { error }).max(1, { error })],
    { error },
  );
}

const MOST_DAYS = 3650;

function isTooLongAgo(since: string): boolean {
  const [, days] = /^(\d+)-days$/.exec(since) ?? [];
  return days !== undefined && (Number(days) < 1 || Number(days) > MOST_DAYS);
}

const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

function gateDescription(key: keyof GateSettings): string {
  const field = gateSettingsSchema.shape[key];
  return (field instanceof z.ZodDefault ? field.unwrap() : field).description ?? '';
}

const defaulted = <Key extends keyof GateSettings, T extends z.ZodType<GateSettings[Key]>>(
  key: Key,
  schema: T,
) => schema.describe(gateDescription(key)).default(DEFAULT_GATE[key] as never);

export const suiteGateMembers = {
  fail_on: oneOf(FAIL_ON).describe(gateDescription('fail_on')).exactOptional(),
  min_drop: numberBetween(0, 1).describe(gateDescription('min_drop')).exactOptional(),
  tolerance: tolerance().describe(gateDescription('tolerance')).exactOptional(),
  min_pass_rate: orNull(numberBetween(0, 1))
    .describe(gateDescription('min_pass_rate'))
    .exactOptional(),
  unit: oneOf(['tries', 'references'])
    .describe(
      'What is compared: tries (the default), or references, whose tries the roll-up ' +
        'combines into one result.',
    )
    .exactOptional(),
  metrics: mapOf(
    oneOf(['fail', 'warn', 'ignore']),
    'a map of metric names like { politeness: fail }',
  )
    .describe(
      "What happens to the run if a metric's mean gets worse, by the metric's name: fail, " +
        'warn (the default if it is known whether higher or lower is better) or ignore.',
    )
    .exactOptional(),
};

const { fail_on, min_drop, tolerance: tolerated, min_pass_rate, ...further } = suiteGateMembers;

const settingsGateSchema = closed({
  fail_on: defaulted('fail_on', fail_on.unwrap()),
  min_drop: defaulted('min_drop', min_drop.unwrap()),
  tolerance: defaulted('tolerance', tolerated.unwrap()),
  min_pass_rate: defaulted('min_pass_rate', min_pass_rate.unwrap()),
  ...further,
  alpha: defaulted('alpha', numberBetween(0.0001, 0.5)),
  gate_on: defaulted('gate_on', oneOf(['suite+references', 'suite'])),
  churn: defaulted('churn', oneOf(['gate', 'accept'])),
  on_inconclusive: defaulted('on_inconclusive', oneOf(['pass', 'fail'])),
  scoring: defaulted('scoring', oneOf(['warn', 'fail'])),
  removed: defaulted('removed', oneOf(['warn', 'fail'])),
  new: defaulted('new', oneOf(['report', 'fail'])),
  untrusted: defaulted('untrusted', oneOf(['fail', 'pass'])),
  anchor: defaulted(
    'anchor',
    orNull(
      closed({
        since: filled()
          .refine((since) => !isTooLongAgo(since), {
            error: `must be 1-days to ${String(MOST_DAYS)}-days`,
          })
          .describe('last-release, 30-days (1 to 3650), or a tag or commit.'),
        fail: flag().describe('Whether a drop since that commit fails the run.').default(false),
      }),
    ),
  ),
  attributes: defaulted('attributes', oneOf(['advise', 'fail'])),
})
  .transform((gate): GateSettings => ({ ...DEFAULT_GATE, ...gate }))
  .describe('When a run is red.')
  .prefault({});

export const DEFAULT_CAPS = { max_calls: 5000, max_cost_usd: 20 } as const;

const budgetSchema = closed({
  max_calls: orNull(wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .describe('Maximum number of model calls per run; null: no limit.')
    .default(DEFAULT_CAPS.max_calls),
  max_cost_usd: orNull(numberBetween(0, UNBOUNDED))
    .describe('Maximum cost per run in US dollars; null: no limit.')
    .default(DEFAULT_CAPS.max_cost_usd),
})
  .describe('Limits on the calls and the cost of each run.')
  .prefault({});

export function settingsMembers() {
  return {
    prompts: globs('prompts').describe('Patterns of the prompt files.'),
    rubrics: globs('rubrics').describe('Patterns of the rubric files.'),
    n_tries: tries()
      .describe(
        'Number of tries of each reference on each side, or adaptive: two tries, and more ' +
          'only while the verdict is undecided.',
      )
      .default('adaptive'),
    seed: wholeNumber(0, 2 ** 32 - 1)
      .describe('Seed of all random choices.')
      .default(1),
    models: mapOf(modelSchema, 'a map of model names')
      .describe('Models by the name that prompts use. List only models that need settings.')
      .optional(),
    transport: oneOf(TRANSPORTS)
      .describe(
        'How full sweeps call models whose vendor offers batches: direct (the default), or ' +
          'batch, which is cheaper but may take a day.',
      )
      .optional(),
    grader: gradersSchema
      .describe(
        'The model that grades: its name, a map with model and parameters, or a list of an ' +
          'odd number of models, which vote.',
      )
      .optional(),
    embeddings: modelChoice().describe('The embedding model for embedding_similarity.').optional(),
    sweep: mapOf(
      z
        .union([scalar(), listOf(scalar()).min(1, { error: 'must not be empty' })], {
          error: 'must be a value or a list of values',
        })
        .transform((values) => [values].flat()),
    )
      .describe(
        'Values of the model and of parameters. A full sweep runs every combination of them.',
      )
      .optional(),
    gate: settingsGateSchema,
    budget: budgetSchema,
    version: z
      .union([anyText(), numberBetween(0, UNBOUNDED), z.null()], { error: 'must be text' })
      .describe('A setting of llmeval; ignored here.')
      .optional(),
  };
}

export function ownMembers(own: readonly OwnSettings[]): z.ZodRawShape {
  return Object.fromEntries(own.map(({ key, schema }) => [key, schema]));
}

export function settingsSchema(own: readonly OwnSettings[]) {
  return closed({ ...settingsMembers(), ...ownMembers(own) });
}
