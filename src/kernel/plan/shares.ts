import { comparesShare } from '../../metrics/passing.ts';
import type { MetricLevel } from '../../types/metric.ts';
import { createRandom } from '../statistics/random.ts';
import { isLargeDrop } from '../statistics/table.ts';
import { valueDifference, valueTest, type ValueTest } from '../statistics/value-test.ts';
import { everyMetric } from '../suite/metrics.ts';
import { boundLevel, ONE_LOOK, type LookPlan } from './looks.ts';
import { metricNumbers, valuesByReference, type MetricNumber } from './metric-numbers.ts';
import type { ReferenceRun, SuiteComparison } from './suite-run.ts';

/** The share of turns, messages or tool calls that pass. `minDrop` is 0–1. */
interface ComparedShare {
  of: MetricLevel;
  minDrop: number;
}

export function comparedShare(
  { gate }: Pick<SuiteComparison, 'gate'>,
  { metric, entry }: MetricNumber,
): ComparedShare | null {
  const isShare = entry === null && comparesShare(metric);
  return isShare ? { of: metric.level, minDrop: gate.min_drop } : null;
}

interface ComparedTries {
  runs: readonly ReferenceRun[];
  clusters: readonly (string | null)[];
  /** Tries with this index or a higher one are ignored. */
  upTo: number;
}

/** With `plan`, the test's `bound` is valid even if no tries follow this look (interim test). */
export function numberTest(
  { run: { suite } }: SuiteComparison,
  number: MetricNumber,
  { runs, clusters, upTo }: ComparedTries,
  plan: LookPlan = ONE_LOOK,
): ValueTest | null {
  const random = createRandom(`values ${suite.path} ${suite.name} ${number.name}`);
  const values = valuesByReference(number, runs, upTo);
  return valueTest(values, clusters, random, boundLevel(plan, upTo));
}

/** Whether the share dropped, perhaps by more than the tolerance. */
export function isOpenDrop(
  test: Pick<ValueTest, 'difference' | 'bound'> | null,
  minDrop: number,
  tolerance: number,
): boolean {
  return isLargeDrop(test?.difference ?? null, minDrop) && (test?.bound ?? -1) <= -tolerance;
}

/** A share that can fail the suite. */
export interface GatingShare {
  isOpen(upTo: number, plan: LookPlan, tolerance: number): boolean;
}

export function gatingShares(
  suite: SuiteComparison,
  clustersOf: (runs: readonly ReferenceRun[]) => readonly (string | null)[],
): GatingShare[] {
  const { compared: runs, gate, run } = suite;
  const isGating = ({ name }: { name: string }): boolean => gate.metrics?.[name] === 'fail';
  const mayGate = everyMetric(run.scoring.tests).some((own) => comparesShare(own) && isGating(own));
  if (!mayGate) return [];
  return metricNumbers(suite).flatMap((number) => {
    const share = comparedShare(suite, number);
    if (share === null || !isGating(number)) return [];
    const isOpen: GatingShare['isOpen'] = (upTo, plan, tolerance) => {
      // The mean is cheap, and without a drop no test is needed.
      const drop = valueDifference(valuesByReference(number, runs, upTo));
      if (!isLargeDrop(drop, share.minDrop)) return false;
      const test = numberTest(suite, number, { runs, clusters: clustersOf(runs), upTo }, plan);
      return isOpenDrop(test, share.minDrop, tolerance);
    };
    return [{ isOpen }];
  });
}
