import type { Ladder } from './ladders.ts';
import { attained, ladders } from './ladders.ts';
import { referenceTest } from './reference-test.ts';
import type { Table } from './table.ts';

/**
 * P(the smallest p of all tables <= x) when nothing changed: 1 − Π (1 − F_i(x)). Exact, since tries
 * of different tables are independent; tables that cannot attain x cost nothing ("discrete Šidák").
 */
export function chanceOfSmallest(all: readonly Ladder[], x: number): number {
  const log = all.reduce(
    (sum, { levels, count }) => sum + count * Math.log1p(-attained(levels, x)),
    0,
  );
  return Math.min(1, -Math.expm1(log));
}

/**
 * Each table's one-sided p, adjusted for having looked at all of them. Family-wise, 0–1, in the
 * order of `tables`.
 */
export function adjustedForAll(tables: readonly Table[]): number[] {
  const all = ladders(tables);
  const known = new Map<number, number>();
  return tables.map((table) => {
    const { down } = referenceTest(table);
    if (down >= 1) return 1;
    const adjusted = known.get(down) ?? chanceOfSmallest(all, down);
    known.set(down, adjusted);
    return adjusted;
  });
}
