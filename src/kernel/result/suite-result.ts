import { z } from 'zod';
import { suiteGateSchema } from '../suite/gate-settings.ts';
import { withKeys, type OwnKeys, type SuiteParts } from './feature-parts.ts';
import { metricResultSchema } from './metric-result.ts';
import {
  countSchema,
  differenceSchema,
  dollarsSchema,
  ends,
  shareSchema,
  sideSchema,
  sides,
  variantSchema,
} from './pieces.ts';
import { referenceResultSchema } from './reference-result.ts';

const preferenceSchema = z.strictObject({
  metric: z.string().describe('The metric that compares.'),
  head: countSchema.describe("Comparisons in which head's answer is preferred."),
  base: countSchema.describe("Comparisons in which base's answer is preferred."),
  ties: countSchema.describe('Comparisons in which neither is.'),
  difference: differenceSchema.describe('Share preferred on head less share preferred on base.'),
  low: differenceSchema.describe(
    "Lower end of the difference's two-sided 90 % interval, which holds over all looks at " +
      'growing tries: a larger drop is ruled out.',
  ),
  high: differenceSchema.describe(
    "Upper end of the difference's two-sided 90 % interval, which holds over all looks at growing tries.",
  ),
  p: shareSchema.describe('One-sided mid-p of the sign test for "base\'s answers are preferred".'),
  gates: z.boolean().describe('The verdict rests on it: nothing else gates in the suite.'),
});

export type PreferenceSummary = z.infer<typeof preferenceSchema>;

export const becauseSchema = z.strictObject({
  key: z.string().describe('Key of the file that differs, or that one side lacks.'),
  file: z.string().describe('Its file.'),
});

const rolledSchema = z
  .strictObject({
    passes: countSchema.describe('References that pass.'),
    references: countSchema.describe('References that pass or fail.'),
  })
  .nullable();

const rollupsSchema = z.strictObject({
  policy: z.string().describe("The roll-up's name, with its number where it has one."),
  ...sides(rolledSchema, 'On {side}; null where nothing could be rolled up.'),
});

const passRateSchema = z.strictObject({
  ...sides(shareSchema.nullable(), 'On {side}; null when nothing was judged.'),
  difference: differenceSchema.nullable().describe('Head − base; null if a side is missing.'),
  ...ends(differenceSchema.nullable(), "the difference's two-sided 90 % interval."),
  p: shareSchema.nullable().describe('One-sided mid-p of "head is worse"; null when not tested.'),
});

const verdictSchema = z.enum([
  'regressed',
  'improved',
  'unchanged',
  'inconclusive',
  'new',
  'removed',
  'not_compared',
  'no_data',
]);

const verdictReasonSchema = z.strictObject({
  by: z
    .enum([
      'fall',
      'references',
      'rise',
      'bound',
      'not-lower',
      'run',
      'suspicious',
      'named',
      'metric',
      'unsettled',
      'unanswered',
      'uncompared',
      'scoring',
      'endings',
      'model',
      'unconfirmed',
    ])
    .describe(
      'Regressed by the `fall` of all, by single `references`, or because head does not answer ' +
        'what base answers (`unanswered`). Improved by the `rise` of all. ' +
        'No regression because the `bound` of the difference lies above −tolerance, ' +
        'because the rate is no lower (`not-lower`), or because the suites of the `run` say so ' +
        'together. Inconclusive because references are `suspicious` still, or were `named` as ' +
        'worse, or because a single `metric` fell beyond chance, ' +
        'or because it looks worse and five tries did not settle it (`unsettled`), ' +
        "or because references lack evidence (`uncompared`), or because head's answers fall " +
        "under base's scoring and the scoring changed too (`scoring`), or because one side's " +
        'answers were cut, withheld or refused beyond chance (`endings`), or because it fell ' +
        "against stored answers of base and base's answers of today fell too (`model`), or because " +
        'such a fall could not be confirmed today (`unconfirmed`).',
    ),
  p: shareSchema
    .nullable()
    .describe(
      'Of the test that decided, one-sided; null where none did, or where it was sequential.',
    ),
  references: z.array(z.string()).describe('Ids of the references that it is about; empty: all.'),
  metrics: z
    .array(z.string())
    .describe('Metrics that fell, the one that fell most first; empty: all together.'),
  tolerance: shareSchema.describe(
    'The drop that was to be ruled out; by all suites together where `by` is `run`.',
  ),
  unanswered: z
    .literal(true)
    .describe('Head also answers less often than base, though something before that decided.')
    .exactOptional(),
  under_base: z
    .strictObject({
      base: shareSchema.describe("Pass rate of base's answers."),
      head: shareSchema.describe("Pass rate of head's answers."),
      excused: z.boolean().describe("Head's own scoring passes them."),
    })
    .describe("Rates under base's scoring, where head clearly falls under it; absent: it does not.")
    .exactOptional(),
});

const passesSchema = z.strictObject({
  passes: countSchema.describe('Tries that passed.'),
  tries: countSchema.describe('Tries that passed or failed.'),
});

