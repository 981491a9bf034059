/** Passes among the tries of one side. Whole numbers, 0 <= passes <= tries. */
export interface Counts {
  passes: number;
  tries: number;
}

/** One item tried on both sides: the 2 × 2 table everything here is computed from. */
export interface Table {
  base: Counts;
  head: Counts;
}

/**
 * The same tables with the sides exchanged, so that a test for "worse" becomes one for "better".
 */
export function mirrored(tables: readonly Table[]): Table[] {
  return tables.map(({ base, head }) => ({ base: head, head: base }));
}

/** Whether both sides were tried, so that the table can be compared at all. */
export function isComparable({ base, head }: Table): boolean {
  return base.tries > 0 && head.tries > 0;
}

/**
 * Whether the table can tell the sides apart: with every try passing, every try failing or a side
 * without tries the number of passes on head follows from the totals alone.
 */
export function isInformative(table: Table): boolean {
  const passes = table.base.passes + table.head.passes;
  return isComparable(table) && passes > 0 && passes < table.base.tries + table.head.tries;
}
