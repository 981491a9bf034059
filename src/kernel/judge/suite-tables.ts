import type { Outcome } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import {
  clustersOf,
  comparing,
  criticalOf,
  tryOutcomes,
  referenceLevel,
  sequentialSuite,
} from '../plan/tries.ts';
import type { PreferenceSummary } from '../result/suite-result.ts';
import { type Bundle, bundlesOf } from '../statistics/bundles.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { FIRST_TRIES } from '../statistics/looks.ts';
import { discreteFdr } from '../statistics/reference-tests.ts';
import {
  type Look,
  calledReferences,
  judgeReferences,
  looksOf,
  openSuspicions,
  suspicionOf,
} from '../statistics/sequential.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import {
  type Table,
  type Tries,
  countOutcomes,
  isComparable,
  mirrorTables,
  countTable,
  triesMade,
  meanOfCounts,
} from '../statistics/table.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { gatesByPreference, isPairwise } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';
import type { RollUpOutcome, RunRollUps } from './roll-up.ts';

export type VerdictSettings = Pick<GateSettings, 'alpha' | 'gate_on'>;

export type LevelsAt = (alpha: number) => readonly number[];

interface Singles {
  called: number[];
  open: number[];
}

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
      { called: calledReferences(references, i), open: openSuspicions(references, i) },
    ]),
  );
}

export interface SuiteTables extends Singles {
  suite: SuiteComparison;
  /** The looks of a sequential suite; empty where tries are fixed. */
  looks: Look[];
  tables: Table[];
  bundles: Bundle[];
  own: Table[];
  q: { down: number[]; up: number[] };
  tries: number;
}

const ZERO_COUNTS = { passes: 0, tries: 0 };

export function suiteTablesOf(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
  { called, open }: Singles = { called: [], open: [] },
): SuiteTables {
  const { run, policy, compared } = suite;
  if (policy.kind === 'pairs') {
    const tables = preferenceTables(run.deciding.tests, compared);
    const own = compared.map(() => ({ base: ZERO_COUNTS, head: ZERO_COUNTS }));
    const q = discreteFdr(own);
    return { suite, called, open, looks: [], tables, bundles: [], own, q, tries: policy.tries };
  }
  if (policy.kind === 'references') {
    const outcomes = compared.map((item) => rolledTries(rollUps.get(item)));
    const tables = outcomes.map((outcome) => countTable(outcome, 0, 1));
    const bundles = bundlesOf(outcomes, clustersOf(compared), 1);
    const own = compared.map((item) => countTable(tryOutcomes(item)));
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
  const tables = compared.map((item) => countTable(tryOutcomes(item)));
  const bundles = bundlesOf(compared.map(tryOutcomes), clustersOf(compared), Infinity);
  const q = discreteFdr(tables);
  const fallen = criticalOf(compared).filter((i) => looksBroken(compared[i]));
  return { suite, called, open: fallen, looks: [], tables, bundles, own: tables, q, tries };
}

/** A critical reference that is not sampled on stays suspicious if its tries say more against it. */
function looksBroken(run: ReferenceRun | undefined): boolean {
  return run !== undefined && suspicionOf(tryOutcomes(run), false).open;
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
  if (common !== undefined && triesMade(tryOutcomes(run)) <= tries) return common;
  return countTable(tryOutcomes(run), FIRST_TRIES);
}

interface Comparison {
  better: 'head' | 'base' | 'tie';
}

function comparisons(metric: string, runs: readonly ReferenceRun[]): Comparison[] {
  return runs.flatMap(({ head }) =>
    head.flatMap(({ result }): Comparison[] => {
      const value = result.scores.find((score) => score.metric === metric)?.value;
      return typeof value === 'number'
        ? [{ better: value === 1 ? 'head' : value === 0 ? 'base' : 'tie' }]
        : [];
    }),
  );
}

/** One table per comparison: the side not preferred fails, so the suite's test is the sign test. */
export function preferenceTables({ metrics }: Tests, runs: readonly ReferenceRun[]): Table[] {
  const metric = metrics.find(isPairwise);
  return metric === undefined
    ? []
    : comparisons(metric.name, runs).map(({ better }) => ({
        base: { passes: better === 'head' ? 0 : 1, tries: 1 },
        head: { passes: better === 'base' ? 0 : 1, tries: 1 },
      }));
}

/** By the suite's first comparing metric; null without one, or without a comparison. */
export function preferenceOf(
  tests: Tests,
  runs: readonly ReferenceRun[],
): PreferenceSummary | null {
  const metric = tests.metrics.find(isPairwise);
  if (metric === undefined) return null;
  const found = comparisons(metric.name, runs);
  const count = (wanted: Comparison['better']): number =>
    found.filter(({ better }) => better === wanted).length;
  const tables = preferenceTables(tests, runs);
  const interval = differenceInterval(tables);
  if (interval === null) return null;
  const [head, base, ties] = [count('head'), count('base'), count('tie')];
  const p = suiteTest(tables).midDown;
  const gates = gatesByPreference(tests);
  return {
    metric: metric.name,
    head,
    base,
    ties,
    p,
    ...interval,
    gates,
  };
}

/** The number of tries that every one of these runs has on the sides that can run. */
export function sharedTries(runs: readonly ReferenceRun[]): number {
  return runs.reduce((least, run) => {
    const lengths = (['base', 'head'] as const)
      .filter((side) => run.affected[side] !== null)
      .map((side) => run[side].length);
    return Math.min(least, ...lengths);
  }, Number.MAX_SAFE_INTEGER);
}

/** Mean over references of one side's pass rate, over tries [0, to); null: no try was judged. */
export function meanRate(runs: readonly ReferenceRun[], side: Side, to: number): number | null {
  return meanOfCounts(runs.map((run) => countOutcomes(tryOutcomes(run)[side].slice(0, to))));
}

/** Mean over tables with tries on both sides of one side's pass rate; null where there is none. */
export function meanOfTables(tables: readonly Table[], side: Side): number | null {
  return meanOfCounts(tables.filter(isComparable).map((table) => table[side]));
}
