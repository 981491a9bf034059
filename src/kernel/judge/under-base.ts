import { tryOutcomes } from '../plan/ledger.ts';
import type { SuiteComparison, Try } from '../plan/suite-run.ts';
import type { Reason, ReasonOf } from '../result/reason.ts';
import { holmLevels } from '../statistics/gate.ts';
import type { UnderBaseFinding } from './gate-input.ts';
import { asBaseJudges } from './scoring-rates.ts';
import { calledMoves, directionOf, fellAt, metricMoves, type MetricMove } from './values.ts';
import type { SuiteVerdict } from './verdict.ts';

interface JudgedSuite {
  comparison: SuiteComparison;
  verdict: SuiteVerdict | null;
}

/** Single references, which no suite's test shows, and means, which share `alpha` (0 to 1). */
export function underBaseFindings(
  suites: readonly JudgedSuite[],
  alpha: number,
): UnderBaseFinding[] {
  const green = suites.filter(({ verdict }) => verdict !== null && verdict.verdict !== 'regressed');
  const alike = Map.groupBy(green, ({ comparison: { gate } }) => gate.fail_on);
  return [...alike].flatMap(([failOn, group]) =>
    underBaseReasons(group, alpha).map((reason) => ({ reason, failOn })),
  );
}

/** Above this share of head's answers it is said that base's scoring cannot judge them. */
const MOST_UNREAD = 0.02;

export function unreadByBase(suites: readonly SuiteComparison[]): Reason[] {
  return suites.flatMap(({ run, compared }): Reason[] => {
    if (run.scoring.side !== 'head') return [];
    const judged = compared
      .flatMap(({ head }) => head)
      .filter(({ byHead: { outcome } }) => outcome === 'pass' || outcome === 'fail');
    const unread = judged.filter(
      ({ byBase }) => byBase?.outcome === 'error' || byBase?.outcome === 'ungraded',
    );
    return unread.length <= MOST_UNREAD * judged.length
      ? []
      : [
          {
            code: 'unread-by-base',
            ...{ suite: run.suite.name, answers: unread.length, of: judged.length },
          },
        ];
  });
}

function underBaseReasons(
  green: readonly JudgedSuite[],
  alpha: number,
): UnderBaseFinding['reason'][] {
  const references = green.flatMap(({ comparison, verdict }) =>
    verdict === null || verdict.hidden === null ? fellAlone(comparison) : [],
  );
  return [
    ...(references.length === 0
      ? []
      : [{ code: 'worse-under-base' as const, references, fails: false }]),
    ...fallenMeans(green, alpha),
  ];
}

function fellAlone({ run, compared }: SuiteComparison): ReasonOf<'worse-under-base'>['references'] {
  if (run.baseScoring === null) return [];
  return compared.flatMap((item) => {
    const { base, head } = tryOutcomes(asBaseJudges(item));
    const isFall =
      base.length > 0 &&
      base.every((outcome) => outcome === 'pass') &&
      head.every((outcome) => outcome === 'fail') &&
      item.head.some(({ byHead }: Try) => byHead.outcome !== 'fail');
    const reference = `${run.suite.path}: ${item.affected.reference.id}`;
    return isFall ? [{ reference, base: base.length, head: head.length }] : [];
  });
}

function fallenMeans(suites: readonly JudgedSuite[], alpha: number): ReasonOf<'mean-under-base'>[] {
  const found = suites.flatMap(({ comparison, verdict }) =>
    verdict === null
      ? []
      : movesUnderBase(comparison, verdict).map((move) => ({ comparison, move })),
  );
  const moves = found.map(({ move }) => move);
  const gating = moves.filter(({ gate }) => gate === 'fail');
  const levels = holmLevels(
    new Map(gating.map((move) => [move, (level: number) => fellAt(move, level)])),
    alpha,
  );
  const fell = gating.filter((move) => fellAt(move, levels.get(move) ?? 0));
  const called = calledMoves(moves, new Set(fell), alpha);
  return found.flatMap(({ comparison, move }): ReasonOf<'mean-under-base'>[] => {
    const { name: metric, test } = move;
    if (called.get(move) !== 'worse' || test === null) return [];
    const { base, head, items: references } = test;
    const direction = directionOf(test, 'worse', move.better);
    const figures = { metric, base, head, ...direction, references };
    return [
      { code: 'mean-under-base', suite: comparison.run.suite.name, ...figures, fails: false },
    ];
  });
}

function movesUnderBase(comparison: SuiteComparison, verdict: SuiteVerdict): MetricMove[] {
  const { run, compared } = comparison;
  if (run.baseScoring === null) return [];
  const runs = new Map(run.runs.map((item) => [item, asBaseJudges(item)]));
  const view = {
    ...comparison,
    run: { ...run, scoring: run.baseScoring, baseScoring: null, runs: [...runs.values()] },
    compared: compared.flatMap((item) => runs.get(item) ?? []),
  };
  return metricMoves(view, verdict).filter(({ name, better, test }) => {
    const same = verdict.moves.filter((own) => own.test?.difference === test?.difference);
    const isSaid = same.some(({ moved }) => moved === 'worse');
    return !isSaid && same.every((own) => own.name !== name || own.better !== better);
  });
}
