import type { Score, Tally } from '../../types/metric.ts';
import type { Evaluate } from '../../types/model.ts';
import type { Side } from '../../types/plain.ts';
import { identityOf, type ReferenceRun, type SuiteRun } from '../plan/suite-run.ts';
import type { TryResult } from '../result/reference-result.ts';
import { scoreCount, scoreNames, type Scoring } from '../select/scoring.ts';
import { countOutcomes } from '../statistics/table.ts';
import type { Rollup } from '../suite/suite.ts';

/** llmeval's four counts (num_passes and num_fails include skipped scores), and four of our own. */
export function tallyOf(tries: readonly TryResult[], metrics: number, skipped: boolean): Tally {
  const scores = tries.flatMap((tryResult) => tryResult.scores);
  const count = (status: Score['status'], onlySkipped = false): number =>
    scores.filter((score) => score.status === status && (!onlySkipped || skipped || score.skip))
      .length;
  return {
    num_passes: count('pass'),
    num_fails: count('fail'),
    num_skip_passes: count('pass', true),
    num_skip_fails: count('fail', true),
    num_tries: tries.length,
    num_metrics: metrics,
    num_ungraded: count('ungraded'),
    num_errors:
      count('error') +
      tries.filter(({ outcome, error }) => outcome === 'error' && error !== null).length,
  };
}

export type RollUpOutcome = { outcome: 'pass' | 'fail' | null; error: string | null };

/** Null: no policy, or unjudged tries might have brought the passes: an error is not a failure. */
export function namedRollup(
  rollup: Exclude<Rollup, { kind: 'code' }>,
  passes: number,
  judged: number,
  unjudged = 0,
): 'pass' | 'fail' | null {
  if (judged === 0) return null;
  if (rollup.kind === 'at_least' && passes < rollup.k && passes + unjudged >= rollup.k) return null;
  return holds(rollup, passes, judged) ? 'pass' : 'fail';
}

function holds(rollup: Exclude<Rollup, { kind: 'code' }>, passes: number, judged: number): boolean {
  if (rollup.kind === 'at_least') return passes >= rollup.k;
  if (rollup.kind === 'pass_rate') return passes / judged >= rollup.min;
  if (rollup.policy === 'all') return passes === judged;
  if (rollup.policy === 'any') return passes > 0;
  return passes > judged - passes;
}

/** The roll-up's word for each list of tries. Custom code runs once for all of them. */
export async function rollUp(
  rollup: Rollup,
  tallies: readonly { tally: Tally; passes: number; judged: number }[],
  of: { suite: string; side: Side },
  evaluate: Evaluate,
): Promise<RollUpOutcome[]> {
  if (rollup.kind !== 'code') {
    return tallies.map(({ tally, passes, judged }) => ({
      outcome: namedRollup(rollup, passes, judged, tally.num_tries - judged),
      error: null,
    }));
  }
  const { language, code, name, place, at } = rollup;
  const results = await evaluate({
    ...of,
    scores: { what: `metrics_rollup "${name}"`, place },
    ...(at === undefined ? {} : { at }),
    language,
    code,
    outputs: ['result'],
    inputs: tallies.map(({ tally }) => ({ ...tally })),
  });
  return results.map((result, index) => {
    // The code sees skipped scores too, so they are enough to ask it.
    const { num_passes = 0, num_fails = 0 } = tallies[index]?.tally ?? {};
    if (num_passes + num_fails === 0) return { outcome: null, error: null };
    if (result.status === 'error')
      return { outcome: null, error: `metrics_rollup "${name}": ${result.message}` };
    return { outcome: result.values['result'] === true ? 'pass' : 'fail', error: null };
  });
}

export interface RunRollUps {
  base: RollUpOutcome;
  head: RollUpOutcome;
  other: RollUpOutcome | null;
}

export async function rollUpSuite(
  suite: SuiteRun,
  evaluate: Evaluate,
): Promise<Map<ReferenceRun, RunRollUps>> {
  const { runs, deciding, other } = suite;
  const identity = identityOf(suite);
  const ask = (
    scoring: Scoring,
    side: Side,
    triesOf: (run: ReferenceRun) => TryResult[],
  ): Promise<RollUpOutcome[]> =>
    rollUpRuns(runs, scoring, runs.map(triesOf), { suite: identity, side }, evaluate);
  // Base's first: nothing of head can have touched them.
  const base = await ask(deciding, 'base', (run) => deciders(run, 'base'));
  const others =
    other === null
      ? []
      : await ask(other, 'base', (run) => run.base.flatMap((made) => made.other ?? []));
  const head = await ask(deciding, 'head', (run) => deciders(run, 'head'));
  return new Map(
    runs.map((run, index) => [
      run,
      {
        base: base[index] ?? NOT_ROLLED_UP,
        head: head[index] ?? NOT_ROLLED_UP,
        other: others[index] ?? null,
      },
    ]),
  );
}

const NOT_ROLLED_UP: RollUpOutcome = { outcome: null, error: null };

function deciders(run: ReferenceRun, side: Side): TryResult[] {
  return run[side].map(({ result }) => result);
}

function rollUpRuns(
  runs: readonly ReferenceRun[],
  { tests }: Scoring,
  tries: readonly TryResult[][],
  of: { suite: string; side: Side },
  evaluate: Evaluate,
): Promise<RollUpOutcome[]> {
  const counts = tries.map((list, index) => {
    const { passes, tries: judged } = countOutcomes(list.map(({ outcome }) => outcome));
    const reference = runs[index]?.affected.reference;
    const skipped = tests.skip || reference?.skip === true;
    return {
      tally: tallyOf(
        list,
        reference === undefined ? scoreNames(tests).length : scoreCount(tests, reference),
        skipped,
      ),
      passes,
      judged,
    };
  });
  return rollUp(tests.rollup, counts, of, evaluate);
}
