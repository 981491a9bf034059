import type { Evaluate, Side, TryResult } from '../../types.ts';
import { rollUp, tallyOf, type RollupWord } from './rollup.ts';
import type { CaseRun, LaneRun } from '../trial/rounds.ts';
import { countOutcomes } from './tables.ts';
import { scoreCount, scoreNames, type Yardstick } from '../fingerprint/yardstick.ts';

/**
 * The roll-up's words for one reference: on each side's outputs, and on base's outputs by the other
 * yardstick.
 */
export interface RunWords {
  base: RollupWord;
  head: RollupWord;
  other: RollupWord | null;
}

/** Asks each yardstick's own roll-up about every reference of a lane. */
export async function rollUpLane(
  lane: LaneRun,
  evaluate: Evaluate,
): Promise<Map<CaseRun, RunWords>> {
  const { runs, deciding, other } = lane;
  const [base, head, others] = await Promise.all([
    words(
      runs,
      deciding,
      runs.map((run) => deciders(run, 'base')),
      evaluate,
    ),
    words(
      runs,
      deciding,
      runs.map((run) => deciders(run, 'head')),
      evaluate,
    ),
    other === null
      ? []
      : words(
          runs,
          other,
          runs.map(({ base: attempts }) => attempts.flatMap((attempt) => attempt.other ?? [])),
          evaluate,
        ),
  ]);
  return new Map(
    runs.map((run, index) => [
      run,
      { base: base[index] ?? NO_WORD, head: head[index] ?? NO_WORD, other: others[index] ?? null },
    ]),
  );
}

const NO_WORD: RollupWord = { word: null, error: null };

function deciders(run: CaseRun, side: Side): TryResult[] {
  return run[side].map(({ result }) => result);
}

function words(
  runs: readonly CaseRun[],
  { tests, side }: Yardstick,
  tries: readonly TryResult[][],
  evaluate: Evaluate,
): Promise<RollupWord[]> {
  const counts = tries.map((list, index) => {
    const { passes, tries: judged } = countOutcomes(list.map(({ outcome }) => outcome));
    const reference = runs[index]?.case.reference;
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
  return rollUp(tests.rollup, counts, side, evaluate);
}
