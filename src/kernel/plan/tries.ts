import { canFail, comparesShare, directionIn } from '../../metrics/passing.ts';
import type { Outcome, Score } from '../../types/metric.ts';
import { SIDES } from '../../types/plain.ts';
import { FAILURES_TO_SETTLE } from '../result/counts.ts';
import { fingerprintOf } from '../select/affected-suite.ts';
import { ALPHA_SHARES } from '../statistics/levels.ts';
import { countOutcomes } from '../statistics/table.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { triesNeeded } from '../suite/gate.ts';
import { gatesByPreference, gatesByValues, gatesNothing } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';
import { createLedgers } from './ledger.ts';
import { FIRST_TRIES } from './looks.ts';
import { explodedReferences, metricNumbers, type MetricNumber } from './metric-numbers.ts';
import { maxSuspects, runState, type RunLevels, type RunState } from './policy.ts';
import {
  isCritical,
  type ReferenceRun,
  type SuiteComparison,
  type SuiteRun,
  type NextTries,
  type TryPolicy,
} from './suite-run.ts';
import { MOST_FIXING_PAIRS } from './suspects.ts';

/**
 * The number of tries in sweeps, in suites that compare pairs of answers, and for prompts that base
 * lacks.
 */
const UNCOMPARED_TRIES = FIRST_TRIES;

const ROLLED_TRIES = 3;

/**
 * Replaces `adaptive` by a fixed number in sweeps, if pairs of answers are compared, or if no
 * metric affects the gate.
 */
export function tryPolicy(
  { suite, scoring, runs }: SuiteRun,
  settings: { n_tries: NonNullable<Tests['n_tries']> },
  compares: boolean,
  unit: GateSettings['unit'],
): TryPolicy {
  const own = (suite.head ?? suite.base)?.suite.tests.n_tries;
  const tries = own ?? settings.n_tries;
  const kind = compares ? fixedKind(scoring.tests, unit) : 'fixed';
  const { rollup } = scoring.tests;
  const recorded = triesOfRecordings({ rollup, own }, runs);
  if (recorded !== null) return { kind, tries: recorded };
  if (tries !== 'adaptive') return { kind, tries };
  if (kind === 'references') return { kind, tries: Math.max(ROLLED_TRIES, triesNeeded(rollup)) };
  if (kind === 'pairs') return { kind, tries: UNCOMPARED_TRIES };
  return compares && !gatesNothing(scoring.tests)
    ? { kind: 'adaptive' }
    : { kind: 'fixed', tries: UNCOMPARED_TRIES };
}

/**
 * Recorded answers get only the tries that the roll-up needs, because more would repeat them. Null
 * if this does not apply.
 */
function triesOfRecordings(
  { rollup, own }: Pick<Tests, 'rollup'> & { own: Tests['n_tries'] | undefined },
  runs: SuiteRun['runs'],
): number | null {
  if (rollup.kind === 'code' || typeof own === 'number') return null;
  const different = runs.filter(
    ({ affected: { base, head } }) =>
      base === null || head === null || fingerprintOf(base) !== fingerprintOf(head),
  );
  const sides = (different.length === 0 ? runs : different).flatMap(
    ({ affected: { base, head } }) => [base, head].filter((side) => side !== null),
  );
  const isRecorded = sides.length > 0 && sides.every((side) => side.kind === 'recorded');
  return isRecorded ? triesNeeded(rollup) : null;
}

function fixedKind(tests: Tests, unit: GateSettings['unit']): 'fixed' | 'pairs' | 'references' {
  if (gatesByPreference(tests)) return 'pairs';
  return unit === 'references' ? 'references' : 'fixed';
}

interface Compared {
  all: SuiteComparison[];
  /** Suites that compare individual tries. Together they are the pool. */
  byTries: SuiteComparison[];
  adaptive: SuiteComparison[];
}

export function comparing(suites: readonly SuiteComparison[]): Compared {
  const all = suites.filter(({ compared }) => compared.length > 0);
  const adaptive = all.filter(({ policy }) => policy.kind === 'adaptive');
  const byTries = all.filter(({ policy: { kind } }) => kind === 'adaptive' || kind === 'fixed');
  return { all, byTries, adaptive };
}

/** With fewer passes on base, passes cannot show a fall. A share of judged tries. */
const RARE = 0.1;

/**
 * Whether the value decides instead of passes: no answer can fail by its value, or answers of base
 * rarely pass, also by this metric alone.
 */
export function isOutcome(
  { run: { scoring }, compared, gate }: SuiteComparison,
  { metric, name, entry }: MetricNumber,
): boolean {
  const { tests, rubrics } = scoring;
  const isShare = entry === null && comparesShare(metric);
  if (metric.skip || isShare || directionIn(metric, rubrics, entry) === 'none') return false;
  if ((gate.metrics?.[name] ?? 'fail') !== 'fail') return false;
  if (gatesByValues(tests, rubrics)) return true;
  const tries = compared.flatMap(({ base }) => base.map(({ byHead }) => byHead));
  const own = tries.flatMap(({ scores }) => scores.filter((score) => score.metric === metric.name));
  return (
    canFail(metric, rubrics) &&
    rarelyPass(tries.map(({ outcome }) => outcome)) &&
    rarelyPass(own.map(({ status }) => status))
  );
}

