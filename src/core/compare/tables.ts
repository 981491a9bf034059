import type { Outcome, Side } from '../../types.ts';
import { isComparable, type Counts, type Table } from '../../statistics/table.ts';
import { fingerprintOf } from '../select/affected.ts';
import type { Attempt, CaseRun, LaneRun } from '../trial/rounds.ts';
import { gates } from '../select/select.ts';

/**
 * Passes and judged tries among the tries with an index in [from, to). Errors, ungraded and skipped
 * tries are not tries.
 */
export function countsOf(
  attempts: readonly Attempt[],
  from = 0,
  to = Number.POSITIVE_INFINITY,
): { passes: number; tries: number } {
  return countOutcomes(
    attempts
      .filter(({ result }) => result.try >= from && result.try < to)
      .map(({ result }) => result.outcome),
  );
}

/** Passes among the tries that were judged: those that pass or fail. */
export function countOutcomes(outcomes: readonly Outcome[]): { passes: number; tries: number } {
  const passes = outcomes.filter((outcome) => outcome === 'pass').length;
  return { passes, tries: passes + outcomes.filter((outcome) => outcome === 'fail').length };
}

/**
 * Both sides' counts of the tries from index `from` to before `to`; of all where these are left
 * out.
 */
export function tableOf(run: CaseRun, from?: number, to?: number): Table {
  return { base: countsOf(run.base, from, to), head: countsOf(run.head, from, to) };
}

/**
 * Whether a case enters the tests: both sides can be asked, they ask different things (equal ones
 * share their answers and are unchanged by construction), and the reference gates.
 */
export function isCompared(
  { lane }: LaneRun,
  { case: one }: CaseRun,
  quarantined: (id: string) => boolean,
): boolean {
  const { base, head, reference } = one;
  if (base === null || head === null || base.kind === 'impossible' || head.kind === 'impossible')
    return false;
  return (
    fingerprintOf(base) !== fingerprintOf(head) && gates(lane, one) && !quarantined(reference.id)
  );
}

/** The number of tries that every one of these runs has on the sides that can run. */
export function sharedTries(runs: readonly CaseRun[]): number {
  return runs.reduce((least, run) => {
    const made = (['base', 'head'] as const)
      .filter((side) => run.case[side] !== null)
      .map((side) => run[side].length);
    return Math.min(least, ...made);
  }, Number.MAX_SAFE_INTEGER);
}

/**
 * Mean over references of their pass rate on one side, over tries [0, to); null when no try was
 * judged.
 */
export function meanRate(runs: readonly CaseRun[], side: Side, to: number): number | null {
  return meanOfCounts(runs.map((run) => countsOf(run[side], 0, to)));
}

/** Mean over tables with tries on both sides of one side's pass rate; null where there is none. */
export function meanOfTables(tables: readonly Table[], side: Side): number | null {
  return meanOfCounts(tables.filter(isComparable).map((table) => table[side]));
}

export function meanOfCounts(counts: readonly Counts[]): number | null {
  const rates = counts.filter(({ tries }) => tries > 0).map(({ passes, tries }) => passes / tries);
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}
