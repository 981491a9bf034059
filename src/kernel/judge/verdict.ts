import { createLedgers } from '../plan/ledger.ts';
import { lookLevels, withLevels } from '../plan/looks.ts';
import { runState } from '../plan/policy.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { ruledOutBy, resolveTolerance, visibleAt } from '../plan/tolerance.ts';
import { type VerdictSettings, alphaShares, comparing } from '../plan/tries.ts';
import type { VerdictReason } from '../result/suite-result.ts';
import { brokenP, isNamedAt } from '../statistics/fixed-tries.ts';
import { holmLevels } from '../statistics/holm.ts';
import { FIXED_REFERENCE_SHARE } from '../statistics/levels.ts';
import { isRise, type Look } from '../statistics/look.ts';
import { fallenMetrics, fallP, isFall, metricsBeyondChance } from '../statistics/metric-min-p.ts';
import { isRefutal, leadingConfirmation, type Confirmation } from './confirmation.ts';
import { evidenceFacts, type EvidenceFacts } from './evidence.ts';
import { boundTogether, isPooled, poolFall, type PoolFall, createPool, type Pool } from './pool.ts';
import type { RunRollUps } from './roll-up.ts';
import {
  type MeasuredRow,
  type OwnFacts,
  type RunFactsOfSuite,
  type TestedSuite,
  type SuiteVerdict,
  rowByTries,
  rowOfAnswers,
  type ReferenceRow,
} from './suite-row.ts';
import { ruleSuite } from './suite-rules.ts';
import { fallUnderBase } from './under-base-scoring.ts';
import {
  calledMoves,
  decisiveMoves,
  fellAt,
  hasOpenMove,
  isOpenValue,
  metricMoves,
  type MetricMove,
} from './values.ts';

interface MeasureOptions {
  /** Whether all planned tries were made. If not, missing answers do not affect the verdict. */
  complete?: boolean;
  rollUps?: ReadonlyMap<ReferenceRun, RunRollUps>;
}

/** What the tries show before new tries confirm or refute a fall. */
export interface MeasuredRun {
  suites: readonly {
    row: MeasuredRow;
    found: Omit<RunFactsOfSuite, 'confirmation' | 'worseValues' | 'betterValues'>;
  }[];
  pool: RunRows['pool'];
  bound: number | null;
}

export interface RunVerdict {
  suites: ReadonlyMap<SuiteComparison, SuiteVerdict>;
  /** The fall of all suites together. Null if none, or if individual suites explain it. */
  pool: PoolFall | null;
}

export function measureSuites(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  { complete = true, rollUps = new Map() }: MeasureOptions = {},
): MeasuredRun {
  const run = runRows(suites, settings, rollUps);
  const rows = measuredRows(run, settings.alpha);
  const bound = boundTogether(rows, run.pool);
  const answered = complete ? evidenceFacts(suites, settings.alpha, rollUps) : null;
  const found = rows.map((row) => ({
    row,
    found: {
      ...(answered?.get(row.suite) ?? NOTHING_MISSING),
      underBase: fallUnderBase(row.suite, { ...settings, alpha: row.alpha }),
      isBoundTogether: bound !== null && isPooled(row) && !hasOpenMove(row.moves, bound),
    },
  }));
  return { suites: found, pool: run.pool, bound };
}

export function judgeMeasured(
  { suites, pool, bound }: MeasuredRun,
  confirmations: ReadonlyMap<SuiteComparison, readonly Confirmation[]> = new Map(),
): RunVerdict {
  const verdicts = suites.map(({ row, found }) => {
    const confirmed = confirmations.get(row.suite) ?? [];
    const moves = row.moves.map((move) => withoutRefuted(move, confirmed));
    const confirmation = leadingConfirmation(confirmed);
    // A fall that new tries did not confirm is no fall. Missing answers still count.
    const facts = confirmed.some(isRefutal)
      ? { ...row.facts, fall: null, broken: null }
      : row.facts;
    const worseValues = decisiveMoves(moves, 'worse');
    const isOpen = moves.some((move) => move.isOpen);
    const betterValues = isOpen ? null : decisiveMoves(moves, 'better');
    return withVerdict(
      { ...row, facts, moves },
      { ...found, confirmation, worseValues, betterValues },
      bound,
    );
  });
  return {
    suites: new Map(verdicts.map((row) => [row.suite, row])),
    pool: poolFall(pool, verdicts),
  };
}

/** Metrics whose mean may fail a suite get a share of alpha, as suites do. */
function measuredRows(run: RunRows, alpha: number): MeasuredRow[] {
  const rows = run.rows.map((row) => ({ ...row, moves: metricMoves(row.suite, row) }));
  const moves = rows.flatMap((row) => row.moves);
  const gating = moves.filter(({ gate }) => gate === 'fail');
  const levels = holmLevels(
    new Map<TestedSuite | MetricMove, (level: number) => boolean>([
      ...rows.map(
        (row) => [row, (level: number) => findRegression(row, level, run) !== null] as const,
      ),
      ...gating.map((move) => [move, (level: number) => fellAt(move, level)] as const),
    ]),
    run.shares.suites,
  );
  const levelOf = (of: TestedSuite | MetricMove) => levels.get(of) ?? 0;
  const fell = gating.filter((move) => fellAt(move, levelOf(move)));
  const called = calledMoves(moves, new Set(fell), alpha);
  return rows.map((row) => {
    const own = row.moves.map((move) => {
      const moved = called.get(move) ?? null;
      return { ...move, moved, isOpen: moved === null && isOpenValue(move, levelOf(move)) };
    });
    return measured({ ...row, moves: own }, levelOf(row), run);
  });
}

