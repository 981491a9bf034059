import { bundlesOf, type Bundle } from './bundles.ts';
import { differenceInterval } from './interval.ts';
import { suiteTest, type SuiteTest } from './suite-test.ts';
import {
  countTable,
  isComparable,
  isLargeDrop,
  reachesLevel,
  type Table,
  type Tries,
} from './table.ts';

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

/** Base against head in one column. */
export interface Contrast {
  metric: string | null;
  tables: Table[];
  bundles: Bundle[];
  test: SuiteTest;
}

/** What the first `tries` of all references show; the fields of all metrics together are its own. */
export interface Look extends Contrast {
  tries: number;
  ledger: Pick<SuiteLedger, 'columns' | 'blocks'>;
  columns: readonly [Contrast, ...Contrast[]];
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
  const contrast = ({ metric, tries }: Column): Contrast => {
    const tables = tries.map((own) => countTable(own, 0, upTo));
    const bundles = bundlesOf(tries, ledger.blocks, upTo);
    return { metric, tables, bundles, test: suiteTest(tables, bundles) };
  };
  const [all, ...single] = ledger.columns;
  const whole = contrast(all);
  const { tables, bundles } = whole;
  const interval = differenceInterval(tables, { bundles, ...(z === undefined ? {} : { z }) });
  return {
    ...whole,
    tries: upTo,
    ledger,
    columns: [whole, ...single.map(contrast)],
    interval,
  };
}

/** References with tries on both sides; those of one block count once. */
export function comparedBlocks({ tables, bundles }: Look): number {
  const together = bundles.reduce((all, { members }) => all + members.length - 1, 0);
  return tables.filter(isComparable).length - together;
}

export function isRise({ test, interval }: Look, level: number, minDrop: number): boolean {
  return (
    reachesLevel(test.midUp, level) &&
    isLargeDrop(interval === null ? null : -interval.difference, minDrop)
  );
}
