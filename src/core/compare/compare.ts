import type {
  PassRate,
  ReferenceResult,
  ReferenceStatus,
  SideResult,
  Side,
  SuiteResult,
  TryResult,
  Verdict,
} from '../../types.ts';
import { conversationSummary } from '../conversation/conversation-summary.ts';
import { discreteFdr } from '../../statistics/discrete-fdr.ts';
import { referenceTest } from '../../statistics/reference-test.ts';
import { settlingSize } from '../../statistics/settling-size.ts';
import { SCREEN_TRIES, FULL_TRIES } from '../../statistics/adaptive-levels.ts';
import { isComparable } from '../../statistics/table.ts';
import { designOf } from '../../statistics/visible-drop.ts';
import { tallyOf, type RollupWord } from './rollup.ts';
import type { CaseRun, LaneRun } from '../trial/rounds.ts';
import { classificationOf } from './classification.ts';
import { preferenceOf, preferenceTables } from './preference.ts';
import { countOutcomes, meanOfTables, meanRate } from './tables.ts';
import type { ComparedLane, LaneVerdict } from './verdict.ts';
import type { RunWords } from './rollup-words.ts';
import { inSize, percent, plural, pointsBetween, pValue, signed } from '../../text/amounts.ts';
import { scoreCount, scoreNames } from '../fingerprint/yardstick.ts';
import { gates } from '../select/select.ts';

/** At this false-discovery rate a single reference is called regressed or improved. */
const REFERENCE_FDR = 0.05;

/**
 * One lane as the result shows it: counts, statuses, rates with interval, and the verdict in words.
 */
export function compareLane(
  lane: ComparedLane,
  verdict: LaneVerdict | null,
  words: ReadonlyMap<CaseRun, RunWords>,
): SuiteResult {
  const { run, compared } = lane;
  const { path, name, variant, baseVariant, because } = run.lane;
  const statuses = referenceStatuses(compared, verdict);
  const references = run.runs.map((one) =>
    referenceResult(lane, one, words.get(one), statuses.get(one)),
  );
  const removed = run.lane.cases
    .filter(({ change }) => change === 'removed')
    .map(({ reference }) => removedReference(reference));
  const rate = passRate(lane, verdict);
  const conversation = conversationSummary(run, ratedRuns(lane), ratedTries(lane, verdict));
  const preference = preferenceOf(run.deciding.tests, compared);
  const classification = classificationOf(
    run.deciding.tests,
    ratedRuns(lane),
    ratedTries(lane, verdict),
  );
  const shown: Verdict = verdict?.verdict ?? uncomparedVerdict(run);
  return {
    path,
    name,
    variant,
    base_variant: baseVariant,
    because,
    ...(Object.keys(lane.ownGate).length === 0 ? {} : { gate: lane.ownGate }),
    pass_rate: rate,
    verdict: shown,
    summary: summaryOf(shown, rate, verdict, lane),
    visible_drop: verdict?.visibleDrop ?? null,
    compared: {
      references: verdict === null ? 0 : comparedReferences(lane, verdict),
      tries: verdict?.tries ?? 0,
    },
    references: [...references, ...removed],
    metrics: metricRates(lane, verdict),
    ...(conversation === null ? {} : { conversation }),
    ...(preference === null ? {} : { preference }),
    ...(classification === null ? {} : { classification }),
  };
}

/** A lane in which nothing had to be told apart. */
function uncomparedVerdict({ lane, runs }: LaneRun): Verdict {
  if (lane.head === null) return 'removed';
  if (lane.base === null) return runs.length > 0 ? 'new' : 'no_data';
  const asked = runs.filter(({ base, head }) => base.length > 0 || head.length > 0);
  if (asked.length === 0) return 'no_data';
  return runs.some(({ base }) => base.length > 0) ? 'unchanged' : 'not_compared';
}

interface Status {
  status: ReferenceStatus | null;
  p: number | null;
  q: number | null;
}

/** Which single references the tests call regressed or improved. */
function referenceStatuses(
  compared: readonly CaseRun[],
  verdict: LaneVerdict | null,
): Map<CaseRun, Status> {
  if (verdict === null) return new Map();
  const { down, up } = discreteFdr(verdict.own);
  return new Map(
    compared.map((run, index) => {
      const table = verdict.own[index];
      const q = down[index] ?? 1;
      const p = table === undefined ? null : referenceTest(table).down;
      const status =
        verdict.broke.has(run) || q <= REFERENCE_FDR
          ? 'regressed'
          : (up[index] ?? 1) <= REFERENCE_FDR
            ? 'improved'
            : null;
      return [run, { status, p, q }];
    }),
  );
}

