import type { Outcome } from '../../types/metric.ts';
import { clusteredRuns, maxPlannedTries, plannedTries, tryOutcomes } from '../plan/ledger.ts';
import { FIRST_TRIES, ONE_LOOK, type LookPlan } from '../plan/looks.ts';
import type { ReferenceState, SuiteState } from '../plan/policy.ts';
import { isCritical, type ReferenceRun, type SuiteComparison } from '../plan/suite-run.ts';
import type { SuiteResult, Verdict, VerdictReason } from '../result/suite-result.ts';
import { eValueFdr, eValueOfRise, tryPairs } from '../statistics/e-values.ts';
import { discreteFdr } from '../statistics/fixed-tries.ts';
import { lookAt, type Look } from '../statistics/look.ts';
import {
  countTable,
  isComparable,
  mirrorTables,
  triesMade,
  type Table,
  type Tries,
} from '../statistics/table.ts';
import { isOfSameTime, type Confirmation } from './confirmation.ts';
import { preferenceTries } from './preference.ts';
import type { RollUpOutcome, RunRollUps } from './roll-up.ts';
import type { SuiteFacts } from './suite-rules.ts';
import type { FallUnderBase } from './under-base-scoring.ts';
import type { MetricMove } from './values.ts';

/** A judged suite of a run. */
export interface SuiteRow {
  comparison: SuiteComparison;
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>;
  /** Null in sweeps, and if nothing was compared. */
  verdict: SuiteVerdict | null;
  result: SuiteResult;
}

/** The statistical tests of a suite. */
export interface TestedSuite {
  suite: SuiteComparison;
  /** When the interim tests (looks) take place. */
  plan: LookPlan;
  looks: readonly Look[];
  /** The look that gives the reported rates, interval and p. */
  look: Look;
  /** Tries with this index or a higher one are ignored. */
  upTo: number;
  tries: number;
  references: readonly ReferenceRow[];
}

export interface ReferenceRow {
  run: ReferenceRun;
  id: string;
  isCritical: boolean;
  table: Table;
  /** False-discovery rates (0–1) for "got worse" (`down`) and "got better" (`up`). */
  q: { down: number; up: number };
  isBroken: boolean;
  isSuspect: boolean;
  isFixed: boolean;
}

export interface MeasuredRow extends TestedSuite {
  /** The suite's share of alpha (0–1). */
  alpha: number;
  tolerance: number;
  /** The smallest drop of the pass rate (0–1) that the test detects with 80 % power. */
  visibleDrop: number | null;
  facts: OwnFacts;
  moves: readonly MetricMove[];
}

export type OwnFacts = Omit<SuiteFacts, keyof RunFactsOfSuite>;

export type RunFactsOfSuite = Pick<
  SuiteFacts,
  | 'unanswered'
  | 'confirmation'
  | 'missing'
  | 'endings'
  | 'underBase'
  | 'worseValues'
  | 'betterValues'
  | 'isBoundTogether'
>;

export interface SuiteVerdict extends MeasuredRow {
  verdict: Verdict;
  reason: VerdictReason;
  /** Null if the verdict did not use base's scoring. */
  underBase: FallUnderBase | null;
  /** Null if the verdict is good, or if it does not depend on earlier answers. */
  confirmation: Confirmation | null;
}

const ZERO_COUNTS = { passes: 0, tries: 0 };

const EMPTY_TABLE: Table = { base: ZERO_COUNTS, head: ZERO_COUNTS };

export function rowByTries(
  suite: SuiteComparison,
  { ledger, looks, references: states }: SuiteState,
  plan: LookPlan,
): TestedSuite {
  const { policy } = suite;
  if (policy.kind !== 'adaptive') {
    const look = lookAt(plannedTries(ledger));
    const own = { tables: look.tables, q: discreteFdr(look.tables) };
    return {
      ...oneLook(suite, look, policy.tries),
      upTo: maxPlannedTries(suite, suite.compared),
      references: referenceRows(suite, own, states),
    };
  }
  const last = looks.at(-1);
  const look = last ?? lookAt(ledger.references);
  const first = plan.tries[0] ?? FIRST_TRIES;
  const tries = last?.tries ?? first;
  // Omits extra tries, because only suspicious references get them.
  const tables = ledger.references.map(({ tries: own }) =>
    countTable(own, triesMade(own) > tries ? first : tries),
  );
  // The number of tries depends on results, so only e-values are valid for individual references.
  const q = {
    down: fdrOf(states.map(({ eValue }) => eValue)),
    up: fdrOf(ledger.references.map((own) => eValueOfRise(tryPairs(own.tries)))),
  };
  const references = referenceRows(suite, { tables, q }, states);
  return { suite, plan, looks, look, upTo: tries, tries, references };
}

