import { clusteredRuns, maxPlannedTries, tryOutcomes } from '../plan/ledger.ts';
import type { LookPlan } from '../plan/looks.ts';
import {
  countingRuns,
  isCritical,
  runUnderBase,
  underBase,
  type ReferenceRun,
  type SuiteComparison,
} from '../plan/suite-run.ts';
import type { VerdictSettings } from '../plan/tries.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import type { TryResult } from '../result/reference-result.ts';
import type { ScoringResult } from '../result/scoring-result.ts';
import type { Verdict } from '../result/suite-result.ts';
import type { Scoring } from '../select/scoring.ts';
import { fellOrBroke } from '../statistics/fixed-tries.ts';
import { holmLevels } from '../statistics/holm.ts';
import { meanDifference } from '../statistics/interval.ts';
import { contrast } from '../statistics/look.ts';
import {
  RATE_TOLERANCE,
  countOutcomes,
  type Counts,
  countTable,
  isJudged,
  isWithoutOutcome,
  meanOfCounts,
  type Tries,
} from '../statistics/table.ts';
import { gatesByPreference, metricsFor } from '../suite/metrics.ts';
import type { UnderBaseFinding } from './gate-input.ts';
import { preferenceTries } from './preference.ts';
import { calledMoves, directionOf, fellAt, metricMoves, type MetricMove } from './values.ts';

/**
 * If the scoring (metrics, rubrics, graders) changes, base's scoring also judges head's answers, to
 * find drops of suites, individual references and mean values.
 */

export function splitRuns(suite: SuiteComparison): ReferenceRun[] {
  return countingRuns(suite).filter(({ base, head }) => base.length > 0 && head.length > 0);
}

/** Keys: whose answers, then whose scoring. */
type Corners = Record<keyof ScoringResult['rates'], Counts>;

export function countCorners(suite: SuiteComparison): Corners[] {
  const tries = splitTries(suite);
  const count = (outcomes: readonly TryResult['outcome'][]) =>
    countOutcomes(outcomes.slice(0, tries));
  return splitRuns(suite).map((run) => {
    const byHead = tryOutcomes(run);
    const byBase = tryOutcomes(runUnderBase(run));
    return {
      base_base: count(byBase.base),
      base_head: count(byHead.base),
      head_base: count(byBase.head),
      head_head: count(byHead.head),
    };
  });
}

function splitTries(suite: SuiteComparison): number {
  const runs = splitRuns(suite);
  return suite.policy.kind === 'adaptive'
    ? Math.min(...runs.map(({ base, head }) => Math.min(base.length, head.length)))
    : maxPlannedTries(suite, runs);
}

function judgedIn(corners: readonly Corners[], names: readonly (keyof Corners)[]): Corners[] {
  return corners.filter((reference) => names.every((name) => reference[name].tries > 0));
}

function meanRates(corners: readonly Corners[]): ScoringResult['rates'] {
  const rate = (name: keyof Corners) => meanOfCounts(corners.map((reference) => reference[name]));
  return {
    base_base: rate('base_base'),
    base_head: rate('base_head'),
    head_base: rate('head_base'),
    head_head: rate('head_head'),
  };
}

/**
 * Uses references with results in all four combinations of answers and scoring, because rates of
 * different references are not comparable. If there are none, uses those where both scorings judged
 * base's answers.
 */
export function cornerRates(corners: readonly Corners[]): ScoringResult['rates'] {
  const onBase = judgedIn(corners, ['base_base', 'base_head']);
  const whole = judgedIn(onBase, ['head_base', 'head_head']);
  return meanRates(whole.length > 0 ? whole : onBase);
}

export interface FallUnderBase {
  /** Pass rates by base's scoring, 0–1. */
  base: number;
  head: number;
  references: string[];
  /**
   * `passes`: head's answers pass by head's scoring as often as base's answers by base's.
   * `fewer-checks`: the same, but fewer metrics affect the gate.
   */
  excusedBy: 'none' | 'passes' | 'fewer-checks';
}

