import { headPasses } from './distributions.ts';
import { grouped } from './suite-test.ts';
import { mirrored, type Table, within } from './table.ts';

/**
 * Fisher's exact one-sided test of a single table: P(K <= passes on head) with K as in
 * `headPasses`. `levels`: every p-value that tables with these totals can attain, ascending, the
 * last one 1. A table that cannot tell the sides apart has p = 1 and no other level.
 */
export function referenceTest(table: Table): { down: number; levels: number[] } {
  const { low, mass } = headPasses(table);
  const levels: number[] = [];
  let sum = 0;
  for (const probability of mass) levels.push(Math.min(1, (sum += probability)));
  levels[levels.length - 1] = 1;
  return { down: levels[table.head.passes - low] ?? 1, levels };
}

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

/**
 * For every table the false-discovery rate at which it would be called worse (`down`) or better
 * (`up`), 0–1. Heyse's discrete Benjamini–Hochberg: q_(k) = min over j >= k of (1/j) Σ_i
 * F_i(p_(j)), where F_i is what table i can attain, so that tables without a chance to be called do
 * not dilute the others.
 *
 * Source: Heyse 2011, "A false discovery rate procedure for categorical data".
 */
export function discreteFdr(tables: readonly Table[]): { down: number[]; up: number[] } {
  return { down: oneSided(tables), up: oneSided(mirrored(tables)) };
}

function oneSided(tables: readonly Table[]): number[] {
  const all = ladders(tables);
  const p = tables.map((table) => referenceTest(table).down);
  const order = [...p.keys()].sort((i, j) => (p[j] ?? 1) - (p[i] ?? 1));
  const expected = new Map<number, number>();
  const q = tables.map(() => 1);
  let smallest = 1;
  order.forEach((i, fromTop) => {
    const x = p[i] ?? 1;
    if (x >= 1) return;
    const mass =
      expected.get(x) ??
      all.reduce((sum, { levels, count }) => sum + count * attained(levels, x), 0);
    expected.set(x, mass);
    smallest = Math.min(smallest, mass / (order.length - fromTop));
    q[i] = smallest;
  });
  return q;
}
