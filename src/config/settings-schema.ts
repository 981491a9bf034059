import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits } from '../documents/limits.ts';
import {
  DEFAULT_GATE,
  gateSettingsSchema,
  type GateSettings,
} from '../kernel/suite/gate-settings.ts';
import { TRANSPORTS, UNBOUNDED, gradersSchema, modelChoice, modelSchema } from './models.ts';
import {
  closed,
  filled,
  flag,
  listOf,
  mapOf,
  number,
  oneOf,
  scalar,
  anyText,
  wholeNumber,
} from './schema.ts';

export const FAIL_ON = ['regression', 'failure', 'never'] as const;

const globs = () =>
  z.union([filled(), listOf(filled())], {
    error: 'must be a pattern like prompts/*.yaml, or a list of them',
  });

/** A number of tries: a whole number, or `adaptive`. */
export function tries(limits: Limits) {
  const error = `must be a whole number from 1 to ${limits.tries}, or adaptive`;
  return z.union(
    [
      z.literal('adaptive', { error }),
      z.int({ error }).min(1, { error }).max(limits.tries, { error }),
    ],
    { error },
  );
}

/** The tolerated drop, above 0: no number of tries can rule out every drop. */
function tolerance() {
  const error =
    'must be auto, or a number above 0 up to 1 like 0.05: that no drop at all is possible can never be shown';
  return z.union(
    [z.literal('auto', { error }), z.number({ error }).gt(0, { error }).max(1, { error })],
    { error },
  );
}

const qualevalSwitch = () =>
  z.union([oneOf(['auto', 'on', 'off']), flag()], { error: 'must be one of auto, on, off' });

const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

/** Descriptions shared with the result. */
function meaning(key: keyof GateSettings): string {
  const { description = '' } = gateSettingsSchema.shape[key];
  return `${description} Default: ${String(DEFAULT_GATE[key] ?? 'none')}.`;
}

/** Gate settings that a suite may override. */
export const suiteGateMembers = {
  fail_on: oneOf(FAIL_ON).describe(meaning('fail_on')).optional(),
  min_drop: number(0, 1).describe(meaning('min_drop')).optional(),
  tolerance: tolerance().describe(meaning('tolerance')).optional(),
  min_pass_rate: orNull(number(0, 1)).describe(meaning('min_pass_rate')).optional(),
  unit: oneOf(['tries', 'references'])
    .describe('What is compared: tries (the default), or what the roll-up makes of each reference.')
    .optional(),
  metrics: mapOf(
    oneOf(['fail', 'warn', 'ignore']),
    'a map of metric names like { politeness: fail }',
  )
    .describe(
      'What a metric whose mean got worse does to the run, by name: fail, warn (the default of those that know a direction) or ignore.',
    )
    .optional(),
};

const gateSchema = closed({
  ...suiteGateMembers,
  alpha: number(0.0001, 0.5).describe(meaning('alpha')).optional(),
  gate_on: oneOf(['suite+references', 'suite']).describe(meaning('gate_on')).optional(),
  on_inconclusive: oneOf(['pass', 'fail']).describe(meaning('on_inconclusive')).optional(),
  scoring: oneOf(['warn', 'fail']).describe(meaning('scoring')).optional(),
  yardstick: oneOf(['warn', 'fail']).describe('Old name of scoring.').optional(),
  removed: oneOf(['warn', 'fail']).describe(meaning('removed')).optional(),
  attributes: oneOf(['advise', 'fail']).describe(meaning('attributes')).optional(),
})
  .describe('When a run is red.')
  .optional();

const budgetSchema = closed({
  max_calls: orNull(wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .describe('Most calls of one run. Default: 5000; null: no cap.')
    .optional(),
  max_cost_usd: orNull(number(0, UNBOUNDED))
    .describe('Most dollars that one run may cost. Default: 20; null: no cap.')
    .optional(),
})
  .describe('Caps on what one run may ask and cost.')
  .optional();

const qualevalSchema = z
  .union(
    [
      qualevalSwitch(),
      closed({
        enabled: qualevalSwitch().describe('auto (the default), on or off.').optional(),
        attributes: filled()
          .describe('File of the attributes that people chose. Default: evaldiff.attributes.yaml.')
          .optional(),
        max_attributes: wholeNumber(1, 50)
          .describe('Most attributes of each kind. Default: 15.')
          .optional(),
        slack: number(0, 1)
          .describe(
            "How far the number of an attribute's references may lie off its prior, as a share. Default: 0.1.",
          )
          .optional(),
        alignment: flag()
          .describe('Rate answers too, for the skill alignment. Default: false.')
          .optional(),
        metric: filled()
          .describe(
            'The metric whose passes are counted, and whose numbers are averaged. Default: tries as a whole.',
          )
          .optional(),
      }),
    ],
    {
      error: 'must be one of auto, on, off, or a map like { enabled: on, max_attributes: 10 }',
    },
  )
  .describe('Which domains and sub-tasks of the references changed (QualEval).')
  .optional();

const explainSchema = closed({
  max_calls: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .describe(
      'Most calls of a run that look for the lines which made something worse; 0: none. Default: half of what the comparison took, 120 to 200.',
    )
    .optional(),
  fix: flag()
    .describe('Look for a fix of these lines, too, and suggest one that was run. Default: false.')
    .optional(),
})
  .describe('Which changed lines made something worse, found by experiment.')
  .optional();

/** The keys of `evaldiff.yaml`. */
export function settingsMembers(limits: Limits) {
  return {
    prompts: globs()
      .describe('Patterns of the prompt files. Default: prompts/*.yaml and *.yml.')
      .optional(),
    rubrics: globs()
      .describe('Patterns of the rubric files. Default: rubrics/*.yaml and *.yml.')
      .optional(),
    n_tries: tries(limits)
      .describe(
        'Tries of each reference on each side: a whole number, or adaptive (the default), which makes two and more only where the verdict is open.',
      )
      .optional(),
    seed: wholeNumber(0, 2 ** 32 - 1)
      .describe('Seed of everything that is drawn at random. Default: 1.')
      .optional(),
    models: mapOf(modelSchema, 'a map of model names')
      .describe(
        'Models by the name that prompts use. A model that needs no settings need not be here.',
      )
      .optional(),
    transport: oneOf(TRANSPORTS)
      .describe(
        'How full sweeps ask the models of vendors that have batches: direct (the default), or batch, which is cheaper and may take a day.',
      )
      .optional(),
    grader: gradersSchema
      .describe(
        'The model that grades: its name, a map with model and parameters, or an odd number of them that vote.',
      )
      .optional(),
    embeddings: modelChoice()
      .describe('The model whose vectors embedding_similarity compares.')
      .optional(),
    sweep: mapOf(
      z.union([scalar(), listOf(scalar()).min(1, { error: 'must not be empty' })], {
        error: 'must be a value or a list of values',
      }),
    )
      .describe('Values of model and parameters that a full sweep tries, in every combination.')
      .optional(),
    gate: gateSchema,
    budget: budgetSchema,
    qualeval: qualevalSchema,
    explain: explainSchema,
    version: z
      .union([anyText(), number(0, UNBOUNDED), z.null()], { error: 'must be text' })
      .describe("Of llmeval's settings; it has no meaning here.")
      .optional(),
  };
}

/** The schema of `evaldiff.yaml`. */
export function settingsSchema(limits: Limits = DEFAULT_LIMITS) {
  return closed(settingsMembers(limits));
}
