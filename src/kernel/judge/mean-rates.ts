import { SIDES, type Side } from '../../types/plain.ts';
import { tryOutcomes } from '../plan/ledger.ts';
import type { ReferenceRun } from '../plan/suite-run.ts';
import { countOutcomes, isComparable, meanOfCounts, type Table } from '../statistics/table.ts';

/** The smallest number of tries on any side. Ignores sides that cannot run. */
export function sharedTries(runs: readonly ReferenceRun[]): number {
  return runs.reduce((least, run) => {
    const lengths = SIDES.filter((side) => run.affected[side] !== null).map(
      (side) => run[side].length,
    );
    return Math.min(least, ...lengths);
  }, Number.MAX_SAFE_INTEGER);
}

export function meanRate(runs: readonly ReferenceRun[], side: Side, to: number): number | null {
  return meanOfCounts(runs.map((run) => countOutcomes(tryOutcomes(run)[side].slice(0, to))));
}

export function meanOfTables(tables: readonly Table[], side: Side): number | null {
  return meanOfCounts(tables.filter(isComparable).map((table) => table[side]));
}
