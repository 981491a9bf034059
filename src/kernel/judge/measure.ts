import { createLedgers } from '../plan/ledger.ts';
import { lookLevels, withLevels } from '../plan/looks.ts';
import { runState } from '../plan/policy.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { ruledOutBy, resolveTolerance, visibleAt } from '../plan/tolerance.ts';
import { alphaShares, comparing, type VerdictSettings } from '../plan/tries.ts';
import { brokenP, isNamedAt } from '../statistics/fixed-tries.ts';
import { FIXED_REFERENCE_SHARE } from '../statistics/levels.ts';
import { isRise, type Look } from '../statistics/look.ts';
import { fallenMetrics, fallP, isFall, metricsBeyondChance } from '../statistics/metric-min-p.ts';
import { createPool, type Pool } from './pool.ts';
import type { RunRollUps } from './roll-up.ts';
import {
  rowByTries,
  rowOfAnswers,
  type MeasuredRow,
  type OwnFacts,
  type ReferenceRow,
  type TestedSuite,
} from './suite-row.ts';
import { hasOpenMove } from './values.ts';

export interface RunRows {
  shares: ReturnType<typeof alphaShares>;
  rows: TestedSuite[];
  /** All suites compared as one. Null if fewer than two take part. */
  pool: Pool | null;
}

export function runRows(
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

export function findRegression(
  row: TestedSuite,
  holmLevel: number,
  run: RunRows,
): Regression | null {
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

export function measured(
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
