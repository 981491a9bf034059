import { z } from 'zod';
import { NOT_JUDGED } from '../../errors.ts';
import type { Conclusion } from '../../types/plain.ts';
import { countSchema, shareSchema, sides } from './pieces.ts';
import { progress } from './reason.ts';

function outcome<const K extends string, S extends z.core.$ZodLooseShape>(
  kind: K,
  about: string,
  figures: S,
) {
  const named = z.literal(kind).describe('Which outcome it is.');
  return z.strictObject({ kind: named, ...figures }).describe(about);
}

const fails = z.boolean().describe('False: what was found may not fail the run.');

const pool = z
  .strictObject({
    ...sides(shareSchema, 'Pass rate on {side} over all questions.'),
  })
  .describe('The pass rate over all suites together fell; absent: it did not.')
  .exactOptional();

const regressed = outcome('regressed', 'A suite got worse.', { pool, fails });

const failed = outcome(
  'failed',
  'No suite regressed, and a gate that the settings ask for is not met.',
  { fails },
);

/**
 * The gate decides the outcome (`judge/run-rules.ts`), except for `not-evaluated`, `without-keys`
 * and `overridden`, which the app adds.
 */
export const runOutcomeSchema = z.discriminatedUnion('kind', [
  outcome(
    'cancelled',
    'The job was cancelled before its tries were enough: by a newer commit, by hand or by its timeout.',
    progress,
  ),
  outcome(
    'nothing-to-run',
    'Nothing that changed touches a reference; `rubrics` were tested on examples.',
    { rubrics: countSchema.describe('Rubrics that were tested.') },
  ),
  outcome(
    'not-evaluated',
    'The configuration, or code that scores, has to be fixed first: nothing was judged.',
    { problems: countSchema.describe('Problems to fix.') },
  ),
  outcome('not-judged', 'It ran, and what came back allows no verdict.', {}),
  outcome('ended-early', 'It was ended before its tries were enough for a verdict.', progress),
  outcome('waiting', 'A vendor still works on a batch, which the next run picks up.', progress),
  outcome('without-keys', 'GitHub gave the run no keys; `judged`: what needs none was judged.', {
    judged: z.boolean().describe('What needs no key was judged.'),
  }),
  outcome('no-verdict', 'Nothing that counts could be judged, and that is not an error.', {}),
  outcome('not-comparable', 'Head replaces a model that base asks.', {}),
  outcome('only-removed', 'The change only removes references, or skips them.', {
    references: countSchema.describe('References that are gone.'),
  }),
  regressed,
  failed,
  outcome('overridden', 'A red verdict that a label on the pull request set aside.', {
    by: z.discriminatedUnion('kind', [regressed, failed]).describe('The red verdict.'),
  }),
  outcome('inconclusive', 'It may be worse, and the tries were too few to say.', {}),
  outcome(
    'model-changed',
    'What fell against stored answers falls on base today, too: the model changed.',
    { fails: z.boolean().describe('True under `on_inconclusive: fail`.') },
  ),
  outcome('fixed', 'References that failed on base were fixed, and no suite got worse.', {}),
  outcome('new-failing', 'No suite got worse, and a new reference fails.', {}),
  outcome('improved', 'A suite got better and none worse.', {}),
  outcome('no-regression', 'No suite got worse, as far as these suites can see.', {}),
  outcome('scoring-changed', 'Only the scoring changed: the same answers, judged another way.', {}),
  outcome('evaluated', 'A full sweep: nothing is compared, so nothing regressed.', {}),
]);

export type RunOutcome = z.infer<typeof runOutcomeSchema>;

export type OutcomeKind = RunOutcome['kind'];

export type OutcomeOf<K extends OutcomeKind> = Extract<RunOutcome, { kind: K }>;

/** Null means a failure if the outcome `fails`, and neutral otherwise. */
export const CONCLUSIONS: Readonly<Record<OutcomeKind, Conclusion | null>> = {
  cancelled: 'error',
  'nothing-to-run': 'success',
  'not-evaluated': 'error',
  'not-judged': 'error',
  'ended-early': 'error',
  waiting: 'neutral',
  'without-keys': 'neutral',
  'no-verdict': 'neutral',
  'not-comparable': 'neutral',
  'only-removed': 'neutral',
  regressed: null,
  failed: null,
  overridden: 'neutral',
  inconclusive: 'neutral',
  'model-changed': null,
  fixed: 'success',
  'new-failing': 'success',
  improved: 'success',
  'no-regression': 'success',
  'scoring-changed': 'success',
  evaluated: 'success',
};

export function conclusionOf(outcome: RunOutcome): Conclusion {
  const isRed = 'fails' in outcome && outcome.fails;
  return CONCLUSIONS[outcome.kind] ?? (isRed ? 'failure' : 'neutral');
}

/**
 * 0: pass or inconclusive. 1: the gate failed. 2: the configuration or infrastructure prevented a
 * verdict.
 */
export function exitCode(conclusion: Conclusion): 0 | 1 | 2 {
  if (conclusion === 'error') return NOT_JUDGED;
  return conclusion === 'failure' ? 1 : 0;
}
