import { ruledOutBy, toleranceOf, visibleAt } from '../plan/calm.ts';
import { ledgersOf } from '../plan/ledger.ts';
import { lookLevels, ONE_LOOK, withLevels } from '../plan/looks.ts';
import {
  isPoolCalm,
  isSuspiciousAlone,
  leastDrop,
  poolTolerance,
  runState,
  type RunState,
} from '../plan/policy.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { alphaShares, comparing, type VerdictSettings } from '../plan/tries.ts';
import { fallenMetrics, isFall, metricsBeyondChance, smallestP } from '../statistics/columns.ts';
import { brokenP } from '../statistics/fixed-tries.ts';
import { FIXED_REFERENCE_SHARE, REFERENCE_FDR } from '../statistics/levels.ts';
import { isRise, type Look } from '../statistics/look.ts';
import type { RunRollUps } from './roll-up.ts';
import { rowByTries, rowOfAnswers, type ReferenceRow, type SuiteRow } from './suite-row.ts';
import type { SuiteFacts } from './suite-rules.ts';

/** The suites of a run that are compared, and how they share alpha. */
export interface RunRows {
  shares: ReturnType<typeof alphaShares>;
  rows: SuiteRow[];
  /** All questions of the run in one contrast; null: fewer than two suites share it. */
  pool: Pool | null;
}

export interface Pool {
  look: Look;
  level: number;
  /** The pass rate over all questions fell beyond chance. */
  fell: boolean;
}

export function runRows(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): RunRows {
  const { all, byTries } = comparing(suites);
  const shares = alphaShares(suites, settings);
  const state = runState(ledgersOf(byTries), shares);
  const rows = all.map((suite) => {
    const own = state.suites[byTries.indexOf(suite)];
    return own === undefined ? rowOfAnswers(suite, rollUps) : rowByTries(suite, own, state.plan);
  });
  return { shares, rows, pool: poolOf(byTries, state, shares.pool) };
}

function poolOf(
  byTries: readonly SuiteComparison[],
  { pool, plan }: RunState,
  alpha: number,
): Pool | null {
  const isAdaptive = byTries.some(({ policy }) => policy.kind === 'adaptive');
  const looks = withLevels(pool, alpha, isAdaptive ? plan : ONE_LOOK);
  const drop = leastDrop(byTries.map(({ gate }) => ({ minDrop: gate.min_drop })));
  const hit = looks.find(({ look, level }) => isFall(look, level, drop));
  const decisive = hit ?? looks.at(-1);
  return decisive === undefined ? null : { ...decisive, fell: hit !== undefined };
}

/** Why a suite is red by its tries; p is null where only sequential evidence says so. */
interface Regression {
  by: 'fall' | 'references';
  p: number | null;
  /** The look that decided. */
  look: Look;
}

/** `alpha`: the suite's share by Holm's procedure. Null: its tries do not make it red. */
export function regressionOf(row: SuiteRow, alpha: number, run: RunRows): Regression | null {
  const { suite, plan, looks, look, references } = row;
  const { min_drop: minDrop } = suite.gate;
  const whole = wholeAlpha(row, alpha, run);
  const share = run.shares.fixedReferences(suite) > 0 ? FIXED_REFERENCE_SHARE : 0;
  const hit = withLevels(looks, whole - share * whole, plan).find((own) =>
    isFall(own.look, own.level, minDrop),
  );
  if (hit !== undefined) return { by: 'fall', p: smallestP(hit.look, hit.level), look: hit.look };
  if (share > 0) {
    const p = brokenP(look, share * whole, minDrop);
    if (p !== null) return { by: 'references', p, look };
  }
  return references.some(({ isCalled }) => isCalled) ? { by: 'references', p: null, look } : null;
}

/** With a fixed number of tries the suite's test and that of its references share a level. */
function wholeAlpha({ suite }: SuiteRow, alpha: number, { shares }: RunRows): number {
  return alpha + shares.fixedReferences(suite);
}

/** Facts that the tries of a suite give without the rest of the run. */
type OwnFacts = Pick<
  SuiteFacts,
  | 'fall'
  | 'broken'
  | 'named'
  | 'fallenMetrics'
  | 'suspicious'
  | 'rise'
  | 'interval'
  | 'isBound'
  | 'isNotLower'
>;

export interface MeasuredRow extends SuiteRow {
  /** Share of alpha (0–1) that the suite was judged at. */
  alpha: number;
  /** The largest drop (0–1) compatible with green. */
  tolerance: number;
  /** Smallest fall of the pass rate (0–1) detected with 80 % power at its level; null: none. */
  visibleDrop: number | null;
  facts: OwnFacts;
}

export function measured<Row extends SuiteRow>(
  row: Row,
  alpha: number,
  run: RunRows,
): Row & MeasuredRow {
  const { suite, plan, look, looks, references } = row;
  const { min_drop: minDrop } = suite.gate;
  const levels = lookLevels(wholeAlpha(row, alpha, run), plan);
  const visibleDrop = visibleAt(look, plan, levels);
  const tolerance = toleranceOf(suite.gate.tolerance, visibleDrop);
  const named = idsOf(references, (reference) => isNamed(reference, run));
  const ruledOut = ruledOutBy(look, tolerance, { plan, isLast: look.tries === plan.tries.at(-1) });
  const red = regressionOf(row, alpha, run);
  const rise = withLevels(looks, wholeAlpha(row, alpha, run), plan).find((own) =>
    isRise(own.look, own.level, minDrop),
  );
  const facts: OwnFacts = {
    fall:
      red?.by === 'fall' ? { p: red.p, references: [], metrics: fallenMetrics(red.look) } : null,
    broken: red?.by === 'references' ? { p: red.p, references: named } : null,
    named,
    fallenMetrics: metricsBeyondChance(look, run.rows.length),
    suspicious: idsOf(references, ({ isSuspicious }) => isSuspicious),
    rise: rise === undefined ? null : { p: rise.look.test.midUp, references: [] },
    interval: look.interval,
    isBound: ruledOut === 'bound',
    isNotLower: ruledOut === 'not-lower',
  };
  return { ...row, alpha, tolerance, visibleDrop, facts };
}

/** Worse by itself, unless the settings accept that of references that are not critical. */
function isNamed({ isCalled, isCritical, q }: ReferenceRow, { shares }: RunRows): boolean {
  return (isCalled || q.down <= REFERENCE_FDR) && (isCritical || shares.judged !== 'critical');
}

function idsOf(
  references: readonly ReferenceRow[],
  is: (reference: ReferenceRow) => boolean,
): string[] {
  return references.filter(is).map(({ id }) => id);
}

/** The drop (0–1) that the pool rules out, where no suite looks worse; null: none. */
export function boundTogether(rows: readonly MeasuredRow[], pool: Pool | null): number | null {
  const looksWorse = rows.some(
    ({ facts: { fall, broken, named, suspicious, fallenMetrics: metrics } }) =>
      fall !== null || broken !== null || named.length + suspicious.length + metrics.length > 0,
  );
  if (pool === null || pool.fell || looksWorse) return null;
  const suites = rows.filter(isPooled);
  const settings = suites.map(({ suite }) => suite.gate);
  if (isSuspiciousAlone(suites.map(({ look }) => look))) return null;
  return isPoolCalm(pool.look, settings) ? poolTolerance(settings) : null;
}

/** Whether its tries are compared one by one, so that it is part of the pool. */
export function isPooled({ suite: { policy } }: SuiteRow): boolean {
  return policy.kind === 'adaptive' || policy.kind === 'fixed';
}
