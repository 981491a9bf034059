import { ladders } from './ladders.ts';
import { referenceTest } from './reference-test.ts';
import { chanceOfSmallest } from './smallest-p.ts';
import type { Table } from './table.ts';
import { within } from './within.ts';

/** What the search for single broken tables spends and finds. */
export interface Broken {
  /**
   * Chance that any table is hit when nothing changed; depends on the totals only, and is at most
   * the cap.
   */
  level: number;
  /**
   * A table is hit when its one-sided p is at most this: for the tables served first, and for the
   * rest. 0: none can be.
   */
  thresholds: { first: number; rest: number };
  /** Positions of the tables hit, ascending. */
  hits: number[];
}

/**
 * The most generous threshold on the smallest one-sided p whose exact error stays within `cap`
 * (0–1). Tables listed in `first` share the cap among themselves, the rest gets what they leave: 1
 * − (1 − level of first)(1 − level of rest) <= cap.
 */
export function findBroken(
  tables: readonly Table[],
  cap: number,
  first: readonly number[] = [],
): Broken {
  const served = new Set(first);
  const head = threshold(
    tables.filter((_, i) => served.has(i)),
    cap,
  );
  const tail = threshold(
    tables.filter((_, i) => !served.has(i)),
    1 - (1 - cap) / (1 - head.level),
  );
  const thresholds = { first: head.x, rest: tail.x };
  const hits = tables.flatMap((table, i) => {
    const x = served.has(i) ? thresholds.first : thresholds.rest;
    return x > 0 && within(referenceTest(table).down, x) ? [i] : [];
  });
  return { level: 1 - (1 - head.level) * (1 - tail.level), thresholds, hits };
}

/**
 * The largest attainable x with P(smallest p <= x) <= cap; that chance grows with x, so halving
 * finds it.
 */
function threshold(tables: readonly Table[], cap: number): { x: number; level: number } {
  const all = ladders(tables);
  const candidates = [
    ...new Set(all.flatMap(({ levels }) => levels.filter((level) => within(level, cap)))),
  ].sort((one, other) => one - other);
  let best = { x: 0, level: 0 };
  let [from, to] = [0, candidates.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const x = candidates[middle] ?? 1;
    const level = chanceOfSmallest(all, x);
    if (within(level, cap)) [best, from] = [{ x, level }, middle + 1];
    else to = middle;
  }
  return best;
}
