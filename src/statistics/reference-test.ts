import { headPasses } from './hypergeometric.ts';
import type { Table } from './table.ts';

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