/**
 * Set if head does worse than base by base's scoring, beyond chance. A new answer format with new
 * scoring excuses this; fewer checks do not. `alpha` (0–1) is the suite's share.
 */
export function fallUnderBase(
  suite: SuiteComparison,
  { alpha, gate_on: on, churn }: VerdictSettings,
): FallUnderBase | null {
  const view = underBase(suite);
  if (view === null) return null;
  const corners = countCorners(suite);
  const { base_base, head_head } = cornerRates(corners);
  const judged = judgedIn(corners, ['base_base', 'head_base']);
  const { base_base: base, head_base: head } = meanRates(judged);
  if (base_base === null || head_head === null || base === null || head === null) return null;
  const most = splitTries(suite);
  const triesOf = (run: ReferenceRun): Tries => {
    const tries = tryOutcomes(run);
    return { base: tries.base.slice(0, most), head: tries.head.slice(0, most) };
  };
  const { tests } = view.run.scoring;
  const inPairs = gatesByPreference(tests);
  const rows = inPairs
    ? preferenceTries(tests, view.compared)
    : clusteredRuns(view.compared, triesOf);
  const isMeanOnly = inPairs || on === 'suite' || churn === 'accept';
  if (!fellOrBroke(contrast(rows), { alpha, minDrop: suite.gate.min_drop, isMeanOnly }))
    return null;
  const fell = suite.compared.filter((run) => {
    const table = countTable(triesOf(runUnderBase(run)));
    return (meanDifference([table]) ?? 0) < 0;
  });
  const passes = head_head >= base_base - RATE_TOLERANCE;
  const fewer = fell.some((run) => hasFewerChecks(suite.run.scoring, run));
  return {
    base,
    head,
    references: fell.map(({ affected: { reference } }) => reference.id),
    excusedBy: !passes ? 'none' : fewer ? 'fewer-checks' : 'passes',
  };
}

/**
 * Whether head loses checks without adding any, or keeps a check that no longer judges its answers.
 */
function hasFewerChecks({ tests }: Scoring, run: ReferenceRun): boolean {
  const { before, after } = checksOf({ ...run, base: [] });
  const has = new Set(metricsFor(tests, run.affected.reference).map(({ name }) => name));
  const lost = [...before].filter((name) => !after.has(name));
  return (
    lost.length > 0 &&
    ([...after].every((name) => before.has(name)) || lost.some((name) => has.has(name)))
  );
}

export function checksOf({ base, head }: ReferenceRun): {
  before: Set<string>;
  after: Set<string>;
} {
  const judging = (tries: readonly TryResult[]) =>
    new Set(
      tries.flatMap(({ scores }) =>
        scores.flatMap(({ metric, status, skip }) => (!skip && isJudged(status) ? [metric] : [])),
      ),
    );
  const tries = [...base, ...head];
  return {
    before: judging(tries.flatMap(({ byBase }) => byBase ?? [])),
    after: judging(tries.map(({ byHead }) => byHead)),
  };
}

interface JudgedSuite {
  comparison: SuiteComparison;
  verdict: {
    verdict: Verdict;
    underBase: FallUnderBase | null;
    moves: readonly MetricMove[];
    upTo: number;
    plan: LookPlan;
  } | null;
}

export interface SeparateFall {
  comparison: SuiteComparison;
  reason: UnderBaseFinding['reason'];
}

export function separateFalls(suites: readonly JudgedSuite[], alpha: number): SeparateFall[] {
  const green = suites.filter(({ verdict }) => verdict !== null && verdict.verdict !== 'regressed');
  const alike = Map.groupBy(green, ({ comparison: { gate } }) => gate.fail_on);
  return [...alike.values()].flatMap((group) => [
    ...group.flatMap(fallenReferences),
    ...fallenMeans(group, alpha),
  ]);
}

export function underBaseFindings(falls: readonly SeparateFall[]): UnderBaseFinding[] {
  const alike = Map.groupBy(falls, ({ comparison: { gate } }) => gate.fail_on);
  return [...alike].flatMap(([failOn, group]) => {
    const reasons = group.map(({ reason }) => reason);
    const references = reasons.flatMap((reason) =>
      reason.code === 'worse-under-base' ? reason.references : [],
    );
    const means = reasons.filter(({ code }) => code === 'mean-under-base');
    return [
      ...(references.length === 0
        ? []
        : [{ code: 'worse-under-base' as const, references, fails: false }]),
      ...means,
    ].map((reason) => ({ reason, failOn }));
  });
}

