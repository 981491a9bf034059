import type { Table } from './table.ts';
import { isComparable } from './table.ts';
import { shrunkVariance } from './within-variance.ts';

/** A comparison as planned: how much of it there is, and how noisy it is. */
export interface Design {
  references: number;
  /** Tries of each reference on either side; a harmonic mean where they differ. */
  tries: { base: number; head: number };
  /** As `withinVariance`, 0–¼. */
  variance: number;
  /** Mean pass rate before the drop, 0–1. */
  rate: number;
}

/** The design of a comparison that was run, from the tables that have tries on both sides. */
export function designOf(tables: readonly Table[]): Design {
  const compared = tables.filter(isComparable);
  const mean = (value: (table: Table) => number): number =>
    compared.reduce((sum, table) => sum + value(table), 0) / Math.max(1, compared.length);
  const harmonic = (value: (table: Table) => number): number => (compared.length === 0 ? 0 : 1 / mean((table) => 1 / value(table)));
  return {
    references: compared.length,
    tries: { base: harmonic(({ base }) => base.tries), head: harmonic(({ head }) => head.tries) },
    variance: shrunkVariance(compared),
    rate: mean(({ base }) => base.passes / base.tries),
  };
}