function rarelyPass(found: readonly (Outcome | Score['status'])[]): boolean {
  const passes = found.filter((outcome) => outcome === 'pass').length;
  const fails = found.filter((outcome) => outcome === 'fail').length;
  return fails > 0 && passes <= RARE * (passes + fails);
}

export function metricGate(
  suite: SuiteComparison,
  number: MetricNumber,
): NonNullable<GateSettings['metrics']>[string] {
  const { metric, name, entry } = number;
  const word = suite.gate.metrics?.[name] ?? (isOutcome(suite, number) ? 'fail' : 'warn');
  const better = directionIn(metric, suite.run.scoring.rubrics, entry);
  return better === 'none' && word === 'fail' ? 'warn' : word;
}

/** How many tests share alpha: one per suite, and one per metric that may fail it. */
export function familySize(suites: readonly SuiteComparison[]): number {
  const numbers = comparing(suites).all.map((suite) =>
    metricNumbers(suite).filter((number) => metricGate(suite, number) === 'fail'),
  );
  return numbers.length + numbers.flat().length;
}

interface AlphaShares extends RunLevels {
  suites: number;
  fixedReferences(suite: SuiteComparison): number;
}

export function alphaShares(
  suites: readonly SuiteComparison[],
  { alpha, gate_on, churn }: VerdictSettings,
): AlphaShares {
  const { all, byTries } = comparing(suites);
  const shares = ALPHA_SHARES;
  const references = gate_on === 'suite' ? 0 : shares.references * alpha;
  const rest = alpha - references;
  // With one suite, there is no test of all suites (pool), so the suite gets both shares.
  const pool = byTries.length < 2 ? 0 : (shares.pool / (shares.pool + shares.suites)) * rest;
  // The references' alpha is split evenly between suites. A suite with fixed tries spends its part
  // on an exact test (`brokenP`). The rest is for the e-value of all references.
  const part = references / Math.max(1, all.length);
  const fixedReferences = ({ policy, compared }: SuiteComparison) => {
    if (policy.kind !== 'fixed') return 0;
    const hasCritical = compared.some(isCritical);
    if (churn === 'accept') return 0;
    return hasCritical ? part / 2 : part;
  };
  const onTries = byTries.reduce((sum, suite) => sum + part - fixedReferences(suite), 0);
  return {
    suites: rest - pool,
    suite: (rest - pool) / Math.max(1, familySize(suites)),
    pool,
    references: onTries,
    judged: references === 0 ? 'none' : churn === 'accept' ? 'critical' : 'all',
    fixedReferences,
  };
}

export type VerdictSettings = Pick<GateSettings, 'alpha' | 'gate_on' | 'churn'>;

export function nextTries(
  suites: readonly SuiteComparison[],
  settings: GateSettings,
  compares = true,
): NextTries {
  const byRun = new Map(suites.map((suite) => [suite.run, suite]));
  const { byTries } = comparing(suites);
  let found: RunState | null = null;
  return (run) => {
    const suite = byRun.get(run);
    if (suite === undefined) return new Map();
    found ??= runState(createLedgers(byTries), alphaShares(suites, settings));
    const states = found.suites[byTries.indexOf(suite)]?.references ?? [];
    const more = new Map(suite.compared.map((own, i) => [own, states[i]?.wanted ?? 0]));
    const first = found.plan.tries[0] ?? FIRST_TRIES;
    const open = new Set(toSettleValues(suite, first));
    const fresh = new Set(compares ? toSettleNew(suite) : []);
    const wanted = run.runs.map((own, index): [number, number] => {
      const next = open.has(own) ? Math.min(own.base.length, own.head.length) + 1 : 0;
      const adaptive = more.has(own) ? first : UNCOMPARED_TRIES;
      const ofSuite = suite.policy.kind === 'adaptive' ? adaptive : suite.policy.tries;
      const start = own.affected.reference.n_tries ?? ofSuite;
      const ofNew = fresh.has(own) ? own.head.length + 1 : 0;
      const count = Math.max(start, more.get(own) ?? 0, next, ofNew);
      const lacks = SIDES.some((side) => own.affected[side] !== null && own[side].length < count);
      return [index, lacks ? count : 0];
    });
    return new Map(wanted.filter(([, count]) => count > 0));
  };
}

function toSettleValues(suite: SuiteComparison, first: number): ReferenceRun[] {
  if (suite.policy.kind !== 'adaptive') return [];
  return metricNumbers(suite)
    .flatMap((number) => explodedReferences(suite, number, first))
    .flatMap(({ isOpen, run }) => (isOpen ? run : []));
}

/** New tests whose first tries do not all pass, until enough of up to nine tries failed. */
function toSettleNew({ run: { suite, runs }, policy }: SuiteComparison): ReferenceRun[] {
  if (policy.kind === 'pairs' || policy.kind === 'references') return [];
  const failures = (tries: ReferenceRun['head']) => {
    const counts = countOutcomes(tries.map(({ byHead }) => byHead.outcome));
    return counts.tries - counts.passes;
  };
  return runs
    .filter(
      ({ affected: { change, head }, head: made }) =>
        (change === 'added' || suite.base === null) &&
        head?.kind !== 'recorded' &&
        failures(made.slice(0, FIRST_TRIES)) > 0,
    )
    .slice(0, maxSuspects(runs.length))
    .filter(({ head }) => head.length < MOST_FIXING_PAIRS && failures(head) < FAILURES_TO_SETTLE);
}
