import { everyMetric } from '../../kernel/suite/metrics.ts';
import type { Tests } from '../../kernel/suite/suite.ts';
import type { Metric } from '../../types/metric.ts';

/**
 * Null if several graders decide the verdict, because the error rate of one does not apply to the
 * others.
 */
export type SoleJudge =
  { kind: 'rubric'; metric: Metric; rubric: string } | { kind: 'own'; score: string };

export function soleJudge(tests: Tests): SoleJudge | null {
  const gating = everyMetric(tests).filter(({ skip }) => !skip);
  const [metric] = gating;
  if (tests.own !== null) {
    const score = tests.own.kind.soleScore(tests.own, tests.references);
    return gating.length === 0 && score !== null ? { kind: 'own', score } : null;
  }
  if (gating.length !== 1 || metric?.source.kind !== 'rubric') return null;
  return tests.metrics.includes(metric)
    ? { kind: 'rubric', metric, rubric: metric.source.rubric }
    : null;
}