function withoutRefuted(move: MetricMove, confirmations: readonly Confirmation[]): MetricMove {
  const isRefuted = confirmations.some(
    ({ metric, status }) => metric === move.name && status !== 'confirmed',
  );
  return isRefuted ? { ...move, moved: null } : move;
}

const NOTHING_MISSING: EvidenceFacts = { unanswered: null, missing: null, endings: new Set() };

function withVerdict(row: MeasuredRow, found: RunFactsOfSuite, bound: number | null): SuiteVerdict {
  const { verdict, by, p, references, metrics, underBase } = ruleSuite({ ...row.facts, ...found });
  const tolerance = by === 'run' && bound !== null ? bound : row.tolerance;
  const reason: VerdictReason = { by, p, references, metrics, tolerance };
  if (found.unanswered !== null && by !== 'unanswered') reason.unanswered = true;
  if (underBase !== null) {
    const { base, head, excusedBy } = underBase;
    reason.under_base = { base, head, excused: excusedBy !== 'none' };
  }
  return { ...row, verdict, reason, underBase, confirmation: found.confirmation };
}

interface RunRows {
  shares: ReturnType<typeof alphaShares>;
  rows: TestedSuite[];
  /** All suites compared as one. Null if fewer than two take part. */
  pool: Pool | null;
}

function runRows(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): RunRows {
  const { all, byTries } = comparing(suites);
  const shares = alphaShares(suites, settings);
  const state = runState(createLedgers(byTries), shares);
  const rows = all.map((suite) => {
    const own = state.suites[byTries.indexOf(suite)];
    return own === undefined ? rowOfAnswers(suite, rollUps) : rowByTries(suite, own, state.plan);
  });
  return { shares, rows, pool: createPool(byTries, state, shares.pool) };
}

interface Regression {
  by: 'fall' | 'references';
  p: number | null;
  look: Look;
}

function findRegression(row: TestedSuite, holmLevel: number, run: RunRows): Regression | null {
  const { suite, plan, looks, look, references } = row;
  const { min_drop: minDrop } = suite.gate;
  const whole = withReferences(row, holmLevel, run);
  const share = run.shares.fixedReferences(suite) > 0 ? FIXED_REFERENCE_SHARE : 0;
  const hit = withLevels(looks, whole - share * whole, plan).find((own) =>
    isFall(own.look, own.level, minDrop),
  );
  if (hit !== undefined)
    return { by: 'fall', p: fallP(hit.look, hit.level, minDrop), look: hit.look };
  if (share > 0) {
    const p = brokenP(look, share * whole, minDrop);
    if (p !== null) return { by: 'references', p, look };
  }
  return references.some(({ isBroken }) => isBroken) ? { by: 'references', p: null, look } : null;
}

/** With fixed tries, the suite's share of alpha includes that of its individual references. */
function withReferences({ suite }: TestedSuite, holmLevel: number, { shares }: RunRows): number {
  return holmLevel + shares.fixedReferences(suite);
}

function measured(
  row: TestedSuite & Pick<MeasuredRow, 'moves'>,
  alpha: number,
  run: RunRows,
): MeasuredRow {
  const { suite, plan, look, looks, references } = row;
  const { min_drop: minDrop } = suite.gate;
  const whole = withReferences(row, alpha, run);
  const levels = lookLevels(whole, plan);
  const visibleDrop = visibleAt(look, plan, levels);
  const tolerance = resolveTolerance(suite.gate.tolerance, visibleDrop);
  const named = referenceIds(
    references,
    (reference) =>
      (reference.isBroken || isNamedAt(reference.q.down)) &&
      (reference.isCritical || run.shares.judged !== 'critical'),
  );
  const ruledOut = ruledOutBy(look, tolerance, { plan, isLast: look.tries === plan.tries.at(-1) });
  const isOpen = hasOpenMove(row.moves, tolerance);
  const red = findRegression(row, alpha, run);
  const rise = withLevels(looks, whole, plan).find((own) => isRise(own.look, own.level, minDrop));
  const facts: OwnFacts = {
    fall:
      red?.by === 'fall'
        ? { p: red.p, references: [], metrics: fallenMetrics(red.look, minDrop) }
        : null,
    broken: red?.by === 'references' ? { p: red.p, references: named } : null,
    named,
    fallenMetrics: metricsBeyondChance(look, run.rows.length),
    suspicious: referenceIds(references, ({ isSuspect }) => isSuspect),
    rise: rise === undefined ? null : { p: rise.look.test.midUp, references: [] },
    interval: look.interval,
    isBound: !isOpen && ruledOut === 'bound',
    isNotLower: !isOpen && ruledOut === 'not-lower',
  };
  return { ...row, alpha, tolerance, visibleDrop, facts };
}

function referenceIds(
  references: readonly ReferenceRow[],
  is: (reference: ReferenceRow) => boolean,
): string[] {
  return references.filter(is).map(({ id }) => id);
}
