import { clustersOf, unitOf, type ClusteredTries, type Unit } from './clusters.ts';
import { differenceInterval } from './interval.ts';
import { suiteTest, type SuiteTest } from './suite-test.ts';
import { countTable, isLargeDrop, reachesLevel, type Table, type Tries } from './table.ts';

/** What one gating metric said of every try, or all of them together (null). */
export interface Column {
  metric: string | null;
  /** By reference. A judged try fails where the metric fails; a skipped metric does not fail. */
  tries: readonly Tries[];
}

/** The evidence of one suite. Every claim about it is a contrast of base and head over these tries. */
export interface SuiteLedger {
  /** First all metrics together, then, if several gate, each one that fails somewhere. */
  columns: readonly [Column, ...Column[]];
  /** Gating metrics, whether or not one fails. */
  metrics: number;
  /** By reference, the name of the block that it is dealt with; null: alone. */
  blocks: readonly (string | null)[];
  /** Positions of references that each count alone. */
  critical: ReadonlySet<number>;
  /** Positions of references that nearly always passed before: any failure is suspicious. */
  steady: ReadonlySet<number>;
  /** The mean must drop by at least this (0–1) for a look to count. */
  minDrop: number;
  /** The largest drop (0–1) compatible with green. */
  tolerance: number | 'auto';
  /** By reference, the fixed number of tries; null: adaptive. */
  fixed: readonly number[] | null;
}

/** Base against head. */
export interface Contrast {
  /** By reference. */
  tables: Table[];
  /** What is permuted together. */
  units: Unit[];
  test: SuiteTest;
}

/** Over tries below `upTo`. */
export function contrast(rows: readonly ClusteredTries[], upTo = Infinity): Contrast {
  const units = clustersOf(rows, upTo).map(unitOf);
  const tables = rows.map(({ tries }) => countTable(tries, 0, upTo));
  return { tables, units, test: suiteTest(units) };
}

/** The contrast of one column. */
export interface ColumnContrast extends Contrast {
  metric: string | null;
}

/** What the first `tries` of all references show; the fields of all metrics together are its own. */
export interface Look extends ColumnContrast {
  tries: number;
  ledger: Pick<SuiteLedger, 'columns' | 'blocks'>;
  columns: readonly [ColumnContrast, ...ColumnContrast[]];
  /** Of head − base; `low` is the bound, which must be above −tolerance. Null: no tries. */
  interval: { difference: number; low: number; high: number } | null;
}

/**
 * The tries that a fixed number plans. Those beyond were made because a critical reference failed,
 * so they would bias a contrast.
 */
export function plannedTries(ledger: SuiteLedger): SuiteLedger {
  const { fixed, columns } = ledger;
  if (fixed === null) return ledger;
  const planned = ({ metric, tries }: Column): Column => ({
    metric,
    tries: tries.map(({ base, head }, at) => ({
      base: base.slice(0, fixed[at]),
      head: head.slice(0, fixed[at]),
    })),
  });
  const [all, ...single] = columns;
  return { ...ledger, columns: [planned(all), ...single.map(planned)] };
}

/** `z`: how far the bound is from the difference, in standard errors; default: one-sided 95 %. */
export function lookAt(
  ledger: Pick<SuiteLedger, 'columns' | 'blocks'>,
  upTo: number,
  z?: number,
): Look {
  const [all, ...single] = ledger.columns.map(({ metric, tries }) => ({
    metric,
    ...contrast(clusteredTries(tries, ledger.blocks), upTo),
  }));
  if (all === undefined) throw new TypeError('a ledger has at least one column');
  const { tables, units } = all;
  const interval = differenceInterval(tables, { units, ...(z === undefined ? {} : { z }) });
  return {
    ...all,
    tries: upTo,
    ledger,
    columns: [all, ...single],
    interval,
  };
}

export function clusteredTries(
  tries: readonly Tries[],
  names: readonly (string | null)[],
): ClusteredTries[] {
  return tries.map((own, at) => ({ tries: own, cluster: names[at] ?? null }));
}

export function isRise({ test, interval }: Look, level: number, minDrop: number): boolean {
  return (
    reachesLevel(test.midUp, level) &&
    isLargeDrop(interval === null ? null : -interval.difference, minDrop)
  );
}
