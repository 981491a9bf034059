import { comparesShare } from '../../metrics/passing.ts';
import type { MetricLevel } from '../../types/metric.ts';
import { createRandom } from '../statistics/random.ts';
import { isLargeDrop } from '../statistics/table.ts';
import { valueTest, type ValueTest } from '../statistics/value-test.ts';
import { boundLevel, type LookPlan } from './looks.ts';
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

export function numberTest(
  { run: { suite } }: SuiteComparison,
  number: MetricNumber,
  { runs, clusters, upTo }: ComparedTries,
  tail?: number,
): ValueTest | null {
  const random = createRandom(`values ${suite.path} ${suite.name} ${number.name}`);
  return valueTest(valuesByReference(number, runs, upTo), clusters, random, tail);
}

/** The interval is valid even if no tries follow this look (interim test). */
export function shareTest(
  suite: SuiteComparison,
  number: MetricNumber,
  tries: ComparedTries,
  plan: LookPlan,
): ValueTest | null {
  return numberTest(suite, number, tries, boundLevel(plan, tries.upTo));
}

/** Whether the share dropped, perhaps by more than the tolerance. */
export function isOpenDrop(
  test: Pick<ValueTest, 'difference' | 'low'> | null,
  minDrop: number,
  tolerance: number,
): boolean {
  return isLargeDrop(test?.difference ?? null, minDrop) && (test?.low ?? -1) <= -tolerance;
}

export interface GatingShare extends ComparedShare {
  test(upTo: number, plan: LookPlan): ValueTest | null;
}

export function gatingShares(
  suite: SuiteComparison,
  clusters: readonly (string | null)[],
): GatingShare[] {
  return metricNumbers(suite).flatMap((number) => {
    const share = comparedShare(suite, number);
    if (share === null || suite.gate.metrics?.[number.name] !== 'fail') return [];
    const runs = suite.compared;
    const test: GatingShare['test'] = (upTo, plan) =>
      shareTest(suite, number, { runs, clusters, upTo }, plan);
    return [{ ...share, test }];
  });
}
