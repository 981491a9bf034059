import { counted, firstWords, meansInWords } from '../../text/amounts.ts';
import type { SuiteComparison, Try } from '../plan/suite-run.ts';
import { tryOutcomes } from '../plan/tries.ts';
import { judgeFamily } from '../statistics/gate.ts';
import type { GateFinding } from './outcome.ts';
import { asBaseJudges } from './scoring-rates.ts';
import { calledMoves, fellAt, metricMoves, type MetricMove } from './values.ts';
import type { SuiteVerdict } from './verdict.ts';

interface JudgedSuite {
  comparison: SuiteComparison;
  verdict: SuiteVerdict | null;
}

/** Single references, which no suite's test shows, and means, which share `alpha` (0 to 1). */
export function underBaseFindings(suites: readonly JudgedSuite[], alpha: number): GateFinding[] {
  const green = suites.filter(({ verdict }) => verdict !== null && verdict.verdict !== 'regressed');
  const alike = Map.groupBy(green, ({ comparison: { gate } }) => gate.fail_on);
  return [...alike].flatMap(([failOn, group]) =>
    underBaseWords(group, alpha).map((text) => ({ text, failOn })),
  );
}

/** Above this share of head's answers it is said that base's scoring cannot judge them. */
const MOST_UNREAD = 0.02;

export function unreadByBase(suites: readonly SuiteComparison[]): string[] {
  return suites.flatMap(({ run, compared }) => {
    if (run.deciding.side !== 'head') return [];
    const judged = compared
      .flatMap(({ head }) => head)
      .filter(({ result: { outcome } }) => outcome === 'pass' || outcome === 'fail');
    const unread = judged.filter(
      ({ other }) => other?.outcome === 'error' || other?.outcome === 'ungraded',
    );
    return unread.length <= MOST_UNREAD * judged.length
      ? []
      : `${run.suite.name}: base's scoring cannot judge ${String(unread.length)} of head's ` +
          `${counted(judged.length, 'answer')}, so a fall of those would not show`;
  });
}

function underBaseWords(green: readonly JudgedSuite[], alpha: number): string[] {
  const fell = green.flatMap(({ comparison, verdict }) =>
    verdict?.hidden === undefined ? fellAlone(comparison) : [],
  );
  return [
    ...(fell.length === 0 ? [] : [`worse on head under base's scoring alone: ${firstWords(fell)}`]),
    ...fallenMeans(green, alpha),
  ];
}

function fellAlone({ run, compared }: SuiteComparison): string[] {
  if (run.other === null) return [];
  return compared.flatMap((item) => {
    const { base, head } = tryOutcomes(asBaseJudges(item));
    const isFall =
      base.length > 0 &&
      base.every((outcome) => outcome === 'pass') &&
      head.every((outcome) => outcome === 'fail') &&
      item.head.some(({ result }: Try) => result.outcome !== 'fail');
    const [before, after] = [base, head].map(({ length }) => String(length));
    return isFall
      ? [
          `${run.suite.path}: ${item.affected.reference.id} (${before} of ${before} passed → 0 ` +
            `of ${after} passed)`,
        ]
      : [];
  });
}

function fallenMeans(suites: readonly JudgedSuite[], alpha: number): string[] {
  const found = suites.flatMap(({ comparison, verdict }) =>
    verdict === null
      ? []
      : movesUnderBase(comparison, verdict).map((move) => ({ comparison, move })),
  );
  const moves = found.map(({ move }) => move);
  const gating = moves.filter(({ gate }) => gate === 'fail');
  const family = judgeFamily(
    gating.map((move) => (level: number) => ({ regressed: fellAt(move, level) })),
    alpha,
  );
  const fell = gating.filter((_, i) => family[i]?.result.regressed === true);
  const called = calledMoves(moves, new Set(fell), alpha);
  return found.flatMap(({ comparison, move }) => {
    const { name, test } = move;
    if (called.get(move) !== 'worse' || test === null) return [];
    const way = test.head < test.base ? 'fell' : 'rose';
    return [
      `${comparison.run.suite.name}: under base's scoring the mean of ${name} ${way}, ` +
        `${meansInWords(test.base, test.head)}, over ${counted(test.items, 'reference')}`,
    ];
  });
}

function movesUnderBase(comparison: SuiteComparison, verdict: SuiteVerdict): MetricMove[] {
  const { run, compared } = comparison;
  if (run.other === null) return [];
  const runs = new Map(run.runs.map((item) => [item, asBaseJudges(item)]));
  const view = {
    ...comparison,
    run: { ...run, deciding: run.other, other: null, runs: [...runs.values()] },
    compared: compared.flatMap((item) => runs.get(item) ?? []),
  };
  return metricMoves(view, verdict.tries).filter(({ name, better, test }) => {
    const same = verdict.moves.filter((own) => own.test?.difference === test?.difference);
    const isSaid = same.some(({ moved }) => moved === 'worse');
    return !isSaid && same.every((own) => own.name !== name || own.better !== better);
  });
}
