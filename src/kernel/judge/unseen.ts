import { namedNumber } from '../../metrics/objects.ts';
import type { Side } from '../../types/plain.ts';
import { countingRuns, type ReferenceRun, type SuiteComparison } from '../plan/suite-run.ts';
import { blocksGreen } from '../result/counts.ts';
import type { MetricResult } from '../result/metric-result.ts';
import type { Reason } from '../result/reason.ts';
import type { TryResult } from '../result/reference-result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { isJudged, reachesLevel } from '../statistics/table.ts';
import { moreOftenOnHead } from './endings.ts';
import type { Unseen } from './gate-input.ts';
import type { SuiteRow } from './suite-row.ts';

/** The run is not green if head lacks more than this share of base's references or tries. */
const MAX_LOST_SHARE = 0.02;

type ComparedSuite = Pick<SuiteRow, 'comparison' | 'result'>;

/** `alpha` (0–1) is the level of each individual test. */
export function unseenReasons(suites: readonly ComparedSuite[], alpha: number): Unseen {
  const found = suites.map((suite) => ({ ...suite, skipped: skippedTries(suite, alpha) }));
  const green = found.filter(({ result }) => isGreen(result));
  return {
    blocking: [
      ...unseenReferences(suites.map(({ result }) => result)),
      ...green.flatMap(({ skipped }) => skipped ?? []),
      ...green.flatMap((suite) =>
        suite.result.metrics.flatMap((metric) => unseenMetric(suite, metric, alpha) ?? []),
      ),
    ],
    warnings: found.flatMap((suite) => (suite.skipped === null ? seldomJudged(suite, alpha) : [])),
  };
}

function isGreen({ verdict }: Pick<SuiteResult, 'verdict'>): boolean {
  return verdict !== 'inconclusive' && verdict !== 'regressed';
}

function unseenReferences(suites: readonly SuiteResult[]): Reason[] {
  const counts = suites.map(({ name, verdict, evidence }) => ({ name, verdict, ...evidence }));
  return blocksGreen(counts)
    .filter(isGreen)
    .map(({ name, verdict, references, of, missing }) => ({
      code: 'uncompared',
      suite: name,
      judged: references,
      of,
      missing,
      unasked: verdict === 'not_compared',
    }));
}

function skippedTries({ comparison, result }: ComparedSuite, alpha: number): Reason | null {
  const runs = runsOfBoth(comparison);
  const skipped = triesThat(runs, ({ outcome }) => outcome === 'skipped');
  const hasVerdict: Test = ({ outcome }) => isJudged(outcome);
  if (skipped.head.has <= skipped.base.has || !holdsLessOften(runs, hasVerdict, alpha)) return null;
  const metrics = result.metrics
    .filter((metric) => metric.gates && metric.judged_head < metric.judged_base)
    .map(({ name }) => name);
  return { code: 'skipped-tries', suite: result.name, metrics, ...triesThat(runs, hasVerdict) };
}

function seldomJudged({ comparison, result }: ComparedSuite, alpha: number): Reason[] {
  const runs = runsOfBoth(comparison);
  const fewer = result.metrics.filter(
    ({ gates: counts, judged_base: before, judged_head: after }) =>
      counts && after > 0 && after < before,
  );
  return fewer.flatMap(({ name }): Reason[] => {
    const scored =
      (...statuses: readonly string[]): Test =>
      ({ scores }) =>
        scores.some(({ metric, status }) => metric === name && statuses.includes(status));
    const skipped = triesThat(runs, scored('skipped'));
    const judged = scored('pass', 'fail');
    if (skipped.head.has <= skipped.base.has || !holdsLessOften(runs, judged, alpha)) return [];
    const tries = triesThat(runs, judged);
    return [{ code: 'seldom-judged', suite: result.name, metric: name, ...tries }];
  });
}

/**
 * Reports a metric that judges no answers on head. If its mean can fail the suite, also reports
 * fewer numbers on head.
 */
function unseenMetric(
  { comparison, result }: ComparedSuite,
  { name, gates: counts, judged_base: before, judged_head: after, values }: MetricResult,
  alpha: number,
): Reason | null {
  const of = { suite: result.name, metric: name };
  const isMeanGated = values?.gate === 'fail';
  if ((counts || isMeanGated) && before > 0 && after === 0)
    return { code: 'metric-silent', ...of, answers: before };
  if (!isMeanGated) return null;
  const runs = runsOfBoth(comparison);
  if (runs.length === 0) return null;
  const hasValue: Test = ({ scores }) => namedNumber(scores, name) !== null;
  const having = (side: Side) =>
    runs.filter((run) => run[side].some(({ byHead: made }) => hasValue(made))).length;
  const base = having('base');
  const head = having('head');
  if (base + head === 0) return { code: 'values-missing', ...of };
  if (base - head > MAX_LOST_SHARE * base)
    return { code: 'values-fewer-references', ...of, base, head, of: runs.length };
  return holdsLessOften(runs, hasValue, alpha)
    ? { code: 'values-fewer-tries', ...of, ...triesThat(runs, hasValue) }
    : null;
}

function runsOfBoth(suite: SuiteComparison): ReferenceRun[] {
  return countingRuns(suite).filter(
    ({ affected: { base, head } }) => base !== null && head !== null,
  );
}

type Test = (made: TryResult) => boolean;

function triesThat(
  runs: readonly ReferenceRun[],
  is: Test,
): Record<Side, { has: number; of: number }> {
  const count = (side: Side) => {
    const tries = runs.flatMap((run) => run[side]);
    return { has: tries.filter(({ byHead }) => is(byHead)).length, of: tries.length };
  };
  return { base: count('base'), head: count('head') };
}

function holdsLessOften(runs: readonly ReferenceRun[], is: Test, alpha: number): boolean {
  const { base, head } = triesThat(runs, is);
  const lost = base.has / Math.max(1, base.of) - head.has / Math.max(1, head.of);
  return (
    lost > MAX_LOST_SHARE &&
    reachesLevel(
      moreOftenOnHead(runs, (made) => !is(made)),
      alpha,
    )
  );
}
