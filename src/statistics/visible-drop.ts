import { designOf } from './design.ts';
import { plannedDrop } from './planned-drop.ts';
import type { Table } from './table.ts';

/**
 * The smallest fall of the mean pass rate (0–1) that a comparison of this size and noise usually calls (four times in
 * five): `plannedDrop` with the size, the base rate and the shrunk variance of the tables. Null: it cannot see any drop.
 */
export function visibleDrop(tables: readonly Table[], alpha = 0.05): number | null {
  return plannedDrop(designOf(tables), alpha);
}