function referenceResult(
  { run: { deciding }, quarantined }: ComparedLane,
  run: CaseRun,
  words: RunWords | undefined,
  found: Status | undefined,
): ReferenceResult {
  const { reference } = run.case;
  const metrics = scoreCount(deciding.tests, reference);
  const skip = deciding.tests.skip || reference.skip;
  const base = sideResult(run, 'base', words?.base, metrics, skip);
  const head = sideResult(run, 'head', words?.head, metrics, skip);
  return {
    id: reference.id,
    file: reference.place.file,
    line: reference.place.line,
    tags: reference.tags,
    skip,
    ...(quarantined(reference.id) ? { quarantined: true } : {}),
    input: reference.input,
    expected: reference.expected ?? null,
    status: found?.status ?? plainStatus(run, base, head),
    p: found?.p ?? null,
    q: found?.q ?? null,
    base,
    head,
  };
}

function sideResult(
  run: CaseRun,
  side: Side,
  word: RollupWord | undefined,
  metrics: number,
  skip: boolean,
): SideResult | null {
  if (run.case[side] === null) return null;
  const tries: TryResult[] = run[side].map(({ result }) => result);
  const { passes, tries: judged } = countOutcomes(tries.map(({ outcome }) => outcome));
  return {
    tally: tallyOf(tries, metrics, skip),
    rollup: word?.word ?? null,
    passes,
    tries_judged: judged,
    tries,
  };
}

/**
 * The status of a reference that no test calls: in the order of the specification, the first that
 * holds.
 */
function plainStatus(
  { case: { change } }: CaseRun,
  base: SideResult | null,
  head: SideResult | null,
): ReferenceStatus {
  const unjudged = [base, head]
    .filter((side) => side !== null)
    .find(({ tries_judged }) => tries_judged === 0);
  if (unjudged !== undefined)
    return unjudged.tries.some(({ outcome }) => outcome === 'ungraded') ? 'ungraded' : 'error';
  if (change === 'added' || change === 'edited') return change;
  if (base === null) return head?.rollup ?? 'error';
  if (head === null) return 'removed';
  if (hasFlipped(base, head)) return 'inconclusive';
  return isMixed(base) || isMixed(head) ? 'flaky' : 'unchanged';
}

function hasFlipped(base: SideResult, head: SideResult): boolean {
  return base.rollup !== null && head.rollup !== null && base.rollup !== head.rollup;
}

function isMixed({ passes, tries_judged }: SideResult): boolean {
  return passes > 0 && passes < tries_judged;
}

function removedReference(reference: CaseRun['case']['reference']): ReferenceResult {
  return {
    id: reference.id,
    file: reference.place.file,
    line: reference.place.line,
    tags: reference.tags,
    skip: reference.skip,
    input: reference.input,
    expected: reference.expected ?? null,
    status: 'removed',
    p: null,
    q: null,
    base: null,
    head: null,
  };
}

/**
 * References that a suite's rates rest on: the compared ones, or all that gate where nothing is
 * compared.
 */
function ratedRuns({ run, compared, quarantined }: ComparedLane): readonly CaseRun[] {
  return compared.length > 0
    ? compared
    : run.runs.filter((one) => gates(run.lane, one.case) && !quarantined(one.case.reference.id));
}

/** How many tries of these: those that all share where suspects got more, else all of them. */
function ratedTries({ policy }: ComparedLane, verdict: LaneVerdict | null): number {
  return policy.kind === 'adaptive' && verdict !== null ? verdict.tries : Number.POSITIVE_INFINITY;
}

/**
 * Where sides are compared, the rates are those of the references that were judged on both, so that
 * they are as far apart as the difference says.
 */
function passRate(lane: ComparedLane, verdict: LaneVerdict | null): PassRate {
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
function comparedReferences(
  { run, policy, compared }: ComparedLane,
  { tables }: LaneVerdict,
): number {
  if (policy.kind !== 'pairs') return tables.filter(isComparable).length;
  return compared.filter((one) => preferenceTables(run.deciding.tests, [one]).length > 0).length;
}

function metricRates(lane: ComparedLane, verdict: LaneVerdict | null): SuiteResult['metrics'] {
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

function summaryOf(
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
    `${pValue(p)}); ${ruledOut}; this suite (${plural(comparedReferences(lane, verdict), 'reference')} × ${tries === 1 ? '1 try' : `${String(tries)} tries`}${more}) ${sees}.` +
    (shown === 'inconclusive' ? ` ${whatSettles(verdict, gate.tolerance)}` : '')
  );
}

/** What would turn "cannot tell" into an answer, if in truth nothing changed. */
function whatSettles({ tables, tries: made }: LaneVerdict, tolerance: number): string {
  const design = designOf(tables);
  const { tries, references } = settlingSize(design, tolerance);
  const tolerated = `a drop above the tolerance of ${inSize(tolerance)} points`;
  if (references !== null && references <= design.references)
    return `A run of this size usually rules out ${tolerated} where nothing changed; this one saw too much of a drop for that.`;
  const ways = [
    ...(tries === null || tries <= made ? [] : [`${String(tries)} tries of each reference`]),
    ...(references === null ? [] : [plural(references, 'reference')]),
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
