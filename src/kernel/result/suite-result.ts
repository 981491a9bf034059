import { z } from 'zod';
import { countSchema, dollarsSchema } from '../../types/usage-totals.ts';
import { suiteGateSchema } from '../suite/gate-settings.ts';
import { withKeys, type OwnKeys, type SuiteParts } from './feature-parts.ts';
import { metricResultSchema } from './metric-result.ts';
import {
  differenceSchema,
  ends,
  passesSchema,
  shareSchema,
  sideSchema,
  sides,
  variantSchema,
} from './pieces.ts';
import { referenceResultSchema } from './reference-result.ts';

const preferenceSchema = z.strictObject({
  metric: z.string().describe('Name of the pairwise metric.'),
  head: countSchema.describe("Number of comparisons in which head's answer is preferred."),
  base: countSchema.describe("Number of comparisons in which base's answer is preferred."),
  ties: countSchema.describe('Number of comparisons in which neither answer is preferred.'),
  by_order: z
    .strictObject({
      graders: z.array(z.string()).describe('The models that compared the answers.'),
      comparisons: countSchema.describe('Number of ties in which the choice depends on the order.'),
      of: countSchema.describe('Number of comparisons that the grader made.'),
      chosen: z
        .enum(['first', 'second', 'order'])
        .describe('The answer that it chose in both orders; `order`: not always the same one.'),
    })
    .describe(
      "Set if the grader's choice depends on the order of the answers in most comparisons. " +
        'These are then no evidence.',
    )
    .exactOptional(),
  difference: differenceSchema.describe('Share preferred on head − share preferred on base.'),
  low: differenceSchema.describe(
    "Lower end of the difference's two-sided 90 % interval, which allows for interim tests. " +
      'A larger drop is ruled out.',
  ),
  high: differenceSchema.describe(
    "Upper end of the difference's two-sided 90 % interval, which allows for interim tests.",
  ),
  p: shareSchema.describe('One-sided mid-p of the sign test for "base\'s answers are preferred".'),
  gates: z
    .boolean()
    .describe(
      'Whether this metric decides the verdict, because no other metric of the suite affects ' +
        'the gate.',
    ),
});

export type PreferenceSummary = z.infer<typeof preferenceSchema>;

export const becauseSchema = z.strictObject({
  key: z.string().describe('Key that differs between the sides, or that one side lacks.'),
  file: z.string().describe('File that contains the key.'),
});

const rolledSchema = z
  .strictObject({
    passes: countSchema.describe('Number of references that pass.'),
    references: countSchema.describe('Number of references that pass or fail.'),
  })
  .nullable();

const rollupsSchema = z.strictObject({
  policy: z
    .string()
    .describe(
      "Name of the roll-up (the rule that combines a reference's tries), with its number if it " +
        'has one.',
    ),
  ...sides(rolledSchema, 'Counts on {side}; null if there are none.'),
});

const passRateSchema = z.strictObject({
  ...sides(shareSchema.nullable(), 'Pass rate on {side}; null if nothing was judged.'),
  difference: differenceSchema.nullable().describe('Head − base; null if a side is missing.'),
  ...ends(differenceSchema.nullable(), "the difference's two-sided 90 % interval."),
  p: shareSchema.nullable().describe('One-sided mid-p of "head is worse"; null if not tested.'),
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
      'values',
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
    .describe('What decided the verdict. `evaldiff explain` explains each code.'),
  p: shareSchema
    .nullable()
    .describe(
      'One-sided p of the deciding test; null if no test decided or the test was sequential.',
    ),
  references: z.array(z.string()).describe('Ids of the references that decided; empty means all.'),
  metrics: z
    .array(z.string())
    .describe('Metrics that fell, most significant first; empty means all metrics together.'),
  tolerance: shareSchema.describe(
    'The drop to rule out for a green verdict. If `by` is `run`, all suites together rule it out.',
  ),
  unanswered: z
    .literal(true)
    .describe('Set if head also answers less often than base, but another rule decided.')
    .exactOptional(),
  under_base: z
    .strictObject({
      base: shareSchema.describe("Pass rate of base's answers."),
      head: shareSchema.describe("Pass rate of head's answers."),
      excused: z.boolean().describe("Whether head's own scoring excuses the lower rate."),
    })
    .describe(
      "Pass rates when base's scoring judges both sides, if head's is lower, beyond chance.",
    )
    .exactOptional(),
});

