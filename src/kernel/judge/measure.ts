import { ruledOutBy, toleranceOf, visibleAt } from '../plan/calm.ts';
import { ledgersOf } from '../plan/ledger.ts';
import { lookLevels, type LookPlan } from '../plan/looks.ts';
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
import { combinedGate, REFERENCE_FDR } from '../statistics/gate.ts';
import { isRise, type Look } from '../statistics/ledger.ts';
import { designOf, visibleDrop } from '../statistics/visible-drop.ts';
import type { RunRollUps } from './roll-up.ts';
import type { SuiteFacts } from './suite-rules.ts';
import { tablesByTries, tablesOfAnswers, type SuiteTables } from './suite-tables.ts';

/** Evidence and shares of alpha of a whole run. */
interface RunEvidence {
  shares: ReturnType<typeof alphaShares>;
  plan: LookPlan;
  rows: SuiteTables[];
  /** All questions of the run in one contrast; null: one suite is all. */
  pool: Pool | null;
}

export interface Pool {
  look: Look;
  level: number;
  /** The pass rate over all questions fell beyond chance. */
  fell: boolean;
}

export function runEvidence(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): RunEvidence {
  const { all, byTries } = comparing(suites);
  const ledgers = ledgersOf(byTries);
  const shares = alphaShares(suites, settings);
  const state = runState(ledgers, shares);
  const rows = all.map((suite) => {
    const s = byTries.indexOf(suite);
    const ledger = ledgers[s];
    return ledger === undefined
      ? tablesOfAnswers(suite, rollUps)
      : tablesByTries(suite, ledger, { state, s });
  });
  return { shares, plan: state.plan, rows, pool: poolOf(byTries, state, shares.pool) };
}

function poolOf(
  byTries: readonly SuiteComparison[],
  { pool, plan }: RunState,
  alpha: number,
): Pool | null {
  const isAdaptive = byTries.some(({ policy }) => policy.kind === 'adaptive');
  const levels = isAdaptive ? lookLevels(alpha, plan) : [alpha];
  const drop = leastDrop(byTries.map(({ gate }) => ({ minDrop: gate.min_drop })));
  const hit = pool.findIndex((look, k) => isFall(look, levels[k] ?? 0, drop));
  const look = pool[hit] ?? pool.at(-1);
  const level = levels[hit < 0 ? pool.length - 1 : hit] ?? 0;
  return look === undefined ? null : { look, level, fell: hit >= 0 };
}

/** Of the whole suite (`fall`) or of single `references`; p is null where that was sequential. */
export interface Judgement {
  regressed: boolean;
  by: 'fall' | 'references';
  p: number | null;
  /** The look that decided. */
  look: Look;
}

/** `alpha`: the suite's share by Holm's procedure. */
export function judgementOf(
  seen: SuiteTables,
  alpha: number,
  { shares, plan }: RunEvidence,
): Judgement {
  const { suite, looks, look, called } = seen;
  const { min_drop: minDrop } = suite.gate;
  const isCalled: Judgement = { regressed: called.length > 0, by: 'references', p: null, look };
  if (suite.policy.kind === 'adaptive') {
    const levels = lookLevels(alpha, plan);
    const k = looks.findIndex((own, i) => isFall(own, levels[i] ?? 0, minDrop));
    const hit = looks[k];
    if (hit === undefined) return isCalled;
    return { regressed: true, by: 'fall', p: smallestP(hit, levels[k] ?? 0), look: hit };
  }
  const whole = fixedAlpha(seen, alpha, shares);
  const references = suite.policy.kind === 'fixed' && shares.fixedReferences(suite) > 0;
  const { tables, units } = look;
  const found = combinedGate(tables, {
    alpha: whole,
    on: references ? 'suite+references' : 'suite',
    minDrop,
    units,
  });
  if (isFall(look, found.suite.level, minDrop))
    return { regressed: true, by: 'fall', p: smallestP(look, found.suite.level), look };
  return found.references.hit
    ? { regressed: true, by: 'references', p: found.references.p, look }
    : isCalled;
}