/** If base's scoring cannot judge more than this share of head's answers, warn. */
const MAX_UNREAD_SHARE = 0.02;

export function unreadByBase(suites: readonly SuiteComparison[]): Reason[] {
  return suites.flatMap(({ run, compared }): Reason[] => {
    if (run.scoring.side !== 'head') return [];
    const judged = compared
      .flatMap(({ head }) => head)
      .filter(({ byHead: { outcome } }) => isJudged(outcome));
    const unread = judged.filter(({ byBase }) => isWithoutOutcome(byBase?.outcome));
    return unread.length <= MAX_UNREAD_SHARE * judged.length
      ? []
      : [
          {
            code: 'unread-by-base',
            suite: run.suite.name,
            answers: unread.length,
            of: judged.length,
          },
        ];
  });
}

function fallenReferences({ comparison, verdict }: JudgedSuite): SeparateFall[] {
  const isSaid = verdict !== null && verdict.underBase !== null;
  const references = isSaid ? [] : fellUnderBaseOnly(comparison);
  return references.length === 0
    ? []
    : [{ comparison, reason: { code: 'worse-under-base', references, fails: false } }];
}

/** References that, only under base's scoring, pass all tries on base and fail all on head. */
function fellUnderBaseOnly(suite: SuiteComparison): ReasonOf<'worse-under-base'>['references'] {
  if (suite.run.baseScoring === null) return [];
  const gating = suite.compared.filter((item) => suite.gate.churn !== 'accept' || isCritical(item));
  return gating.flatMap((item) => {
    const { base, head } = tryOutcomes(runUnderBase(item));
    const isFall =
      base.length > 0 &&
      base.every((outcome) => outcome === 'pass') &&
      head.every((outcome) => outcome === 'fail') &&
      item.head.some(({ byHead }) => byHead.outcome !== 'fail');
    const reference = `${suite.run.suite.path}: ${item.affected.reference.id}`;
    return isFall ? [{ reference, base: base.length, head: head.length }] : [];
  });
}

function fallenMeans(suites: readonly JudgedSuite[], alpha: number): SeparateFall[] {
  const found = suites.flatMap(({ comparison, verdict }) =>
    verdict === null
      ? []
      : movesUnderBase(comparison, verdict).map((move) => ({ comparison, move })),
  );
  const moves = found.map(({ move }) => move);
  const gating = moves.filter(({ gate }) => gate === 'fail');
  const levels = holmLevels(
    new Map(gating.map((move) => [move, (level) => fellAt(move, level)])),
    alpha,
  );
  const fell = gating.filter((move) => fellAt(move, levels.get(move) ?? 0));
  const called = calledMoves(moves, new Set(fell), alpha);
  return found.flatMap(({ comparison, move }): SeparateFall[] => {
    const { name: metric, test } = move;
    if (called.get(move) !== 'worse' || test === null) return [];
    const { base, head, items: references } = test;
    const direction = directionOf(test, 'worse', move.better);
    const figures = { metric, base, head, ...direction, references };
    const suite = comparison.run.suite.name;
    return [{ comparison, reason: { code: 'mean-under-base', suite, ...figures, fails: false } }];
  });
}

/** Metric means that change under base's scoring, unless they change equally under head's. */
function movesUnderBase(
  comparison: SuiteComparison,
  verdict: NonNullable<JudgedSuite['verdict']>,
): MetricMove[] {
  const view = underBase(comparison);
  if (view === null) return [];
  return metricMoves(view, verdict).filter(({ name, better, test }) => {
    const same = verdict.moves.filter((own) => own.test?.difference === test?.difference);
    const isSaid = same.some(({ moved }) => moved === 'worse');
    return !isSaid && same.every((own) => own.name !== name || own.better !== better);
  });
}
