import { boundsOf, passingLabels } from '../metrics/passing.ts';
import type { TestedJudge } from '../plan/grader-tests.ts';
import type { SuiteComparison } from '../plan/suite-run.ts';
import type { GraderError, PassRate } from '../result/suite-result.ts';
import { gradersIdentity, rubricIdentity } from '../select/scoring.ts';
import {
  correctedDifference,
  roganGladenInterval,
  wrongShare,
} from '../statistics/rogan-gladen.ts';
import type { Counts } from '../statistics/table.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import { directionIn, gradersFor, soleRubric } from '../suite/metrics.ts';
import { percent } from '../text/amounts.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import { ratedRuns } from './summary.ts';

/** Of the interval of a difference in the result. */
const CONFIDENCE = 0.9;

/**
 * A suite's rates without the errors of its grader, and whether they differ by more than it errs.
 * References count as one answer each, however many tries they have: tries of one are alike. Null
 * where a rubric does not judge alone, or its grader was held against no labels of both kinds.
 */
export function graderErrorOf(
  suite: SuiteComparison,
  rate: PassRate,
  judges: readonly TestedJudge[],
): GraderError | null {
  const { deciding } = suite.run;
  const sole = soleRubric(deciding.tests);
  const rubric = sole && deciding.rubrics.get(sole.rubric);
  if (!sole || !rubric || suite.policy.kind === 'references') return null;
  const identity = identityOf(rubric, gradersFor(sole.metric, deciding));
  const judge = judges.find((one) => identityOf(one.rubric, one.graders) === identity);
  const passes = judge && passingOf(sole.metric, rubric, deciding.rubrics);
  if (!judge || !passes || (rate.base === null && rate.head === null)) return null;
  const known = judge.examples.filter(({ expected }) => rubric.choice_scores.has(expected));
  const labelled = (good: boolean): Counts => {
    const own = known.filter(({ expected }) => passes(expected) === good);
    return { tries: own.length, passes: own.filter(({ label }) => passes(label) === good).length };
  };
  const [good, bad] = [labelled(true), labelled(false)];
  if (good.tries === 0 || bad.tries === 0) return null;
  return corrected(sole.metric.name, rate, { good, bad }, ratedRuns(suite).length);
}

function corrected(
  metric: string,
  rate: PassRate,
  { good, bad }: Record<'good' | 'bad', Counts>,
  references: number,
): GraderError {
  const side = (share: number | null): GraderError['base'] =>
    share === null
      ? null
      : roganGladenInterval(
          { passes: share * references, tries: references },
          good,
          bad,
          CONFIDENCE,
        );
  const wrongs = [rate.base, rate.head].flatMap((share) => {
    const wrong = share === null ? null : wrongShare(share, good, bad);
    return wrong === null ? [] : [wrong];
  });
  const wrong = wrongs.length === 0 ? null : Math.max(...wrongs);
  const { difference, low, high } = rate;
  const between =
    difference === null || low === null || high === null
      ? null
      : correctedDifference({ difference, low, high }, good, bad, CONFIDENCE);
  return {
    metric,
    kind: kindOf(difference, wrong),
    good: { right: good.passes, n: good.tries },
    bad: { right: bad.passes, n: bad.tries },
    wrong,
    base: side(rate.base),
    head: side(rate.head),
    difference: between,
  };
}

function kindOf(difference: number | null, wrong: number | null): GraderError['kind'] {
  if (wrong === null) return 'no better than chance';
  const seen = Math.abs(difference ?? 0);
  return seen > 0 && seen <= wrong ? 'within error' : 'corrected';
}

function identityOf(rubric: Rubric, graders: TestedJudge['graders']): string {
  return canonicalJson([rubricIdentity(rubric), gradersIdentity(graders)]);
}

/** Whether an answer with a label passes; null where nothing says so. */
function passingOf(
  metric: Metric,
  rubric: Rubric,
  rubrics: ReadonlyMap<string, Rubric>,
): ((label: string) => boolean) | null {
  const bounds = boundsOf(metric, directionIn(metric, rubrics));
  if (bounds !== null)
    return (label) => {
      const score = rubric.choice_scores.get(label);
      const { min = -Infinity, max = Infinity } = bounds;
      return score !== undefined && score >= min && score <= max;
    };
  const labels = passingLabels(rubric, metric);
  return labels === null ? null : (label) => labels.has(label);
}

/** What a difference is worth that is within the grader's own error. */
export function withinError(error: GraderError | null): string {
  if (error === null || error.kind === 'corrected') return '';
  if (error.kind === 'no better than chance')
    return ` By its labelled examples the grader of ${error.metric} tells good from bad no better than chance.`;
  return ` The difference is within the grader’s own error: it gets about ${percent(error.wrong)} of such answers wrong.`;
}
