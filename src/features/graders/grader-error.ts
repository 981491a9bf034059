import type { LabelCounts, MeasuredGrader } from '../../app/run/feature.ts';
import { soleJudge, type SoleJudge } from '../../app/run/sole-judge.ts';
import { objectRate } from '../../kernel/judge/metric-rows.ts';
import { ratedRuns } from '../../kernel/judge/rates.ts';
import type { SuiteRow, SuiteVerdict } from '../../kernel/judge/suite-row.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { PassRate, SuiteResult } from '../../kernel/result/suite-result.ts';
import type { GraderError } from './result.ts';
import { correctedDifference, roganGladenInterval, wrongShare } from './rogan-gladen.ts';

const CONFIDENCE = 0.9;

type Rate = Omit<PassRate, 'p'>;

type CorrectedRow = Pick<SuiteRow, 'comparison' | 'verdict'> & {
  result: Pick<SuiteResult, 'pass_rate'>;
};

export function correctedRates(
  { comparison: suite, verdict, result: { pass_rate: rate } }: CorrectedRow,
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
  rate: Rate,
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
