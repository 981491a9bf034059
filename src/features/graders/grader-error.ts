import { objectRate } from '../../kernel/judge/metric-rows.ts';
import { ratedRuns } from '../../kernel/judge/summary.ts';
import type { SuiteVerdict } from '../../kernel/judge/verdict.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { GraderError, PassRate } from '../../kernel/result/suite-result.ts';
import {
  gradersIdentity,
  rubricIdentity,
  steeringFor,
  type Scoring,
} from '../../kernel/select/scoring.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import {
  CONVERSATION_SCORE,
  directionIn,
  gradersFor,
  soleJudge,
  type SoleJudge,
} from '../../kernel/suite/metrics.ts';
import { OBJECT_WORDS } from '../../metrics/objects.ts';
import { boundsOf, passingLabels } from '../../metrics/passing.ts';
import { percent } from '../../text/amounts.ts';
import type { Metric, Rubric } from '../../types/metric.ts';
import type { Grader } from '../../types/model.ts';
import { judging } from '../conversations/evaluator-plan.ts';
import type { TestedJudge } from './plan.ts';
import { correctedDifference, roganGladenInterval, wrongShare } from './rogan-gladen.ts';

/** Confidence of the intervals in the result. */
const CONFIDENCE = 0.9;

type Rate = Omit<PassRate, 'p'>;

/** How many of the good labelled answers, and of the bad ones, the grader calls good and bad. */
interface Labelled {
  good: Counts;
  bad: Counts;
}

/**
 * A suite's rates without the errors of its grader, and whether they differ by more than it errs.
 * References count as one answer each, however many tries they have: tries of one are alike, and so
 * are the objects of one dialogue where each is judged. Null where nothing judges alone, or was held
 * against no labels of both kinds.
 */
export function graderErrorOf(
  suite: SuiteComparison,
  rate: PassRate,
  verdict: SuiteVerdict | null,
  judges: readonly TestedJudge[],
): GraderError | null {
  const { deciding } = suite.run;
  const sole = suite.policy.kind === 'references' ? null : soleJudge(deciding.tests);
  const labelled = sole && labelledBy(sole, deciding, judges);
  if (sole === null || labelled === null) return null;
  const runs = ratedRuns(suite);
  const single = sole.kind === 'rubric' && sole.metric.every !== undefined ? sole.metric : null;
  const seen = single === null ? rate : objectRate(single.name, suite, runs, verdict);
  if (seen.base === null && seen.head === null) return null;
  return {
    metric: sole.kind === 'rubric' ? sole.metric.name : CONVERSATION_SCORE,
    ...(single && { objects: { level: single.level, base: seen.base, head: seen.head } }),
    ...correctRates(seen, labelled, runs.length),
  };
}

/** How those who judge alone did on labelled answers; null without good and bad ones among them. */
function labelledBy(
  sole: SoleJudge,
  deciding: Scoring,
  judges: readonly TestedJudge[],
): Labelled | null {
  const labelled =
    sole.kind === 'rubric' ? ofRubric(sole, deciding, judges) : ofEvaluators(deciding, judges);
  return labelled === null || labelled.good.tries === 0 || labelled.bad.tries === 0
    ? null
    : labelled;
}

function ofRubric(
  { metric, rubric: name }: Extract<SoleJudge, { kind: 'rubric' }>,
  deciding: Scoring,
  judges: readonly TestedJudge[],
): Labelled | null {
  const rubric = deciding.rubrics.get(name);
  if (rubric === undefined) return null;
  const identity = identityOf(rubric, gradersFor(metric, deciding));
  const [judge] = judges.flatMap((tested) =>
    tested.kind === 'rubric' && identityOf(tested.rubric, tested.graders) === identity
      ? [tested]
      : [],
  );
  const passes = passingOf(metric, rubric, deciding.rubrics);
  if (judge === undefined || passes === null) return null;
  const known = judge.examples.filter(({ expected }) => rubric.choice_scores.has(expected));
  const labelled = (good: boolean): Counts => {
    const own = known.filter(({ expected }) => passes(expected) === good);
    return { tries: own.length, passes: own.filter(({ label }) => passes(label) === good).length };
  };
  return { good: labelled(true), bad: labelled(false) };
}

/**
 * How all evaluators of a conversation together did on labelled answers: a dialogue passes where
 * every criterion is met.
 */
function ofEvaluators(deciding: Scoring, judges: readonly TestedJudge[]): Labelled | null {
  const steering = steeringFor(deciding);
  const identity = steering && judging(steering);
  const [judge] = judges.flatMap((tested) =>
    tested.kind === 'evaluators' && tested.judging === identity ? [tested] : [],
  );
  if (judge === undefined) return null;
  const { accepted: good, rejected } = judge;
  return { good, bad: { tries: rejected.tries, passes: rejected.tries - rejected.passes } };
}

function correctRates(
  rate: Rate,
  { good, bad }: Labelled,
  references: number,
): Omit<GraderError, 'metric' | 'objects'> {
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

function identityOf(rubric: Rubric, graders: readonly Grader[]): string {
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

/** The note on a difference that lies within the grader's own error; see {@link graderErrorOf}. */
export function withinError(error: GraderError | null): string {
  if (error === null || error.kind === 'corrected') return '';
  const { metric, objects, kind, wrong } = error;
  const who =
    metric === CONVERSATION_SCORE ? 'the evaluators tell' : `the grader of ${metric} tells`;
  if (kind === 'no better than chance')
    return ` By its labelled examples ${who} good from bad no better than chance.`;
  const [what, answers] =
    objects === undefined
      ? ['The difference', 'answers']
      : [`The difference by ${OBJECT_WORDS[objects.level]}`, `${OBJECT_WORDS[objects.level]}s`];
  return ` ${what} is within the grader's own error: it gets about ${percent(wrong)} of such ${answers} wrong.`;
}
