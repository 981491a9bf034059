import { ONE_LOOK, withLevels } from '../plan/looks.ts';
import {
  isPoolCalm,
  isSuspiciousAlone,
  leastDrop,
  poolTolerance,
  type RunState,
} from '../plan/policy.ts';
import type { SuiteComparison } from '../plan/suite-run.ts';
import { contrast, rowsOf, type Look } from '../statistics/look.ts';
import { isFall } from '../statistics/metric-min-p.ts';
import { meanOfTables } from '../statistics/table.ts';
import { isRefutal } from './confirmation.ts';
import type { MeasuredRow, TestedSuite, SuiteVerdict } from './suite-row.ts';

/** All suites of the run compared as one. `look` is the interim test that decided. */
export interface Pool {
  look: Look;
  level: number;
  fell: boolean;
}

export function createPool(
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

/** The drop (0–1) that all suites together rule out. Null if a suite looks worse. */
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

export function isPooled({ suite: { policy } }: TestedSuite): boolean {
  return policy.kind === 'adaptive' || policy.kind === 'fixed';
}

export interface PoolFall {
  base: number;
  head: number;
}

/**
 * Pass rates (0–1) of all suites together. Null if they did not fall, or if individual suites
 * explain the fall.
 */
export function poolFall(pool: Pool | null, rows: readonly SuiteVerdict[]): PoolFall | null {
  if (pool?.fell !== true || isExplainedBySuites(rows.filter(isPooled), pool.level)) return null;
  const { tables } = pool.look;
  return { base: meanOfTables(tables, 'base') ?? 0, head: meanOfTables(tables, 'head') ?? 0 };
}

/**
 * Leaves out suites that regressed, or whose fall new tries refuted. True if the other suites
 * together did not fall.
 */
function isExplainedBySuites(pooled: readonly SuiteVerdict[], level: number): boolean {
  const rest = pooled.filter(isUnexplained);
  const { test } = contrast(rest.flatMap(({ look }) => rowsOf(look)));
  return rest.length < pooled.length && test.midDown > level;
}

export function isUnexplained({ verdict, confirmation }: SuiteVerdict): boolean {
  return verdict !== 'regressed' && (confirmation === null || !isRefutal(confirmation));
}