function fdrOf(eValues: readonly number[]): number[] {
  const q = eValueFdr(eValues);
  return eValues.map((eValue) => q.get(eValue) ?? 1);
}

function oneLook(suite: SuiteComparison, look: Look, tries: number) {
  return { suite, plan: ONE_LOOK, looks: [look], look, upTo: Infinity, tries };
}

/** For suites that compare pairs of answers, or the roll-ups (combined tries) of references. */
export function rowOfAnswers(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): TestedSuite {
  const { run, policy, compared } = suite;
  const isPairs = policy.kind === 'pairs';
  const look = lookAt(
    isPairs
      ? preferenceTries(run.scoring.tests, compared)
      : clusteredRuns(compared, (item) => rolledTries(rollUps.get(item))),
  );
  const tables = isPairs ? [] : compared.map((item) => countTable(tryOutcomes(item)));
  const q = qWhereRollUpAgrees(tables, look.tables);
  const states = compared.map((item, at) => ({
    ...NOTHING_FOUND,
    isSuspect: !isPairs && isCritical(item) && rollUpFell(look.tables[at]),
  }));
  const tries = policy.kind === 'adaptive' ? FIRST_TRIES : policy.tries;
  const references = referenceRows(suite, { tables, q }, states);
  return { ...oneLook(suite, look, tries), references };
}

interface OwnTables {
  tables: readonly Table[];
  q: { down: readonly number[]; up: readonly number[] };
}

function referenceRows(
  { run: suite, compared }: SuiteComparison,
  { tables, q }: OwnTables,
  states: readonly FoundReference[],
): ReferenceRow[] {
  return compared.map((run, at) => {
    const { isBroken, isSuspect, isFixed } = states[at] ?? NOTHING_FOUND;
    return {
      run,
      id: run.affected.reference.id,
      isCritical: isCritical(run),
      table: tables[at] ?? EMPTY_TABLE,
      q: { down: q.down[at] ?? 1, up: q.up[at] ?? 1 },
      isBroken,
      isSuspect,
      isFixed: isFixed && failsUnderBase(run, suite),
    };
  });
}

type FoundReference = Pick<ReferenceState, 'isBroken' | 'isSuspect' | 'isFixed'>;

const NOTHING_FOUND: FoundReference = { isBroken: false, isSuspect: false, isFixed: false };

/**
 * Whether base's answers fail by base's own scoring. Ignores answers of an earlier time, because
 * the model may have changed.
 */
function failsUnderBase(
  { base, head }: ReferenceRun,
  { scoring }: SuiteComparison['run'],
): boolean {
  return base.some((own) => {
    const { byHead, byBase } = own;
    const { outcome } = scoring.side === 'head' && byBase !== null ? byBase : byHead;
    return outcome === 'fail' && isOfSameTime(own, head);
  });
}

function rollUpFell(table: Table | undefined): boolean {
  return table !== undefined && isComparable(table) && table.head.passes < table.base.passes;
}

/**
 * False-discovery rates. 1 if the roll-up (combined tries) did not get worse (`down`) or better
 * (`up`).
 */
function qWhereRollUpAgrees(own: readonly Table[], rolled: readonly Table[]): OwnTables['q'] {
  const { down, up } = discreteFdr(own);
  const mirrored = mirrorTables(rolled);
  return {
    down: down.map((q, at) => (rollUpFell(rolled[at]) ? q : 1)),
    up: up.map((q, at) => (rollUpFell(mirrored[at]) ? q : 1)),
  };
}

function rolledTries(rollUps: RunRollUps | undefined): Tries {
  const side = (rolled: RollUpOutcome | undefined): Outcome[] => [rolled?.outcome ?? 'error'];
  return { base: side(rollUps?.base), head: side(rollUps?.head) };
}
