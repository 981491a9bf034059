import type { Outcome } from '../../types/metric.ts';
import { meanOrNull } from './sums.ts';

/** Despite rounding, a drop of exactly `minDrop` must count. */
const DROP_TOLERANCE = 1e-12;

export function isLargeDrop(difference: number | null, minDrop: number): boolean {
  return difference !== null && difference <= DROP_TOLERANCE - minDrop;
}

export interface Counts {
  passes: number;
  tries: number;
}

export interface Table {
  base: Counts;
  head: Counts;
}

export function mirrorTables(tables: readonly Table[]): Table[] {
  return tables.map(({ base, head }) => ({ base: head, head: base }));
}

export function isComparable({ base, head }: Table): boolean {
  return base.tries > 0 && head.tries > 0;
}

export function isInformative(table: Table): boolean {
  const passes = table.base.passes + table.head.passes;
  return isComparable(table) && passes > 0 && passes < table.base.tries + table.head.tries;
}

export interface Tries {
  base: readonly Outcome[];
  head: readonly Outcome[];
}

export function isJudged(outcome: Outcome | undefined): boolean {
  return outcome === 'pass' || outcome === 'fail';
}

export function isWithoutOutcome(outcome: Outcome | undefined): boolean {
  return outcome === 'error' || outcome === 'ungraded';
}

export function countTable({ base, head }: Tries, upTo = Infinity): Table {
  return { base: countOutcomes(base.slice(0, upTo)), head: countOutcomes(head.slice(0, upTo)) };
}

export function triesMade({ base, head }: Tries): number {
  return Math.min(base.length, head.length);
}

export function countOutcomes(outcomes: readonly Outcome[]): Counts {
  const passes = outcomes.filter((outcome) => outcome === 'pass').length;
  return { passes, tries: passes + outcomes.filter((outcome) => outcome === 'fail').length };
}

/** Despite rounding, a rate or change that equals a limit must not exceed it. */
export const RATE_TOLERANCE = 1e-9;

const LEVEL_TOLERANCE = 1e-9;

export function reachesLevel(p: number, level: number): boolean {
  return level > 0 && p <= level * (1 + LEVEL_TOLERANCE);
}

export function meanOfCounts(counts: readonly Counts[]): number | null {
  const rates = counts.filter(({ tries }) => tries > 0).map(({ passes, tries }) => passes / tries);
  return meanOrNull(rates);
}

/** The mean pass rate of a side, over tables with tries on both sides. */
export function meanOfTables(tables: readonly Table[], side: 'base' | 'head'): number | null {
  return meanOfCounts(tables.filter(isComparable).map((table) => table[side]));
}