const confirmationSchema = z.strictObject({
  metric: z
    .string()
    .describe('The metric whose mean got worse; absent: it is about the verdict.')
    .exactOptional(),
  rests_on: z
    .enum(['stored', 'session'])
    .describe(
      'What the fall rested on: answers of an earlier run, or one process of a program on each side.',
    ),
  status: z
    .enum(['confirmed', 'model', 'unconfirmed'])
    .describe("`model`: base falls today, too. `unconfirmed`: today's tries show neither."),
  by: z
    .enum(['references', 'all'])
    .nullable()
    .describe('Whether single references or all together confirm it; null: not confirmed.'),
  limit: z
    .enum(['max_calls', 'max_cost_usd', 'time', 'errors'])
    .nullable()
    .describe('What ended the calls before it was settled; null: nothing did.'),
  drift: z
    .strictObject({
      stored: z.number().describe("Base's pass rate, or the metric's mean, by its stored answers."),
      today: z.number().describe("The same by base's answers of today."),
      p: shareSchema.describe('One-sided mid-p of "base is worse today".'),
    })
    .nullable()
    .describe('How far base fell since its answers were stored; null: not beyond chance.'),
  suspects: z
    .array(
      z.strictObject({
        id: z.string().describe('The reference.'),
        ...sides(passesSchema, "{Side}'s new tries."),
      }),
    )
    .describe('The references that fell most, with the pairs of tries that they got today.'),
  all: z
    .strictObject({
      references: countSchema.describe('References that were asked again.'),
      base: passesSchema.describe("Base's tries of today."),
      head: passesSchema.describe("Head's tries, which are of today, too."),
    })
    .nullable()
    .describe('All references asked again on base; null: that was not needed.'),
  stored: z
    .strictObject({
      tries: countSchema.describe('Tries with an answer of an earlier run.'),
      oldest: z
        .number()
        .nullable()
        .describe('When the oldest was made, in milliseconds since 1970; null: not known.'),
    })
    .describe('The stored answers that the comparison began with.'),
});

const evidenceSchema = z.strictObject({
  references: countSchema.describe('References that were judged on every side they ran on.'),
  of: countSchema.describe('References that should have been: all that gate and were to run.'),
  missing: z.array(z.string()).describe('Ids of the others.'),
  critical: z.array(z.string()).describe('Of these, the ones tagged `critical`.'),
});

const unitSchema = z
  .enum(['tries', 'references', 'pairs'])
  .describe(
    'What the pass rate counts: tries, references by their roll-up, or answers that are no ' +
      "worse than the other side's.",
  );

const suiteKeys = (own: OwnKeys) =>
  z.strictObject({
    path: z.string().describe('File of the prompt.'),
    name: z.string().describe('Name of the suite.'),
    variant: variantSchema.describe("Head's model and parameters."),
    base_variant: variantSchema
      .nullable()
      .describe("Base's model and parameters where they differ from head's; null: they do not."),
    because: z.array(becauseSchema).describe('Why the suite runs.'),
    gate: suiteGateSchema
      .describe('What the suite sets of the gate for itself; absent: nothing.')
      .exactOptional(),
    pass_rate: passRateSchema.describe(
      'Share of tries that pass, 0–1, over the tries that all references share.',
    ),
    verdict: verdictSchema.describe('The verdict of the comparison.'),
    unit: unitSchema,
    unasked: sideSchema
      .describe('The side that cannot answer any reference, so nothing is compared; absent: none.')
      .exactOptional(),
    reason: verdictReasonSchema
      .nullable()
      .describe('What decided the verdict; null where nothing was compared.'),
    visible_drop: shareSchema
      .nullable()
      .describe(
        'Smallest drop of the pass rate that a run of this size detects with 80 % power, 0–1; null: none.',
      ),
    compared: z
      .strictObject({
        references: countSchema.describe('References that were compared.'),
        tries: countSchema.describe('Tries of each of them.'),
      })
      .describe('What the verdict rests on.'),
    confirmation: confirmationSchema
      .describe(
        'How a fall against stored answers, or within one session of a program, was confirmed ' +
          'with new answers; absent: that was not needed.',
      )
      .exactOptional(),
    evidence: evidenceSchema.describe('How many references could be judged, of how many.'),
    references: z.array(referenceResultSchema(own)).describe('Every reference of the suite.'),
    metrics: z
      .array(metricResultSchema)
      .describe('Each metric alone: its pass rate, its numbers and its labels.'),
    rollups: rollupsSchema.describe('What the roll-up makes of the references that count.'),
  });

const allKeys = (own: OwnKeys) =>
  withKeys(suiteKeys(own), own.suite).extend({
    preference: preferenceSchema
      .nullable()
      .describe("Base's answers against head's, in suites with `pairwise_preference`.")
      .exactOptional(),
    cost_per_1000_calls: dollarsSchema
      .describe(
        'In sweeps: dollars for a thousand calls like those made, whether paid for or reused; ' +
          'null: not known.',
      )
      .exactOptional(),
  });

export function suiteResultSchema(own: OwnKeys): z.ZodType<SuiteResult> {
  return allKeys(own) as unknown as z.ZodType<SuiteResult>;
}

export type ConfirmationResult = z.infer<typeof confirmationSchema>;

export type EvidenceCount = z.infer<typeof evidenceSchema>;

export type Verdict = z.infer<typeof verdictSchema>;

export type VerdictReason = z.infer<typeof verdictReasonSchema>;

export type Because = z.infer<typeof becauseSchema>;

export type PassRate = z.infer<typeof passRateSchema>;

export type SuiteResult = z.infer<ReturnType<typeof allKeys>> & SuiteParts;
