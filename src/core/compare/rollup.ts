import type { Evaluate, Outcome, Rollup, Score, Side, Tally, TryResult } from '../../types.ts';

/**
 * The word for a whole try. It fails as soon as one gating metric fails; an error or an unreadable
 * grade hides a pass, never a failure; a try in which no gating metric applied is skipped.
 */
export function outcomeOf(scores: readonly Score[]): Outcome {
  const gating = scores.filter(({ skip }) => !skip);
  for (const status of ['fail', 'error', 'ungraded'] as const) {
    if (gating.some((score) => score.status === status)) return status;
  }
  return gating.some(({ status }) => status === 'pass') ? 'pass' : 'skipped';
}

/**
 * llmeval's four counts over all metrics and tries (skipped ones are inside num_passes and
 * num_fails too), and four of our own.
 */
export function tallyOf(tries: readonly TryResult[], metrics: number, skipped: boolean): Tally {
  const scores = tries.flatMap((one) => one.scores);
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
    num_errors: count('error') + tries.filter(({ error }) => error !== null).length,
  };
}

export type RollupWord = { word: 'pass' | 'fail' | null; error: string | null };

/**
 * A named policy over the tries that pass or fail; null when there is none, or when passes are
 * wanted that only tries which could not be judged (`unjudged`) might have brought: an error is no
 * failure.
 */
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

/**
 * The roll-up's word for each list of tries, in their order. Custom code runs once for all of them.
 */
export async function rollUp(
  rollup: Rollup,
  tallies: readonly { tally: Tally; passes: number; judged: number }[],
  side: Side,
  evaluate: Evaluate,
): Promise<RollupWord[]> {
  if (rollup.kind !== 'code') {
    return tallies.map(({ tally, passes, judged }) => ({
      word: namedRollup(rollup, passes, judged, tally.num_tries - judged),
      error: null,
    }));
  }
  const { language, code, name } = rollup;
  const results = await evaluate({
    side,
    language,
    code,
    outputs: ['result'],
    inputs: tallies.map(({ tally }) => ({ ...tally })),
  });
  return results.map((result, index) => {
    if (tallies[index]?.judged === 0) return { word: null, error: null };
    if (result.status === 'error')
      return { word: null, error: `metrics_rollup "${name}": ${result.message}` };
    return { word: result.values['result'] === true ? 'pass' : 'fail', error: null };
  });
}

/** The most tries a named policy can need; checked before anything runs. */
export function triesNeeded(rollup: Rollup): number {
  return rollup.kind === 'at_least' ? rollup.k : 1;
}
