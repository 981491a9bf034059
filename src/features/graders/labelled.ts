import type { MeasuredGrader } from '../../app/run/feature.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import { gradersFor } from '../../kernel/suite/metrics.ts';
import { boundsOf, valueDirection, passingLabels } from '../../metrics/passing.ts';
import type { Metric, Rubric } from '../../types/metric.ts';
import { judgingIdentity, type TestedRubric } from './plan.ts';

export function judgeByRubric({ rubric: tested, graders, examples }: TestedRubric): MeasuredGrader {
  return (sole, deciding) => {
    if (sole.kind !== 'rubric') return null;
    const { metric, rubric: name } = sole;
    const rubric = deciding.rubrics.get(name);
    if (rubric === undefined) return null;
    if (judgingIdentity(rubric, gradersFor(metric, deciding)) !== judgingIdentity(tested, graders))
      return null;
    const passes = passingOf(metric, rubric, deciding.rubrics);
    if (passes === null) return null;
    const known = examples.filter(({ expected }) => rubric.choice_scores.has(expected));
    const counts = (good: boolean): Counts => {
      const own = known.filter(({ expected }) => passes(expected) === good);
      const right = own.filter(({ label }) => passes(label) === good);
      return { tries: own.length, passes: right.length };
    };
    return { good: counts(true), bad: counts(false), who: `the grader of ${metric.name} tells` };
  };
}

function passingOf(
  metric: Metric,
  rubric: Rubric,
  rubrics: ReadonlyMap<string, Rubric>,
): ((label: string) => boolean) | null {
  const bounds = boundsOf(metric, valueDirection(metric, rubrics));
  if (bounds !== null)
    return (label) => {
      const score = rubric.choice_scores.get(label);
      const { min = -Infinity, max = Infinity } = bounds;
      return score !== undefined && score >= min && score <= max;
    };
  const labels = passingLabels(rubric, metric);
  return labels === null ? null : (label) => labels.has(label);
}