const confirmationSchema = z.strictObject({
  metric: z
    .string()
    .describe('The metric whose mean got worse; absent if the verdict itself was to be confirmed.')
    .exactOptional(),
  rests_on: z
    .enum(['stored', 'session'])
    .describe(
      'Why the fall needed confirmation: it was measured with stored answers, or one process ' +
        'of a program gave all answers of a side.',
    ),
  status: z
    .enum(['confirmed', 'model', 'unconfirmed'])
    .describe(
      "`confirmed`: head is worse in new tries, too. `model`: base's new answers are worse " +
        'than its stored ones. `unconfirmed`: new tries show neither.',
    ),
  by: z
    .enum(['references', 'all'])
    .nullable()
    .describe(
      'What confirms the fall: individual references, or all together; null if it is not ' +
        'confirmed.',
    ),
  limit: z
    .enum(['max_calls', 'max_cost_usd', 'time', 'errors'])
    .nullable()
    .describe('The limit that ended the new calls too early; null if none did.'),
  drift: z
    .strictObject({
      stored: z.number().describe("Base's pass rate, or the metric's mean, over stored answers."),
      today: z.number().describe("The same over base's new answers."),
      p: shareSchema.describe('One-sided mid-p of "base is worse today".'),
    })
    .nullable()
    .describe(
      "How much worse base's new answers are than its stored ones; null if the difference may " +
        'be chance.',
    ),
  suspects: z
    .array(
      z.strictObject({
        id: z.string().describe('Id of the reference.'),
        ...sides(passesSchema, "{Side}'s new tries."),
      }),
    )
    .describe('The references that got worse most, with the tries of this run that count.'),
  all: z
    .strictObject({
      references: countSchema.describe('Number of references that ran again.'),
      base: passesSchema.describe("Base's new tries."),
      head: passesSchema.describe("Head's tries of the same references, which are new, too."),
    })
    .nullable()
    .describe('New tries of all references on base; null if they were not needed.'),
  stored: z
    .strictObject({
      tries: countSchema.describe('Number of tries with an answer of an earlier run.'),
      oldest: z
        .number()
        .nullable()
        .describe('Time of the oldest answer in milliseconds since 1970; null if unknown.'),
    })
    .describe('The stored answers in the first comparison.'),
});

const evidenceSchema = z.strictObject({
  references: countSchema.describe(
    'Number of references that were judged on both sides, or on the only side where they ran.',
  ),
  of: countSchema.describe(
    'Number of references that should have been judged: all that affect the gate.',
  ),
  missing: z.array(z.string()).describe('Ids of the references that were not judged.'),
  critical: z.array(z.string()).describe('Ids in `missing` that are tagged `critical`.'),
});

const unitSchema = z
  .enum(['tries', 'references', 'pairs', 'values'])
  .describe(
    'What the pass rate counts: tries, references (whose tries are combined by the roll-up), ' +
      "or answers that are not worse than the other side's. `values`: there is no pass rate, " +
      'because no metric can fail an answer by its value, and every answer was judged.',
  );

const suiteKeys = (own: OwnKeys) =>
  z.strictObject({
    path: z.string().describe('File of the prompt.'),
    name: z.string().describe('Name of the suite.'),
    variant: variantSchema.describe("Head's model and parameters."),
    base_variant: variantSchema
      .nullable()
      .describe("Base's model and parameters; null if they are the same as head's."),
    because: z.array(becauseSchema).describe('Why the suite runs.'),
    gate: suiteGateSchema.describe("The suite's own gate settings.").exactOptional(),
    pass_rate: passRateSchema.describe(
      'Share of tries that pass, 0–1. If references have different numbers of tries, only ' +
        'the tries that all of them have count.',
    ),
    verdict: verdictSchema.describe('The verdict of the comparison.'),
    unit: unitSchema,
    unasked: sideSchema
      .describe(
        'The side that cannot answer any reference. Nothing is then compared. Absent if both can.',
      )
      .exactOptional(),
    reason: verdictReasonSchema
      .nullable()
      .describe('What decided the verdict; null if nothing was compared.'),
    visible_drop: shareSchema
      .nullable()
      .describe(
        'Smallest drop of the pass rate that a run of this size detects with 80 % power, ' +
          '0–1; null if there is none.',
      ),
    compared: z
      .strictObject({
        references: countSchema.describe('Number of references that were compared.'),
        tries: countSchema.describe('Number of tries of each of these references.'),
      })
      .describe('The amount of data behind the verdict.'),
    confirmation: confirmationSchema
      .describe(
        'Whether new answers confirm a fall that was measured with stored answers, or with ' +
          'one process of a program; absent if no confirmation was needed.',
      )
      .exactOptional(),
    evidence: evidenceSchema.describe("How many of the suite's references could be judged."),
    references: z.array(referenceResultSchema(own)).describe('Every reference of the suite.'),
    metrics: z.array(metricResultSchema).describe('Pass rate, numbers and labels of each metric.'),
    rollups: rollupsSchema.describe(
      'How many references pass, of those that count for the verdict.',
    ),
  });

const allKeys = (own: OwnKeys) =>
  withKeys(suiteKeys(own), own.suite).extend({
    preference: preferenceSchema
      .nullable()
      .describe("Comparison of base's answers with head's, in suites with `pairwise_preference`.")
      .exactOptional(),
    cost_per_1000_calls: dollarsSchema
      .describe(
        'In sweeps: price in US dollars of a thousand calls like these (made or reused); ' +
          'null if unknown.',
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
