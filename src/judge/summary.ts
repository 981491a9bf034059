import type { CaseRun, ComparedLane } from '../plan/suite-run.ts';
import type { PassRate, SuiteResult, Verdict } from '../result/suite-result.ts';
import { scoreNames } from '../select/scoring.ts';
import { gates } from '../select/select.ts';
import { FULL_TRIES, SCREEN_TRIES } from '../statistics/adaptive-levels.ts';
import { isComparable } from '../statistics/table.ts';
import { designOf, settlingSize } from '../statistics/visible-drop.ts';
import { inSize, pValue, percent, counted, pointsBetween, signed } from '../text/amounts.ts';
import type { Side } from '../types/plain.ts';
import { countOutcomes, meanOfTables, meanRate, preferenceTables } from './tables.ts';
import type { LaneVerdict } from './verdict.ts';

/**
 * References that a suite's rates rest on: the compared ones, or all that gate where nothing is
 * compared.
 */
export function ratedRuns({ run, compared, quarantined }: ComparedLane): readonly CaseRun[] {
  return compared.length > 0
    ? compared
    : run.runs.filter((one) => gates(run.lane, one.case) && !quarantined(one.case.reference.id));
}

/** How many tries of these: those that all share where suspects got more, else all of them. */
export function ratedTries({ policy }: ComparedLane, verdict: LaneVerdict | null): number {
  return policy.kind === 'adaptive' && verdict !== null ? verdict.tries : Number.POSITIVE_INFINITY;
}

/**
 * Where sides are compared, the rates are those of the references that were judged on both, so that
 * they are as far apart as the difference says.
 */
export function passRate(lane: ComparedLane, verdict: LaneVerdict | null): PassRate {
  if (verdict === null || verdict.interval === null) {
    const [runs, tries] = [ratedRuns(lane), ratedTries(lane, verdict)];
    return {
      base: meanRate(runs, 'base', tries),
      head: meanRate(runs, 'head', tries),
      difference: null,
      low: null,
      high: null,
      p: null,
    };
  }
  const {
    interval: { difference, low, high },
    p,
    tables,
  } = verdict;
  return {
    base: meanOfTables(tables, 'base'),
    head: meanOfTables(tables, 'head'),
    difference,
    low,
    high,
    p,
  };
}

/** References that were judged on both sides. */
export function comparedReferences(
  { run, policy, compared }: ComparedLane,
  { tables }: LaneVerdict,
): number {
  if (policy.kind !== 'pairs') return tables.filter(isComparable).length;
  return compared.filter((one) => preferenceTables(run.deciding.tests, [one]).length > 0).length;
}

export function metricRates(
  lane: ComparedLane,
  verdict: LaneVerdict | null,
): SuiteResult['metrics'] {
  const { deciding } = lane.run;
  const [runs, tries] = [ratedRuns(lane), ratedTries(lane, verdict)];
  const rate = (name: string, side: Side): { rate: number | null; judged: number } => {
    const statuses = runs.flatMap((run) =>
      run[side]
        .slice(0, tries)
        .flatMap(({ result }) =>
          result.scores.filter(({ metric }) => metric === name).map(({ status }) => status),
        ),
    );
    const { passes, tries: judged } = countOutcomes(statuses);
    return { judged, rate: judged === 0 ? null : passes / judged };
  };
  return scoreNames(deciding.tests).map((name) => {
    const [base, head] = [rate(name, 'base'), rate(name, 'head')];
    return {
      name,
      base: base.rate,
      head: head.rate,
      judged_base: base.judged,
      judged_head: head.judged,
    };
  });
}

export function summaryOf(
  shown: Verdict,
  rate: PassRate,
  verdict: LaneVerdict | null,
  lane: ComparedLane,
): string {
  if (verdict === null || verdict.interval === null) return plainSummary(shown, rate);
  const { policy, gate } = lane;
  const {
    interval: { low, high },
    p,
    tries,
    visibleDrop: drop,
  } = verdict;
  const ruledOut =
    low >= 0
      ? 'rules out any drop'
      : low <= -1
        ? 'rules out no drop'
        : `rules out a drop above ${inSize(low)} points`;
  const sees =
    drop === null ? 'cannot see any drop' : `usually sees drops of ${inSize(drop)} points`;
  const more =
    policy.kind === 'adaptive' && tries === SCREEN_TRIES
      ? `, up to ${String(FULL_TRIES)} where it looks worse`
      : '';
  return (
    `pass rate ${percent(rate.base)} → ${percent(rate.head)} (${pointsBetween(rate.base, rate.head)}, 90 % interval ${signed(low)} to ${signed(high)}, ` +
    `${pValue(p)}); ${ruledOut}; this suite (${counted(comparedReferences(lane, verdict), 'reference')} × ${tries === 1 ? '1 try' : `${String(tries)} tries`}${more}) ${sees}.` +
    (shown === 'inconclusive' ? ` ${whatSettles(verdict, gate.tolerance)}` : '')
  );
}

/** What would turn "inconclusive" into an answer, if in truth nothing changed. */
function whatSettles({ tables, tries: made }: LaneVerdict, tolerance: number): string {
  const design = designOf(tables);
  const { tries, references } = settlingSize(design, tolerance);
  const tolerated = `a drop above the tolerance of ${inSize(tolerance)} points`;
  if (references !== null && references <= design.references)
    return `A run of this size usually rules out ${tolerated} where nothing changed; this one saw too much of a drop for that.`;
  const ways = [
    ...(tries === null || tries <= made ? [] : [`${String(tries)} tries of each reference`]),
    ...(references === null ? [] : [counted(references, 'reference')]),
  ];
  return ways.length === 0
    ? `No affordable number of tries or references would rule out ${tolerated}.`
    : `To rule out ${tolerated} takes about ${ways.join(' or ')}.`;
}

function plainSummary(shown: Verdict, rate: PassRate): string {
  if (shown === 'new') return `new: pass rate ${percent(rate.head)}, nothing to compare with.`;
  if (shown === 'removed') return 'removed by this change.';
  if (shown === 'unchanged')
    return `the prompt asks for the same answers on both sides; pass rate ${percent(rate.head)}.`;
  if (shown === 'not_compared')
    return `base cannot answer these references; pass rate on head ${percent(rate.head)}.`;
  return 'nothing was judged.';
}
