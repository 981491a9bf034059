import { attained, ladders } from './ladders.ts';
import { referenceTest } from './reference-test.ts';
import type { Table } from './table.ts';
import { mirrored } from './table.ts';

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
