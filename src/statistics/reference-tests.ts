import { headPasses } from './distributions.ts';
import { groupTables } from './suite-test.ts';
import { mirrorTables, type Table, within } from './table.ts';

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
interface Ladder {
  levels: readonly number[];
  count: number;
}

/** The ladders of all informative tables; the others attain nothing but 1 and cost nothing. */
function ladders(tables: readonly Table[]): Ladder[] {
  return groupTables(tables).map(({ table, count }) => ({
    levels: referenceTest(table).levels,
    count,
  }));
}

/**
 * F(x): the largest attainable level that is at most `x`, which is also P(p <= x); 0 when there is
 * none.
 */
function attainedLevel(levels: readonly number[], x: number): number {
  let [from, to] = [0, levels.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (within(levels[middle] ?? 1, x)) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? 0 : (levels[from - 1] ?? 0);
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
  return { down: oneSided(tables), up: oneSided(mirrorTables(tables)) };
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
      all.reduce((sum, { levels, count }) => sum + count * attainedLevel(levels, x), 0);
    expected.set(x, mass);
    smallest = Math.min(smallest, mass / (order.length - fromTop));
    q[i] = smallest;
  });
  return q;
}