/** With a fixed number of tries one suite's test and that of its references share a level. */
function fixedAlpha({ suite }: SuiteTables, alpha: number, shares: RunEvidence['shares']): number {
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
  | 'isLevel'
>;

export interface MeasuredSuite {
  seen: SuiteTables;
  alpha: number;
  tolerance: number;
  visibleDrop: number | null;
  facts: OwnFacts;
}

export function measureSuite(
  seen: SuiteTables,
  { alpha, judgement }: { alpha: number; judgement: Judgement },
  run: RunEvidence,
): MeasuredSuite {
  const { suite, look, own, q, called, open } = seen;
  const { plan, shares } = run;
  const adaptive = suite.policy.kind === 'adaptive';
  const { tables, units } = look;
  const visible = adaptive
    ? visibleAt(look, lookLevels(alpha, plan))
    : visibleDrop(designOf(tables, units), fixedAlpha(seen, alpha, shares));
  const tolerance = toleranceOf(suite.gate.tolerance, visible);
  const isAccepted = (i: number): boolean =>
    shares.judged === 'critical' &&
    suite.compared[i]?.affected.reference.tags.includes('critical') === false;
  const worse = own.flatMap((_, i) =>
    (called.includes(i) || (q.down[i] ?? 1) <= REFERENCE_FDR) && !isAccepted(i) ? [i] : [],
  );
  const isLast = !adaptive || look.tries === plan.tries.at(-1);
  const ruledOut = ruledOutBy(look, tolerance, { plan, isLast });
  const ids = (positions: readonly number[]): string[] =>
    positions.flatMap((i) => suite.compared[i]?.affected.reference.id ?? []);
  const { regressed, by, p } = judgement;
  const rise = riseOf(seen, alpha, run);
  const facts: OwnFacts = {
    fall:
      regressed && by === 'fall'
        ? { p, references: [], metrics: fallenMetrics(judgement.look) }
        : null,
    broken: regressed && by === 'references' ? { p, references: ids(worse) } : null,
    named: ids(worse),
    fallenMetrics: metricsBeyondChance(look, run.rows.length),
    suspicious: ids(open),
    rise: rise === null ? null : { p: rise, references: [] },
    interval: look.interval,
    isBound: ruledOut === 'bound',
    isLevel: ruledOut === 'level',
  };
  return { seen, alpha, tolerance, visibleDrop: visible, facts };
}

/** p of "head is better", where it reaches its level. */
function riseOf(seen: SuiteTables, alpha: number, { plan, shares }: RunEvidence): number | null {
  const { suite, looks, look } = seen;
  const { min_drop: minDrop } = suite.gate;
  if (suite.policy.kind === 'adaptive') {
    const levels = lookLevels(alpha, plan);
    return looks.find((own, i) => isRise(own, levels[i] ?? 0, minDrop))?.test.midUp ?? null;
  }
  return isRise(look, fixedAlpha(seen, alpha, shares), minDrop) ? look.test.midUp : null;
}

/** The drop (0–1) that the pool rules out, where no suite looks worse; null: none. */
export function boundTogether(
  measured: readonly MeasuredSuite[],
  pool: Pool | null,
): number | null {
  const looksWorse = measured.some(
    ({ facts: { fall, broken, named, suspicious, fallenMetrics: metrics } }) =>
      fall !== null || broken !== null || named.length + suspicious.length + metrics.length > 0,
  );
  if (pool === null || pool.fell || looksWorse) return null;
  const suites = measured.filter(({ seen }) => isPooled(seen));
  const settings = suites.map(({ seen }) => seen.suite.gate);
  if (isSuspiciousAlone(suites.map(({ seen }) => seen.look))) return null;
  return isPoolCalm(pool.look, settings) ? poolTolerance(settings) : null;
}

export function isPooled({ suite: { policy } }: SuiteTables): boolean {
  return policy.kind === 'adaptive' || policy.kind === 'fixed';
}
