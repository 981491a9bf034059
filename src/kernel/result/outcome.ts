import { z } from 'zod';
import type { Conclusion } from '../../types/plain.ts';
import { countSchema, shareSchema, variantSchema } from './pieces.ts';
import { progress } from './reason.ts';

const suiteRates = z.strictObject({
  name: z.string().describe('The suite.'),
  variant: variantSchema
    .describe('Which of several variants of this suite it is; absent: there is one.')
    .exactOptional(),
  base: shareSchema.nullable().describe('Pass rate on base; null: nothing was judged there.'),
  head: shareSchema.nullable().describe('Pass rate on head; null: nothing was judged there.'),
});

const regressedSuite = suiteRates.extend({
  silent: z
    .strictObject({
      in: countSchema.describe('References that head does not answer and base does.'),
      of: countSchema.describe('References that should have been compared.'),
      partly: z
        .literal(true)
        .describe('Head answers some of their tries; absent: none.')
        .exactOptional(),
    })
    .describe('It regressed because head does not answer, or less often; absent: it answers.')
    .exactOptional(),
  metric: suiteRates
    .omit({ variant: true })
    .describe('The metric that fell most, with its own pass rates; absent: all together fell.')
    .exactOptional(),
  broke: z
    .array(z.string())
    .describe('References that broke though the pass rate is no lower; absent: the rate fell.')
    .exactOptional(),
});

const poolSchema = z
  .strictObject({
    suites: z.array(suiteRates).describe('Every suite that is compared, with its rates.'),
    base: shareSchema.describe('Pass rate on base over all questions.'),
    head: shareSchema.describe('Pass rate on head over all questions.'),
  })
  .describe('The pass rate over all suites together fell; absent: it did not.')
  .exactOptional();

const judgedCountsSchema = z
  .strictObject({
    references: countSchema.describe('References that could be judged.'),
    of: countSchema.describe('References that should have been.'),
  })
  .nullable()
  .describe('How many references could be judged, where it is not all; else null.')
  .exactOptional();

const kind = <const K extends string>(name: K) => z.literal(name).describe('Which outcome it is.');

const ungraded = z
  .strictObject({
    tries: countSchema.describe('Tries without a readable grade.'),
    of: countSchema.describe('Tries of these suites.'),
  })
  .nullable()
  .describe('Tries without a readable grade, where they are too many to say nothing; else null.');

const worse = countSchema.describe(
  'References that got worse in suites that are not called regressed themselves.',
);

const failsSchema = z.boolean().describe('False: what was found may not fail (fail_on is never).');

const ran = countSchema.describe('Suites that ran.');

const regressed = z
  .strictObject({
    kind: kind('regressed'),
    suites: z.array(regressedSuite).describe('The suites that regressed.'),
    pool: poolSchema,
    fails: failsSchema,
    ungraded,
    evidence: judgedCountsSchema,
  })
  .describe('A suite got worse.');

const failed = z
  .strictObject({
    kind: kind('failed'),
    fails: failsSchema,
    ungraded,
    evidence: judgedCountsSchema,
  })
  .describe('No suite regressed, and a gate that the settings ask for is not met.');

const namedReference = z.strictObject({
  suite: z.string().describe('Name of its suite.'),
  id: z.string().describe('Its id.'),
});

