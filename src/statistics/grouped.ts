import type { Table } from './table.ts';
import { isInformative } from './table.ts';

/** Tables with equal tries and equal total passes: under "nothing changed" they follow one law. */
export interface Group {
  table: Table;
  count: number;
}

/**
 * The informative tables counted by their totals, in an order that depends on nothing but the
 * totals: a suite has thousands of tables and a few dozen groups, and results do not depend on the
 * order of the tables.
 */
export function grouped(tables: readonly Table[]): Group[] {
  const groups = new Map<string, Group & { order: readonly number[] }>();
  for (const table of tables) {
    if (!isInformative(table)) continue;
    const order = [table.base.tries, table.head.tries, table.base.passes + table.head.passes];
    const key = order.join('/');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { table, count: 1, order });
    else group.count += 1;
  }
  return [...groups.values()]
    .sort((one, other) => compare(one.order, other.order))
    .map(({ table, count }) => ({ table, count }));
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((value, i) => value !== other[i]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
