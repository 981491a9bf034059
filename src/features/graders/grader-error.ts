import type { LabelCounts, MeasuredGrader } from '../../app/run/feature.ts';
import { soleJudge, type SoleJudge } from '../../app/run/sole-judge.ts';
import { objectRate } from '../../kernel/judge/metric-rows.ts';
import { ratedRuns } from '../../kernel/judge/rates.ts';
import type { SuiteRow, SuiteVerdict } from '../../kernel/judge/suite-row.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { PassRate, SuiteResult } from '../../kernel/result/suite-result.ts';
import { normalQuantile } from '../../kernel/statistics/distributions.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import { gradersFor } from '../../kernel/suite/metrics.ts';
import { boundsOf, valueDirection, passingLabels } from '../../metrics/passing.ts';
import type { Metric, Rubric } from '../../types/metric.ts';
import type { GraderError } from './result.ts';
import { judgingIdentity, type TestedRubric } from './rubric-tests.ts';

const CONFIDENCE = 0.9;

export function correctedRates(
  { comparison: suite, verdict, result: { pass_rate: rate } }: SuiteRow,
  judges: readonly MeasuredGrader[],
): Pick<SuiteResult, 'grader_error'> {
  const { scoring } = suite.run;
  const sole = suite.policy.kind === 'references' ? null : soleJudge(scoring.tests);
  const [labelled] = sole === null ? [] : judges.flatMap((judge) => judge(sole, scoring) ?? []);
  if (sole === null || labelled === undefined) return {};
  const error = graderErrorOf(suite, rate, verdict, { sole, labelled });
  return error === null ? {} : { grader_error: error };
}

function graderErrorOf(
  suite: SuiteComparison,
  rate: PassRate,
  verdict: SuiteVerdict | null,
  { sole, labelled }: { sole: SoleJudge; labelled: LabelCounts },
): GraderError | null {
  if (labelled.good.tries === 0 || labelled.bad.tries === 0) return null;
  const runs = ratedRuns(suite);
  if (sole.kind === 'own') {
    const corrected = correctRates(rate, labelled, runs.length);
    return corrected && { metric: sole.score, ...corrected };
  }
  const { name: metric, every, level } = sole.metric;
  const seen = every === undefined ? rate : objectRate(metric, suite, verdict);
  const corrected = correctRates(seen, labelled, runs.length);
  const objects = { level, base: seen.base, head: seen.head };
  return corrected && { metric, ...(every === undefined ? {} : { objects }), ...corrected };
}

function correctRates(
  rate: Omit<PassRate, 'p'>,
  { good, bad }: LabelCounts,
  references: number,
): Omit<GraderError, 'metric' | 'objects'> | null {
  if (rate.base === null && rate.head === null) return null;
  const side = (share: number | null) =>
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
    kind: errorKind(difference, wrong),
    good: { right: good.passes, n: good.tries },
    bad: { right: bad.passes, n: bad.tries },
    wrong,
    base: side(rate.base),
    head: side(rate.head),
    difference: between,
  };
}

function errorKind(difference: number | null, wrong: number | null): GraderError['kind'] {
  if (wrong === null) return 'no better than chance';
  const seen = Math.abs(difference ?? 0);
  return seen > 0 && seen <= wrong ? 'within error' : 'corrected';
}

/**
 * The pass rate p corrected for grader errors: (p + TNR − 1) / (TPR + TNR − 1), clamped to 0–1.
 * Null if TPR + TNR <= 1. Rogan and Gladen 1978.
 */
export function roganGladen(
  rate: number,
  truePositiveRate: number,
  trueNegativeRate: number,
): number | null {
  const quality = truePositiveRate + trueNegativeRate - 1;
  return quality > 0 ? clampToUnit((rate + trueNegativeRate - 1) / quality) : null;
}

/**
 * In `positives` (answers labelled good) and `negatives` (labelled bad), a pass is an answer that
 * the grader judges correctly. Null if the grader is not better than chance. Source: Lee et al.
 * 2025 (arXiv 2511.21140). Adds z²/2 to passes and failures of judged answers, and 1 to those of
 * labelled answers.
 */
export function roganGladenInterval(
  judged: Counts,
  positives: Counts,
  negatives: Counts,
  confidence = 0.95,
): { rate: number; low: number; high: number } | null {
  if (judged.tries === 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const tries = judged.tries + z * z;
  const p = (judged.passes + (z * z) / 2) / tries;
  const {
    good: { rate: right1, spread: spread1 },
    bad: { rate: right0, spread: spread0 },
  } = qualityOf(positives, negatives);
  const quality = right1 + right0 - 1;
  if (quality <= 0) return null;

  const rate = (p + right0 - 1) / quality;
  const shift = 2 * z * z * (rate * spread1 - (1 - rate) * spread0);
  const error =
    Math.sqrt((p * (1 - p)) / tries + (1 - rate) ** 2 * spread0 + rate ** 2 * spread1) / quality;
  return {
    rate: clampToUnit(rate),
    low: clampToUnit(rate + shift - z * error),
    high: clampToUnit(rate + shift + z * error),
  };
}

/** `rate`: share of answers judged correctly. `spread`: the rate's variance. */
function qualityOf(positives: Counts, negatives: Counts) {
  const smoothed = ({ passes, tries }: Counts) => {
    const rate = (passes + 1) / (tries + 2);
    return { rate, spread: (rate * (1 - rate)) / (tries + 2) };
  };
  return { good: smoothed(positives), bad: smoothed(negatives) };
}

/**
 * The corrected difference: difference / (TPR + TNR − 1), from −1 to 1. Its interval includes the
 * grader's uncertainty. MOVER method (Zou and Donner 2008), smoothed as in {@link
 * roganGladenInterval}.
 */
export function correctedDifference(
  { difference, low, high }: { difference: number; low: number; high: number },
  positives: Counts,
  negatives: Counts,
  confidence = 0.9,
): { difference: number; low: number; high: number } | null {
  const { good, bad } = qualityOf(positives, negatives);
  const quality = good.rate + bad.rate - 1;
  if (quality <= 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const doubt = (z * Math.abs(difference) * Math.sqrt(good.spread + bad.spread)) / quality ** 2;
  const value = difference / quality;
  return {
    difference: clampToUnit(value, -1),
    low: clampToUnit(value - Math.hypot((difference - low) / quality, doubt), -1),
    high: clampToUnit(value + Math.hypot((high - difference) / quality, doubt), -1),
  };
}

/** Share of answers that the grader misjudges, 0–1. */
export function wrongShare(rate: number, positives: Counts, negatives: Counts): number | null {
  const { good, bad } = qualityOf(positives, negatives);
  const truth = roganGladen(rate, good.rate, bad.rate);
  return truth === null ? null : truth * (1 - good.rate) + (1 - truth) * (1 - bad.rate);
}

function clampToUnit(value: number, least = 0): number {
  return Math.min(1, Math.max(least, value));
}

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
