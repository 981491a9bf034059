import type { Outcome } from '../../types/metric.ts';
import { criticalOf, plannedTries, suiteBlocks, tryOutcomes } from '../plan/ledger.ts';
import { FIRST_TRIES, ONE_LOOK, type LookPlan } from '../plan/looks.ts';
import type { ReferenceState, SuiteState } from '../plan/policy.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import { eValueFdr, eValueOfRise, tryPairs } from '../statistics/e-values.ts';
import { discreteFdr } from '../statistics/fixed-tries.ts';
import { clusteredTries, lookAt, type Look } from '../statistics/look.ts';
import {
  countTable,
  isComparable,
  mirrorTables,
  triesMade,
  type Table,
  type Tries,
} from '../statistics/table.ts';
import { preferenceTries } from './preference.ts';
import type { RollUpOutcome, RunRollUps } from './roll-up.ts';

/** A suite that is compared, and what its tries show. A verdict adds its fields to the row. */
export interface SuiteRow {
  suite: SuiteComparison;
  /** The plan of its looks: where the number of tries is fixed, one look at all of them. */
  plan: LookPlan;
  looks: readonly Look[];
  /** What the rates, the interval and p rest on: the tries that all references share. */
  look: Look;
  /** Tries with a smaller index are the ones that all references share. */
  upTo: number;
  /** The number of these tries, as planned. */
  tries: number;
  /** In the order of `compared`. */
  references: readonly ReferenceRow[];
}

export interface ReferenceRow {
  run: ReferenceRun;
  id: string;
  isCritical: boolean;
  /** What its own verdict rests on. */
  table: Table;
  /** False-discovery rates, 0–1, of "worse" and "better". */
  q: { down: number; up: number };
  /** Sequential evidence calls it broken. */
  isCalled: boolean;
  /** It looks worse, and more tries could clear it. */
  isSuspicious: boolean;
  /** It failed on base and passes on head, beyond chance. */
  isFixed: boolean;
}

const ZERO_COUNTS = { passes: 0, tries: 0 };

const NO_TRIES: Table = { base: ZERO_COUNTS, head: ZERO_COUNTS };

/** Of a suite whose tries are compared one by one. */
export function rowByTries(
  suite: SuiteComparison,
  { ledger, looks, references: states }: SuiteState,
  plan: LookPlan,
): SuiteRow {
  const { policy } = suite;
  const found = {
    called: positions(states, ({ isBroken }) => isBroken),
    suspects: positions(states, ({ isSuspect }) => isSuspect),
    fixed: positions(states, ({ isFixed }) => isFixed),
  };
  if (policy.kind !== 'adaptive') {
    const look = lookAt(plannedTries(ledger));
    const own = { tables: look.tables, q: discreteFdr(look.tables) };
    return { ...oneLook(suite, look, policy.tries), references: referenceRows(suite, own, found) };
  }
  const last = looks.at(-1);
  const look = last ?? lookAt(ledger.references);
  const first = plan.tries[0] ?? FIRST_TRIES;
  const tries = last?.tries ?? first;
  // Of those that were tried on, the tries that made them suspicious.
  const tables = ledger.references.map(({ tries: own }) =>
    countTable(own, 0, triesMade(own) > tries ? first : tries),
  );
  // References are tried on because of what they show, so only e-values may name them.
  const q = {
    down: fdrOf(states.map(({ eValue }) => eValue)),
    up: fdrOf(ledger.references.map((own) => eValueOfRise(tryPairs(own.tries)))),
  };
  const references = referenceRows(suite, { tables, q }, found);
  return { suite, plan, looks, look, upTo: tries, tries, references };
}

function positions(
  states: readonly ReferenceState[],
  is: (state: ReferenceState) => boolean,
): number[] {
  return states.flatMap((state, at) => (is(state) ? at : []));
}

function fdrOf(eValues: readonly number[]): number[] {
  const q = eValueFdr(eValues);
  return eValues.map((eValue) => q.get(eValue) ?? 1);
}

function oneLook(suite: SuiteComparison, look: Look, tries: number): Omit<SuiteRow, 'references'> {
  return { suite, plan: ONE_LOOK, looks: [look], look, upTo: Infinity, tries };
}

/** Of a suite that compares pairs of answers, or what its roll-up makes of each reference. */
export function rowOfAnswers(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): SuiteRow {
  const { run, policy, compared } = suite;
  const isPairs = policy.kind === 'pairs';
  const outcomes = isPairs
    ? preferenceTries(run.scoring.tests, compared)
    : compared.map((item) => rolledTries(rollUps.get(item)));
  const blocks = isPairs ? outcomes.map(() => null) : suiteBlocks(compared);
  const look = lookAt(clusteredTries(outcomes, blocks));
  const tables = compared.map((item) => (isPairs ? NO_TRIES : countTable(tryOutcomes(item))));
  const q = isPairs ? discreteFdr(tables) : turnedAlone(tables, look.tables);
  const suspects = isPairs ? [] : criticalOf(compared).filter((at) => hasTurned(look.tables[at]));
  const tries = policy.kind === 'adaptive' ? FIRST_TRIES : policy.tries;
  const found = { called: [], suspects, fixed: [] };
  return {
    ...oneLook(suite, look, tries),
    references: referenceRows(suite, { tables, q }, found),
  };
}

interface OwnTables {
  tables: readonly Table[];
  q: { down: readonly number[]; up: readonly number[] };
}

function referenceRows(
  { run: suite, compared }: SuiteComparison,
  { tables, q }: OwnTables,
  found: Record<'called' | 'suspects' | 'fixed', readonly number[]>,
): ReferenceRow[] {
  return compared.map((run, at) => ({
    run,
    id: run.affected.reference.id,
    isCritical: run.affected.reference.tags.includes('critical'),
    table: tables[at] ?? NO_TRIES,
    q: { down: q.down[at] ?? 1, up: q.up[at] ?? 1 },
    isCalled: found.called.includes(at),
    isSuspicious: found.suspects.includes(at),
    isFixed: found.fixed.includes(at) && failsUnderBase(run, suite),
  }));
}

/** Base's answers fail by base's own scoring too, so that head fixes more than the scoring. */
function failsUnderBase({ base }: ReferenceRun, { scoring }: SuiteComparison['run']): boolean {
  return base.some(
    ({ byHead, byBase }) =>
      (scoring.side === 'head' && byBase !== null ? byBase : byHead).outcome === 'fail',
  );
}

function hasTurned(table: Table | undefined): boolean {
  return table !== undefined && isComparable(table) && table.head.passes < table.base.passes;
}

/** Keeps a call on single tries, worse or better, only where the roll-up agrees. */
function turnedAlone(own: readonly Table[], rolled: readonly Table[]): OwnTables['q'] {
  const { down, up } = discreteFdr(own);
  const mirrored = mirrorTables(rolled);
  return {
    down: down.map((q, at) => (hasTurned(rolled[at]) ? q : 1)),
    up: up.map((q, at) => (hasTurned(mirrored[at]) ? q : 1)),
  };
}

/** A reference's roll-ups as one try a side; a roll-up without an outcome is not a try. */
function rolledTries(rollUps: RunRollUps | undefined): Tries {
  const side = (rolled: RollUpOutcome | undefined): Outcome[] => [rolled?.outcome ?? 'error'];
  return { base: side(rollUps?.base), head: side(rollUps?.head) };
}
