import { comparesShare } from '../../metrics/passing.ts';
import type { MetricLevel } from '../../types/metric.ts';
import { createRandom } from '../statistics/random.ts';
import { isLargeDrop } from '../statistics/table.ts';
import { valueTest, type ValueTest } from '../statistics/value-test.ts';
import { metricNumbers, valuesByReference, type MetricNumber } from './metric-numbers.ts';
import type { ReferenceRun, SuiteComparison } from './suite-run.ts';

/** The share of turns, messages or tool calls that pass. Drops of at least `minDrop` count. */
export interface ComparedShare {
  of: MetricLevel;
  /** 0–1. */
  minDrop: number;
}

export function comparedShare(
  { gate }: Pick<SuiteComparison, 'gate'>,
  { metric, entry }: MetricNumber,
): ComparedShare | null {
  const isShare = entry === null && comparesShare(metric);
  return isShare ? { of: metric.level, minDrop: gate.min_drop } : null;
}

/** Compares a metric's number over the tries of `runs` below `upTo`. */
export function numberTest(
  { run: { suite } }: SuiteComparison,
  number: MetricNumber,
  of: { runs: readonly ReferenceRun[]; clusters: readonly (string | null)[]; upTo: number },
): ValueTest | null {
  return valueTest(
    valuesByReference(number, of.runs, of.upTo),
    of.clusters,
    createRandom(`values ${suite.path} ${suite.name} ${number.name}`),
  );
}

/** Whether the number is lower, perhaps by more than the tolerance. */
export function isOpenDrop(test: ValueTest | null, minDrop: number, tolerance: number): boolean {
  return isLargeDrop(test?.difference ?? null, minDrop) && (test?.low ?? -1) <= -tolerance;
}

/** A share that may fail the suite. */
export interface GatingShare extends ComparedShare {
  test(upTo: number): ValueTest | null;
}

export function gatingShares(
  suite: SuiteComparison,
  clusters: readonly (string | null)[],
): GatingShare[] {
  return metricNumbers(suite).flatMap((number) => {
    const share = comparedShare(suite, number);
    if (share === null || suite.gate.metrics?.[number.name] !== 'fail') return [];
    const runs = suite.compared;
    return [{ ...share, test: (upTo) => numberTest(suite, number, { runs, clusters, upTo }) }];
  });
}

/** Whether the share is lower over the first `tries`, perhaps by more than the tolerance. */
export function isOpenShare(
  { minDrop, test }: GatingShare,
  tries: number,
  tolerance: number,
): boolean {
  return isOpenDrop(test(tries), minDrop, tolerance);
}
