import { z } from 'zod';
import { NOT_JUDGED } from '../../errors.ts';
import type { Conclusion } from '../../types/plain.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { shareSchema, sides } from './pieces.ts';
import { progress } from './reason.ts';

function outcome<const K extends string, S extends z.core.$ZodLooseShape>(
  kind: K,
  about: string,
  figures: S,
) {
  const named = z.literal(kind).describe('Kind of the outcome.');
  return z.strictObject({ kind: named, ...figures }).describe(about);
}

const fails = z.boolean().describe('Whether this fails the run; false if `fail_on` is `never`.');

const pool = z
  .strictObject({
    ...sides(shareSchema, 'Pass rate on {side} over all questions.'),
  })
  .describe('Pass rates of all suites together, if they fell.')
  .exactOptional();

const regressed = outcome('regressed', 'A suite, or all together, got worse.', { pool, fails });

const failed = outcome('failed', 'No suite regressed, but another condition under `gate` failed.', {
  fails,
});

/** The app sets `not-evaluated`, `without-keys` and `overridden`. The gate sets the others. */
export const runOutcomeSchema = z.discriminatedUnion('kind', [
  outcome(
    'cancelled',
    'The job was cancelled before it had enough tries: by a newer commit, by hand or by its timeout.',
    progress,
  ),
  outcome(
    'nothing-to-run',
    'The change affects no reference. `rubrics` is the number of rubrics tested on examples.',
    { rubrics: countSchema.describe('Number of rubrics that were tested.') },
  ),
  outcome(
    'not-evaluated',
    'Nothing was judged, because the configuration or the scoring code has errors.',
    { problems: countSchema.describe('Number of problems to fix.') },
  ),
  outcome(
    'not-judged',
    'The run ended without a verdict, because of errors in its tries or unreadable grades.',
    {},
  ),
  outcome('ended-early', 'The run ended before it had enough tries for a verdict.', progress),
  outcome('waiting', 'A vendor is still processing a batch. The next run collects it.', progress),
  outcome('without-keys', 'GitHub gave the run no keys.', {
    judged: z.boolean().describe('Whether suites that need no key were judged.'),
  }),
  outcome(
    'no-verdict',
    'No test that counts for the verdict could be judged, although there was no error.',
    {},
  ),
  outcome('not-comparable', 'Head replaces a model that base calls.', {}),
  outcome('only-removed', 'The change only removes or skips references.', {
    references: countSchema.describe('Number of references that were removed or skipped.'),
  }),
  regressed,
  failed,
  outcome('overridden', 'A label on the pull request overrides a red verdict.', {
    by: z.discriminatedUnion('kind', [regressed, failed]).describe('The red verdict.'),
  }),
  outcome('inconclusive', 'Head may be worse, but there were too few tries to decide.', {}),
  outcome(
    'model-changed',
    "The model changed: base's new answers are worse than its stored answers, too.",
    { fails: z.boolean().describe('True under `on_inconclusive: fail`.') },
  ),
  outcome('fixed', 'References that failed on base were fixed, and no suite got worse.', {}),
  outcome('new-failing', 'No suite got worse, but a new reference fails.', {}),
  outcome('improved', 'A suite got better, and no suite got worse.', {}),
  outcome('no-regression', 'No suite got worse by an amount that these suites can detect.', {}),
  outcome(
    'scoring-changed',
    'Only the scoring changed: the same answers are judged differently.',
    {},
  ),
  outcome('evaluated', 'A full sweep: nothing is compared, so nothing regressed.', {}),
]);

export type RunOutcome = z.infer<typeof runOutcomeSchema>;

export type OutcomeKind = RunOutcome['kind'];

export type OutcomeOf<K extends OutcomeKind> = Extract<RunOutcome, { kind: K }>;

/** The check's conclusion. Null: failure if the outcome's `fails` is true, else neutral. */
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

/** 0: pass or inconclusive. 1: the gate failed. 2: an error prevented a verdict. */
export function exitCode(conclusion: Conclusion): 0 | 1 | 2 {
  if (conclusion === 'error') return NOT_JUDGED;
  return conclusion === 'failure' ? 1 : 0;
}
