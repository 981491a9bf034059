import type { Outcome } from '../types.ts';
import type { Counts, Table } from './table.ts';

/**
 * Outcomes by try index, so far. Anything but pass and fail is a try that was made and says
 * nothing.
 */
export interface Tries {
  base: readonly Outcome[];
  head: readonly Outcome[];
}

/** Counts over the try indices `from` (included) to `to` (excluded). */
export function tableOf({ base, head }: Tries, from: number, to: number): Table {
  return { base: count(base.slice(from, to)), head: count(head.slice(from, to)) };
}

/** Tries made on both sides; also the first try index that a side lacks. */
export function made({ base, head }: Tries): number {
  return Math.min(base.length, head.length);
}

function count(outcomes: readonly Outcome[]): Counts {
  const passes = outcomes.filter((outcome) => outcome === 'pass').length;
  return { passes, tries: passes + outcomes.filter((outcome) => outcome === 'fail').length };
}