/** What a run came to. Every surface renders this one value; only `judge/outcome.ts` makes it. */
export const runOutcomeSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({ kind: kind('cancelled'), ...progress })
    .describe('The job was cancelled, as by a newer commit.'),
  z
    .strictObject({
      kind: kind('nothing-to-run'),
      rubrics: countSchema.describe('Rubrics that were tested.'),
    })
    .describe('Nothing that changed touches a reference; `rubrics` were tested on examples.'),
  z
    .strictObject({
      kind: kind('not-evaluated'),
      problems: countSchema.describe('Problems to fix.'),
    })
    .describe('The configuration, or code that scores, has to be fixed first: nothing was judged.'),
  z
    .strictObject({ kind: kind('not-judged') })
    .describe('It ran, and what came back allows no verdict.'),
  z
    .strictObject({ kind: kind('ended-early'), ...progress })
    .describe('It was ended before its tries were enough for a verdict.'),
  z
    .strictObject({ kind: kind('waiting'), ...progress })
    .describe('A vendor still works on a batch, which the next run picks up.'),
  z
    .strictObject({
      kind: kind('without-keys'),
      judged: z.boolean().describe('What needs no key was judged.'),
    })
    .describe('GitHub gave the run no keys; `judged`: what needs none was judged.'),
  z
    .strictObject({ kind: kind('no-verdict'), ungraded, evidence: judgedCountsSchema })
    .describe('Nothing that counts could be judged, and nobody is at fault.'),
  z
    .strictObject({ kind: kind('not-comparable'), ungraded, evidence: judgedCountsSchema })
    .describe('Head puts something of its own in the place of a model that base asks.'),
  z
    .strictObject({
      kind: kind('only-removed'),
      references: countSchema.describe('References that are gone.'),
    })
    .describe('The change only removes references, or skips them.'),
  regressed,
  failed,
  z
    .strictObject({
      kind: kind('overridden'),
      by: z.discriminatedUnion('kind', [regressed, failed]).describe('The red verdict.'),
    })
    .describe('A red verdict that a label on the pull request set aside.'),
  z
    .strictObject({
      kind: kind('inconclusive'),
      suites: countSchema.describe('Suites that are inconclusive.'),
      ran,
      worse,
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('It may be worse, and the tries were too few to say.'),
  z
    .strictObject({
      kind: kind('model-changed'),
      suites: z
        .array(suiteRates)
        .describe(
          "The suites whose pass rate fell with the model; `base`: base's rate by stored answers, " +
            '`head`: base again, by answers of today.',
        ),
      fails: z.boolean().describe('True under `on_inconclusive: fail`.'),
      ran,
      worse,
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('What fell against stored answers falls on base today, too: the model changed.'),
  z
    .strictObject({
      kind: kind('fixed'),
      references: z
        .array(namedReference)
        .describe('References that failed on base and pass on head, beyond chance.'),
      ran,
      worse,
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('References that failed on base were fixed, and no suite got worse.'),
  z
    .strictObject({
      kind: kind('new-failing'),
      references: z.array(namedReference).describe('New references that fail on head.'),
      of: countSchema.describe('New references that ran.'),
      ran,
      worse,
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('No suite got worse, and a new reference fails.'),
  z
    .strictObject({
      kind: kind('improved'),
      suites: z.array(suiteRates).describe('The suites that improved.'),
      ran,
      worse,
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('A suite got better and none worse.'),
  z
    .strictObject({
      kind: kind('no-regression'),
      references: countSchema.describe('References that the change affects.'),
      fresh: countSchema
        .describe('Of them, those of new suites, which are compared with nothing; absent: none.')
        .exactOptional(),
      ran,
      worse,
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('No suite got worse, as far as these suites can see.'),
  z
    .strictObject({
      kind: kind('scoring-changed'),
      suites: z
        .array(z.string())
        .describe('The suites whose answers pass at another rate, the largest change first.'),
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('Only the scoring changed: the same answers, judged another way.'),
  z
    .strictObject({
      kind: kind('evaluated'),
      suites: countSchema.describe('Suites of the sweep, each variant for itself.'),
      references: countSchema.describe('References that ran, in all of them.'),
      lowest: shareSchema
        .nullable()
        .describe('The lowest pass rate; null: none could be worked out.'),
      highest: shareSchema.nullable().describe('The highest pass rate.'),
      ungraded,
      evidence: judgedCountsSchema,
    })
    .describe('A full sweep: nothing is compared, so nothing regressed.'),
]);

export type RunOutcome = z.infer<typeof runOutcomeSchema>;

export type OutcomeKind = RunOutcome['kind'];

export type OutcomeOf<K extends OutcomeKind> = Extract<RunOutcome, { kind: K }>;

export const CONCLUSIONS: Readonly<Record<OutcomeKind, Conclusion>> = {
  cancelled: 'neutral',
  'nothing-to-run': 'success',
  'not-evaluated': 'error',
  'not-judged': 'error',
  'ended-early': 'error',
  waiting: 'neutral',
  'without-keys': 'neutral',
  'no-verdict': 'neutral',
  'not-comparable': 'neutral',
  'only-removed': 'neutral',
  regressed: 'failure',
  failed: 'failure',
  overridden: 'neutral',
  inconclusive: 'neutral',
  // Unless it does not fail.
  'model-changed': 'failure',
  fixed: 'success',
  'new-failing': 'success',
  improved: 'success',
  'no-regression': 'success',
  'scoring-changed': 'success',
  evaluated: 'success',
};

export function conclusionOf(outcome: RunOutcome): Conclusion {
  const held = 'fails' in outcome && !outcome.fails;
  return held ? 'neutral' : CONCLUSIONS[outcome.kind];
}
