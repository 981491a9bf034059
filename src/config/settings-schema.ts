import { z } from 'zod';
import { FILE_LIMITS } from '../documents/limits.ts';
import {
  DEFAULT_GATE,
  gateSettingsSchema,
  suiteGateSchema,
  type GateSettings,
} from '../kernel/suite/gate-settings.ts';
import type { OwnSettings } from '../project/settings.ts';
import { TRANSPORTS, UNBOUNDED, gradersSchema, modelChoice, modelSchema } from './models.ts';
import {
  closed,
  filled,
  listOf,
  mapOf,
  numberBetween,
  oneOf,
  optional,
  scalar,
  wholeNumber,
} from './schema.ts';

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
  return z
    .union([z.literal('auto', { error }), z.number({ error }).gt(0, { error }).max(1, { error })], {
      error,
    })
    .describe(gate.tolerance.unwrap().description ?? '');
}

const MOST_DAYS = 3650;

function isTooLongAgo(since: string): boolean {
  const [, days] = /^(\d+)-days$/.exec(since) ?? [];
  return days !== undefined && (Number(days) < 1 || Number(days) > MOST_DAYS);
}

const { shape: gate } = gateSettingsSchema;

const wholeAnchor = gate.anchor.unwrap().unwrap().shape;

const anchor = closed({
  ...wholeAnchor,
  since: filled()
    .refine((since) => !isTooLongAgo(since), {
      error: `must be 1-days to ${MOST_DAYS}-days`,
    })
    .describe(wholeAnchor.since.description ?? ''),
}).nullable();

/** Results may hold wider values than settings, because older versions wrote them. */
export const suiteGateMembers = {
  ...suiteGateSchema.shape,
  tolerance: tolerance().exactOptional(),
};

/** What each preset changes in the defaults. */
const GATE_PRESETS = {
  strict: { on_inconclusive: 'fail', removed: 'fail', scoring: 'fail', new: 'fail' },
  normal: {},
  lenient: { gate_on: 'suite', churn: 'accept' },
} as const satisfies Record<string, Partial<GateSettings>>;

const preset = oneOf(['strict', 'normal', 'lenient']).describe(
  'strict: inconclusive suites, removed and failing new references and changed scoring also ' +
    'make a run red. lenient: only suites and critical references do.',
);

/** The schema shows the default, but only `preset` decides it. */
function withoutDefault(key: z.ZodType): z.ZodType {
  return key instanceof z.ZodDefault
    ? (key.unwrap() as z.ZodType).exactOptional().meta({ default: key.def.defaultValue })
    : key;
}

const gateMembers = {
  ...gate,
  tolerance: tolerance().default(DEFAULT_GATE.tolerance),
  alpha: numberBetween(0.0001, 0.5)
    .describe(gate.alpha.unwrap().description ?? '')
    .default(DEFAULT_GATE.alpha),
  anchor: anchor.describe(gate.anchor.unwrap().description ?? '').default(DEFAULT_GATE.anchor),
};

const settingsGateSchema = z
  .union(
    [
      preset.transform((name) => ({ preset: name })),
      closed({
        preset: preset.default('normal'),
        ...Object.fromEntries(
          Object.entries(gateMembers).map(([key, member]) => [key, withoutDefault(member)]),
        ),
      }),
    ],
    { error: 'must be strict, normal or lenient, or a map like { preset: strict, new: report }' },
  )
  .transform(({ preset: name, ...own }): GateSettings => ({
    ...DEFAULT_GATE,
    ...GATE_PRESETS[name],
    ...own,
  }))
  .describe('When a run is red.')
  .prefault({});

const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

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
    ...optional({
      models: mapOf(modelSchema, 'a map of model names').describe(
        'Models by the name that prompts use. List only models that need settings.',
      ),
      transport: oneOf(TRANSPORTS).describe(
        'How full sweeps call models whose vendor offers batches: direct (the default), or ' +
          'batch, which is cheaper but may take a day.',
      ),
      grader: gradersSchema.describe(
        'The model that grades: its name, a map with model and parameters, or a list of an ' +
          'odd number of models, which vote.',
      ),
      embeddings: modelChoice().describe('The embedding model for embedding_similarity.'),
      sweep: mapOf(
        z
          .union([scalar(), listOf(scalar()).min(1, { error: 'must not be empty' })], {
            error: 'must be a value or a list of values',
          })
          .transform((values) => [values].flat()),
      ).describe(
        'Values of the model and of parameters. A full sweep runs every combination of them.',
      ),
    }),
    gate: settingsGateSchema,
    budget: budgetSchema,
  };
}

export function ownMembers(own: readonly OwnSettings[]): z.ZodRawShape {
  return Object.fromEntries(own.map(({ key, schema }) => [key, schema]));
}

export function settingsSchema(own: readonly OwnSettings[]) {
  return closed({ ...settingsMembers(), ...ownMembers(own) });
}
