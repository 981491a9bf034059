import {
  formClusters,
  clusterTable,
  type Cluster,
  clusteredRows,
  type ClusteredTries,
  type Unit,
} from './clusters.ts';
import { differenceInterval, meanDifference } from './interval.ts';
import { suiteTest, type SuiteTest } from './suite-test.ts';
import { countTable, isLargeDrop, reachesLevel, type Table, type Tries } from './table.ts';

export interface Contrast {
  tables: readonly Table[];
  units: readonly Unit[];
  test: SuiteTest;
  /** Head's mean rate − base's, −1 to 1. */
  difference: number | null;
}

export function contrast(rows: readonly ClusteredTries[]): Contrast {
  const units = formClusters(rows).map(clusterTable);
  const tables = rows.map(({ tries }) => countTable(tries));
  return { tables, units, test: suiteTest(units), difference: meanDifference(tables) };
}

export function clusteredTries(
  tries: readonly Tries[],
  names: readonly (string | null)[],
): ClusteredTries[] {
  return tries.map((own, at) => ({ tries: own, cluster: names[at] ?? null }));
}

/** `tries` has the combined outcomes of the metrics that affect the gate. */
export interface LookRow extends ClusteredTries {
  /**
   * The outcomes of individual metrics that fail some tries. Absent unless several metrics affect
   * the gate.
   */
  metrics?: ReadonlyMap<string, Tries>;
}

/** `metric`: null for all metrics together. */
export interface MetricTest extends Omit<Contrast, 'tables'> {
  metric: string | null;
}

export type ClusterByMetric = ReadonlyMap<string | null, Cluster>;

export interface Look extends Contrast {
  tries: number;
  rows: readonly LookRow[];
  /**
   * The first test combines all metrics. If several affect the gate, a test of each metric that
   * fails some tries follows.
   */
  metrics: readonly [MetricTest, ...MetricTest[]];
  clusters: readonly ClusterByMetric[];
  interval: { difference: number; low: number; high: number } | null;
}

/** `z`: half of the interval's width, in standard errors. Default: one-sided 95 %. */
export function lookAt(rows: readonly LookRow[], upTo = Infinity, z?: number): Look {
  const clusters = clustersByMetric(rows, upTo);
  const tables = rows.map(({ tries }) => countTable(tries, upTo));
  const units = clusters.flatMap((own) => unitsOf(own, null));
  const test = suiteTest(units);
  const difference = meanDifference(tables);
  const whole = { metric: null, units, test, difference };
  const names = new Set(clusters.flatMap((own) => [...own.keys()]));
  const single = [...names].flatMap((metric): MetricTest[] => {
    if (metric === null) return [];
    const own = clusters.flatMap((each) => unitsOf(each, metric));
    const ofMetric = rows.map((row) => countTable(triesBy(row, metric), upTo));
    return [{ metric, units: own, test: suiteTest(own), difference: meanDifference(ofMetric) }];
  });
  const interval = differenceInterval(tables, { units, ...(z !== undefined && { z }) });
  const metrics: Look['metrics'] = [whole, ...single];
  return { tables, units, test, difference, tries: upTo, rows, metrics, clusters, interval };
}

export function rowsOf({ rows, tries: upTo }: Look): ClusteredTries[] {
  return rows.map(({ tries: { base, head }, cluster }) => ({
    tries: { base: base.slice(0, upTo), head: head.slice(0, upTo) },
    cluster,
  }));
}

function clustersByMetric(rows: readonly LookRow[], upTo: number): ClusterByMetric[] {
  return clusteredRows(rows).flatMap((group) => {
    const members = group.map(([, row]) => row);
    const metrics = new Set(members.flatMap((row) => [...(row.metrics?.keys() ?? [])]));
    const byMetric = [null, ...metrics].flatMap((metric) => {
      const tries = members.map((row) => ({ ...row, tries: triesBy(row, metric) }));
      return formClusters(tries, upTo).map((cluster) => [metric, cluster] as const);
    });
    return byMetric.length === 0 ? [] : [new Map(byMetric)];
  });
}

function triesBy({ tries, metrics }: LookRow, metric: string | null): Tries {
  if (metric === null) return tries;
  const passing = (side: Tries['base']): Tries['base'] =>
    side.map((outcome) => (outcome === 'fail' ? 'pass' : outcome));
  return metrics?.get(metric) ?? { base: passing(tries.base), head: passing(tries.head) };
}

function unitsOf(cluster: ClusterByMetric, metric: string | null): Unit[] {
  const members = cluster.get(metric);
  return members === undefined ? [] : [clusterTable(members)];
}

export function isRise({ test, interval }: Look, level: number, minDrop: number): boolean {
  return (
    reachesLevel(test.midUp, level) &&
    isLargeDrop(interval === null ? null : -interval.difference, minDrop)
  );
}
