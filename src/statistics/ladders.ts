import { grouped } from './grouped.ts';
import { referenceTest } from './reference-test.ts';
import type { Table } from './table.ts';
import { within } from './within.ts';

/** The p-values that `count` tables of equal totals can attain, ascending. */
export interface Ladder {
  levels: readonly number[];
  count: number;
}

/** The ladders of all informative tables; the others attain nothing but 1 and cost nothing. */
export function ladders(tables: readonly Table[]): Ladder[] {
  return grouped(tables).map(({ table, count }) => ({
    levels: referenceTest(table).levels,
    count,
  }));
}

/**
 * F(x): the largest attainable level that is at most `x`, which is also P(p <= x); 0 when there is
 * none.
 */
export function attained(levels: readonly number[], x: number): number {
  let [from, to] = [0, levels.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (within(levels[middle] ?? 1, x)) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? 0 : (levels[from - 1] ?? 0);
}
