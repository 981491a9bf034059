import { checksOf } from '../kernel/judge/under-base-scoring.ts';
import type { SuiteRun } from '../kernel/plan/suite-run.ts';
import type { Reason, ReasonOf } from '../kernel/result/reason.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import { metricIdentity, metricsFor } from '../kernel/suite/metrics.ts';
import type { Reference } from '../kernel/suite/suite.ts';
import { isOfUser } from '../metrics/transcript.ts';
import type { Metric } from '../types/metric.ts';

export function lostCheckReasons(suites: readonly SuiteRun[]): Reason[] {
  const checks = suites.flatMap(lostChecks);
  return checks.length === 0 ? [] : [{ code: 'lost-checks', checks }];
}

function lostChecks({
  suite,
  scoring,
  baseScoring,
  runs,
}: SuiteRun): ReasonOf<'lost-checks'>['checks'] {
  if (baseScoring === null) return [];
  const lost = runs.flatMap((run) => {
    const { before, after } = checksOf(run);
    const { reference, baseReference } = run.affected;
    const known = new Set(metricsFor(scoring.tests, reference).map(withoutName));
    const renamed = new Set(
      metricsFor(baseScoring.tests, baseReference ?? reference).flatMap((metric) =>
        known.has(withoutName(metric)) ? [metric.name] : [],
      ),
    );
    return [...before].filter((name) => !after.has(name) && !renamed.has(name));
  });
  return [...Map.groupBy(lost, (name) => name)].map(([metric, { length }]) => ({
    suite: suite.name,
    metric,
    references: length,
  }));
}

function withoutName(metric: Metric): string {
  return metricIdentity({ ...metric, name: '' });
}

/** References (as `suite: id`) whose prompt or input changed, but not their id. */
export function changedRequestIds(suites: readonly SuiteRun[]): string[] {
  const changed = suites.flatMap(({ suite, runs }) =>
    runs.flatMap(({ affected: { reference, baseReference } }) => {
      const asked = new Set(askedWith(reference));
      return baseReference === null || askedWith(baseReference).every((part) => asked.has(part))
        ? []
        : [`${suite.path}: ${reference.id}`];
    }),
  );
  return [...new Set(changed)];
}

function askedWith({ input, thread }: Reference): string[] {
  const said = (thread ?? []).filter(isOfUser);
  return [...Object.values(input), ...said.map(({ content }) => content)].map(canonicalJson);
}
