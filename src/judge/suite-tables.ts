import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import {
  clustersOf,
  comparing,
  criticalOf,
  outcomesOf,
  referenceLevel,
  sequentialSuite,
} from '../plan/tries.ts';
import { bundlesOf, type Bundle } from '../statistics/bundles.ts';
import { FIRST_TRIES } from '../statistics/looks.ts';
import { discreteFdr } from '../statistics/reference-tests.ts';
import {
  calledIn,
  judgeReferences,
  looksOf,
  openIn,
  suspicionOf,
  type Look,
} from '../statistics/sequential.ts';
import {
  isComparable,
  triesMade,
  mirrorTables,
  tableOf,
  type Table,
  type Tries,
} from '../statistics/table.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import type { Outcome } from '../types/metric.ts';
import type { RollUpOutcome, RunRollUps } from './roll-up.ts';
import { preferenceTables } from './tables.ts';

export type VerdictSettings = Pick<GateSettings, 'alpha' | 'gate_on'>;

export type LevelsAt = (alpha: number) => readonly number[];

/** What is known of a suite's references one by one: positions among the compared. */
interface Singles {
  called: number[];
  open: number[];
}

/** Single references of all sequential suites, judged together under their part of alpha. */
export function evidenceBySuite(
  suites: readonly SuiteComparison[],
  settings: VerdictSettings,
): ReadonlyMap<SuiteComparison, Singles> {
  const { sequential } = comparing(suites);
  const level = referenceLevel(suites, settings);
  if (level === 0) return new Map();
  const references = judgeReferences(sequential.map(sequentialSuite), level);
  return new Map(
    sequential.map((suite, i) => [
      suite,
      { called: calledIn(references, i), open: openIn(references, i) },
    ]),
  );
}

/** What a suite's tries say before a level of significance is chosen. */
export interface SuiteTables extends Singles {
  suite: SuiteComparison;
  /** The looks of a sequential suite; empty where tries are fixed. */
  looks: Look[];
  tables: Table[];
  bundles: Bundle[];
  own: Table[];
  /** By reference, false-discovery rates of "worse" and "better". */
  q: { down: number[]; up: number[] };
  tries: number;
}

const NOTHING = { passes: 0, tries: 0 };

export function suiteTablesOf(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  { called, open }: Singles = { called: [], open: [] },
): SuiteTables {
  const { run, policy, compared } = suite;
  if (policy.kind === 'pairs') {
    const tables = preferenceTables(run.deciding.tests, compared);
    const own = compared.map(() => ({ base: NOTHING, head: NOTHING }));
    const q = discreteFdr(own);
    return { suite, called, open, looks: [], tables, bundles: [], own, q, tries: policy.tries };
  }
  if (policy.kind === 'references') {
    const outcomes = compared.map((item) => rolledTries(rollUps.get(item)));
    const tables = outcomes.map((outcome) => tableOf(outcome, 0, 1));
    const bundles = bundlesOf(outcomes, clustersOf(compared), 1);
    const own = compared.map((item) => tableOf(outcomesOf(item)));
    const q = turnedAlone(own, tables);
    const fallen = criticalOf(compared).filter((i) => isFall(tables[i]));
    return { suite, called, open: fallen, looks: [], tables, bundles, own, q, tries: policy.tries };
  }
  const looks = policy.kind === 'adaptive' ? looksOf(sequentialSuite(suite)) : [];
  const last = looks.at(-1);
  if (last !== undefined) {
    const { tables, bundles, tries } = last;
    const own = compared.map((item, i) => ownTable(item, tables[i], tries));
    return { suite, called, open, looks, tables, bundles, own, q: discreteFdr(own), tries };
  }
  const tries = policy.kind === 'adaptive' ? FIRST_TRIES : policy.tries;
  const tables = compared.map((item) => tableOf(outcomesOf(item)));
  const bundles = bundlesOf(compared.map(outcomesOf), clustersOf(compared), Infinity);
  const q = discreteFdr(tables);
  const fallen = criticalOf(compared).filter((i) => looksBroken(compared[i]));
  return { suite, called, open: fallen, looks: [], tables, bundles, own: tables, q, tries };
}

/** A critical reference that is not sampled on stays suspicious if its tries say more against it. */
function looksBroken(run: ReferenceRun | undefined): boolean {
  return run !== undefined && suspicionOf(outcomesOf(run), false).open;
}

function isFall(table: Table | undefined): boolean {
  return table !== undefined && isComparable(table) && table.head.passes < table.base.passes;
}

/** Keeps a call on single tries, worse or better, only where the roll-up agrees. */
function turnedAlone(own: readonly Table[], rolled: readonly Table[]): SuiteTables['q'] {
  const { down, up } = discreteFdr(own);
  return {
    down: down.map((q, i) => (isFall(rolled[i]) ? q : 1)),
    up: up.map((q, i) => (isFall(mirrorTables(rolled)[i]) ? q : 1)),
  };
}

/** A reference's roll-ups as one try a side; a roll-up without a word is no try. */
function rolledTries(rollUps: RunRollUps | undefined): Tries {
  const side = (rolled: RollUpOutcome | undefined): Outcome[] => [rolled?.outcome ?? 'error'];
  return { base: side(rollUps?.base), head: side(rollUps?.head) };
}

/** A reference that was sampled on is named by the tries after those that made it suspicious. */
function ownTable(run: ReferenceRun, common: Table | undefined, tries: number): Table {
  if (common !== undefined && triesMade(outcomesOf(run)) <= tries) return common;
  return tableOf(outcomesOf(run), FIRST_TRIES);
}
