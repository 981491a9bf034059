import type { Broken } from './broken.ts';
import { findBroken } from './broken.ts';
import { fell } from './fell.ts';
import { meanDifference } from './interval.ts';
import { suiteTest } from './suite-test.ts';
import type { Table } from './table.ts';
import { within } from './within.ts';

/** Part of alpha that the search for single broken tables may take. */
const REFERENCE_SHARE = 0.4;

export interface GateOptions {
  /** Chance of an alarm when nothing changed, 0–1. */
  alpha: number;
  on: 'suite+references' | 'suite';
  /** The mean must fall by at least this (0–1) for the suite test to count. Default 0. */
  minDrop?: number;
  /** Positions of the tables that take the references' share of alpha among themselves first. */
  first?: readonly number[];
  /** Largest part of alpha (0–1) for the references. Default 0.4. */
  share?: number;
  /**
   * Level that the suite test has had at a smaller alpha and must not lose at this one (see
   * `judgeFamily`). Default 0.
   */
  keep?: number;
}

export interface Gate {
  regressed: boolean;
  /** `difference` is null when no table has tries on both sides. */
  suite: { midDown: number; level: number; difference: number | null; hit: boolean };
  references: Broken;
}

/**
 * Two detectors share one alpha: the suite test for a fall everywhere, and `findBroken` for a
 * single table that clearly broke, which a mean would hide. The references spend at most share ×
 * alpha, exactly; the suite test gets the rest: alarm if some p_i <= threshold or midDown <= alpha
 * − level of the references. The split follows from the tables' totals alone, so the level holds
 * given the totals (up to the mid-p).
 */
export function combinedGate(tables: readonly Table[], options: GateOptions): Gate {
  const { alpha, on, minDrop = 0, first = [], share = REFERENCE_SHARE, keep = 0 } = options;
  const cap = on === 'suite' ? 0 : Math.max(0, Math.min(share * alpha, alpha - keep));
  const references = findBroken(tables, cap, first);
  const level = alpha - references.level;
  const { midDown } = suiteTest(tables);
  const difference = meanDifference(tables);
  const hit = within(midDown, level) && fell(difference, minDrop);
  return {
    regressed: hit || references.hits.length > 0,
    suite: { midDown, level, difference, hit },
    references,
  };
}
