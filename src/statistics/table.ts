import type { Outcome } from '../types/metric.ts';
import { meanOrNull } from './sums.ts';

/** Keeps rounding from turning a fall of exactly `minDrop` into one just below it. */
const SLACK = 1e-12;

/**
 * Whether a mean difference (head − base; null: nothing compared) is a fall of at least `minDrop`.
 */
export function fell(difference: number | null, minDrop: number): boolean {
  return difference !== null && difference <= SLACK - minDrop;
}

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

/** Tables with base and head exchanged, so that a test for "worse" becomes one for "better". */
export function mirrorTables(tables: readonly Table[]): Table[] {
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

/**
 * Outcomes by try index, so far. Anything but pass and fail is a try that was made and says
 * nothing.
 */
export interface Tries {
  base: readonly Outcome[];
  head: readonly Outcome[];
}

/** Counts over the try indices `from` (included) to `to` (excluded); absent: over all. */
export function tableOf({ base, head }: Tries, from?: number, to?: number): Table {
  return { base: countOutcomes(base.slice(from, to)), head: countOutcomes(head.slice(from, to)) };
}

/** Tries made on both sides; also the first try index that a side lacks. */
export function triesMade({ base, head }: Tries): number {
  return Math.min(base.length, head.length);
}

/** Passes among the tries that were judged: those that pass or fail. */
export function countOutcomes(outcomes: readonly Outcome[]): Counts {
  const passes = outcomes.filter((outcome) => outcome === 'pass').length;
  return { passes, tries: passes + outcomes.filter((outcome) => outcome === 'fail').length };
}

/** Relative slack for numbers that are equal on paper but were summed in another order. */
const LEVEL_SLACK = 1e-9;

/**
 * Whether a p-value reaches a level. Exact tests attain their levels exactly, so rounding must not
 * decide a tie; a level of 0 is reached by nothing, also not by a p too small to be told from 0.
 */
export function within(p: number, level: number): boolean {
  return level > 0 && p <= level * (1 + LEVEL_SLACK);
}

export function meanOfCounts(counts: readonly Counts[]): number | null {
  const rates = counts.filter(({ tries }) => tries > 0).map(({ passes, tries }) => passes / tries);
  return meanOrNull(rates);
}
