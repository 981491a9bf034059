import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import type { VerdictSettings } from '../plan/tries.ts';
import type { Verdict, VerdictReason } from '../result/suite-result.ts';
import { holmLevels } from '../statistics/holm.ts';
import { contrast, rowsOf, type Look } from '../statistics/look.ts';
import { leadingConfirmation, type Confirmation } from './confirmation.ts';
import { evidenceFacts, type EvidenceFacts } from './evidence.ts';
import { meanOfTables } from './mean-rates.ts';
import {
  boundTogether,
  isPooled,
  measured,
  regressionOf,
  runRows,
  type MeasuredRow,
  type Pool,
  type RunRows,
} from './measure.ts';
import type { RunRollUps } from './roll-up.ts';
import type { SuiteRow } from './suite-row.ts';
import { ruleSuite, type SuiteFacts } from './suite-rules.ts';
import { fallUnderBase, type FallUnderBase } from './under-base-scoring.ts';
import { calledMoves, fellAt, metricMoves, type MetricMove } from './values.ts';

/** A suite that is compared, with its verdict. */
export interface SuiteVerdict extends MeasuredRow {
  moves: MetricMove[];
  verdict: Verdict;
  reason: VerdictReason;
  /** The fall under base's scoring, if the verdict had to look at it; else null. */
  hidden: FallUnderBase | null;
  /** Null: it does not rest on answers of an earlier run, or says nothing bad. */
  confirmation: Confirmation | null;
}

interface JudgeOptions {
  /** Whether every wanted try was made, so that a missing answer says something. */
  complete?: boolean;
  rollUps?: ReadonlyMap<ReferenceRun, RunRollUps>;
  /** What new tries say of a suite's fall, and of its metrics. */
  confirmations?: ReadonlyMap<SuiteComparison, readonly Confirmation[]>;
}

/** All questions of a run of several suites in one contrast. */
interface PoolVerdict {
  /** Shares of alpha and p as for a suite; whether the rate fell at that level. */
  alpha: number;
  p: number;
  fell: boolean;
  /** See {@link isExplained}. */
  isExplained: boolean;
  /** Mean pass rates over the references, 0–1, and two-sided 90 % interval of the difference. */
  base: number;
  head: number;
  interval: Look['interval'];
}

export interface RunVerdict {
  /** Of each suite that is compared. */
  suites: ReadonlyMap<SuiteComparison, SuiteVerdict>;
  /** Null: fewer than two suites share it. */
  pool: PoolVerdict | null;
}

/** Suites share their part of alpha by Holm's procedure. */
export function judgeSuites(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  { complete = true, rollUps = new Map(), confirmations = new Map() }: JudgeOptions = {},
): RunVerdict {
  const run = runRows(suites, settings, rollUps);
  const rows = measuredRows(run, settings.alpha);
  const bound = boundTogether(rows, run.pool);
  const answered = complete ? evidenceFacts(suites, settings.alpha, rollUps) : null;
  const verdicts = rows.map((row) => {
    const { suite, alpha } = row;
    const confirmed = confirmations.get(suite) ?? [];
    return withVerdict(
      { ...row, moves: row.moves.map((move) => withoutRefuted(move, confirmed)) },
      {
        ...(answered?.get(suite) ?? NOTHING_MISSING),
        confirmation: leadingConfirmation(confirmed),
        hidden: fallUnderBase(suite, { alpha, gate_on: settings.gate_on }),
        isBoundTogether: bound !== null && isPooled(row),
      },
      bound,
    );
  });
  return {
    suites: new Map(verdicts.map((row) => [row.suite, row])),
    pool: run.pool === null ? null : poolVerdict(run.pool, verdicts),
  };
}

type RowWithMoves = MeasuredRow & { moves: MetricMove[] };

/** Each row at its share of alpha. The metrics whose mean may fail a suite share it too. */
function measuredRows(run: RunRows, alpha: number): RowWithMoves[] {
  const moved = run.rows.map((row) => ({ ...row, moves: metricMoves(row.suite, row) }));
  const moves = moved.flatMap((row) => row.moves);
  const gating = moves.filter(({ gate }) => gate === 'fail');
  const levels = holmLevels(
    new Map<SuiteRow | MetricMove, (level: number) => boolean>([
      ...moved.map(
        (row) => [row, (level: number) => regressionOf(row, level, run) !== null] as const,
      ),
      ...gating.map((move) => [move, (level: number) => fellAt(move, level)] as const),
    ]),
    run.shares.suites,
  );
  const levelOf = (of: SuiteRow | MetricMove): number => levels.get(of) ?? 0;
  const fell = gating.filter((move) => fellAt(move, levelOf(move)));
  const called = calledMoves(moves, new Set(fell), alpha);
  return moved.map((row) => ({
    ...measured(row, levelOf(row), run),
    moves: row.moves.map((move) => ({ ...move, moved: called.get(move) ?? null })),
  }));
}

function poolVerdict({ look, level, fell }: Pool, rows: readonly SuiteVerdict[]): PoolVerdict {
  const { test, tables, interval } = look;
  const rate = (side: 'base' | 'head'): number => meanOfTables(tables, side) ?? 0;
  const rates = { base: rate('base'), head: rate('head') };
  return {
    ...{ alpha: level, p: test.midDown, fell, ...rates, interval },
    isExplained: isExplained(rows.filter(isPooled), level),
  };
}

/**
 * Whether single suites explain the fall of the pool: some are red by themselves or had their fall
 * refuted, and the questions of the others together did not fall at the pool's level.
 */
function isExplained(pooled: readonly SuiteVerdict[], level: number): boolean {
  const rest = pooled.filter(isUnexplained);
  const { test } = contrast(rest.flatMap(({ look }) => rowsOf(look)));
  return rest.length < pooled.length && test.midDown > level;
}

/** Whether a fall of the pool may lie in it: it is neither red by itself, nor was its fall refuted. */
export function isUnexplained({ verdict, confirmation }: SuiteVerdict): boolean {
  const isRefuted =
    confirmation !== null &&
    confirmation.metric === undefined &&
    confirmation.status !== 'confirmed';
  return verdict !== 'regressed' && !isRefuted;
}

type RunFactsOfSuite = Pick<
  SuiteFacts,
  'unanswered' | 'confirmation' | 'missing' | 'endings' | 'hidden' | 'isBoundTogether'
>;

/** A mean that new tries do not show to be worse has not moved. */
function withoutRefuted(move: MetricMove, confirmations: readonly Confirmation[]): MetricMove {
  const isRefuted = confirmations.some(
    ({ metric, status }) => metric === move.name && status !== 'confirmed',
  );
  return isRefuted ? { ...move, moved: null } : move;
}

const NOTHING_MISSING: EvidenceFacts = { unanswered: null, missing: null, endings: new Set() };

function withVerdict(
  row: RowWithMoves,
  found: RunFactsOfSuite,
  bound: number | null,
): SuiteVerdict {
  const { verdict, by, p, references, metrics, hidden } = ruleSuite({ ...row.facts, ...found });
  const tolerance = by === 'run' && bound !== null ? bound : row.tolerance;
  const reason: VerdictReason = { by, p, references, metrics, tolerance };
  if (hidden !== null) {
    const { base, head, excuse } = hidden;
    reason.under_base = { base, head, excused: excuse !== 'none' };
  }
  return { ...row, verdict, reason, hidden, confirmation: found.confirmation };
}
