import { headPasses } from './distributions.ts';
import { groupUnits } from './suite-test.ts';
import { mirrorTables, type Table, reachesLevel } from './table.ts';

/**
 * Fisher's exact one-sided test of a table: P(K <= passes on head) with K as in `headPasses`.
 * `levels`: all p-values attainable with these totals, ascending to 1. An uninformative table has p
 * = 1 only.
 */
export function referenceTest(table: Table): { down: number; levels: number[] } {
  const { low, mass } = headPasses(table);
  const levels: number[] = [];
  let sum = 0;
  for (const probability of mass) levels.push(Math.min(1, (sum += probability)));
  levels[levels.length - 1] = 1;
  return { down: levels[table.head.passes - low] ?? 1, levels };
}

/** The p-values attainable by `count` tables of equal totals, ascending. */
interface Ladder {
  levels: readonly number[];
  count: number;
}

/** Of all informative tables; others only attain 1. */
function ladders(tables: readonly Table[]): Ladder[] {
  return groupUnits(tables).map(({ unit, count }) => ({
    levels: referenceTest(unit).levels,
    count,
  }));
}

/** F(x) = P(p <= x): the largest attainable level at most `x`; 0 when there is none. */
function attainedLevel(levels: readonly number[], x: number): number {
  let [from, to] = [0, levels.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (reachesLevel(levels[middle] ?? 1, x)) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? 0 : (levels[from - 1] ?? 0);
}

/**
 * For every table the false-discovery rate at which it would be called worse (`down`) or better
 * (`up`). Heyse's discrete Benjamini–Hochberg: q_(k) = min over j >= k of (1/j) Σ_i F_i(p_(j)),
 * with F_i the attainable levels of table i, so that tables without power do not dilute the others.
 * Source: Heyse 2011, "A false discovery rate procedure for categorical data".
 */
export function discreteFdr(tables: readonly Table[]): { down: number[]; up: number[] } {
  return { down: oneSidedQValues(tables), up: oneSidedQValues(mirrorTables(tables)) };
}

function oneSidedQValues(tables: readonly Table[]): number[] {
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
