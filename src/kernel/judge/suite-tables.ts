import type { Outcome } from '../../types/metric.ts';
import type { Side } from '../../types/plain.ts';
import { criticalOf, suiteBlocks, tryOutcomes } from '../plan/ledger.ts';
import { FIRST_TRIES } from '../plan/looks.ts';
import type { RunState } from '../plan/policy.ts';
import type { ReferenceRun, SuiteComparison } from '../plan/suite-run.ts';
import type { PreferenceSummary } from '../result/suite-result.ts';
import { evidenceFdr, healingEvidence } from '../statistics/healing.ts';
import { differenceInterval } from '../statistics/interval.ts';
import { lookAt, plannedTries, type Look, type SuiteLedger } from '../statistics/ledger.ts';
import { discreteFdr } from '../statistics/reference-tests.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import { calledReferences, type References } from '../statistics/suspicion.ts';
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
import { gatesByPreference, isPairwise } from '../suite/metrics.ts';
import type { Tests } from '../suite/suite.ts';
import type { RollUpOutcome, RunRollUps } from './roll-up.ts';

/** What the tries of one suite show, before any verdict. */
export interface SuiteTables {
  suite: SuiteComparison;
  /** The looks of an adaptive suite; empty where tries are fixed. */
  looks: Look[];
  /** What the rates, the interval and p stand on: the tries that all references share. */
  look: Look;
  /** What each reference's own verdict stands on, in the order of `compared`. */
  own: Table[];
  q: { down: number[]; up: number[] };
  tries: number;
  /** Positions of references that sequential evidence calls broken, suspicious, or healed. */
  called: number[];
  open: number[];
  healed: number[];
}

const ZERO_COUNTS = { passes: 0, tries: 0 };

const NO_TRIES: Table = { base: ZERO_COUNTS, head: ZERO_COUNTS };

/** Of a suite whose tries are compared one by one; `s`: its position among these. */
export function tablesByTries(
  suite: SuiteComparison,
  ledger: SuiteLedger,
  { state, s }: { state: RunState; s: number },
): SuiteTables {
  const { compared, policy } = suite;
  const looks = state.looks[s] ?? [];
  const look = looks.at(-1) ?? lookAt(plannedTries(ledger), Infinity);
  const first = state.plan.tries[0] ?? FIRST_TRIES;
  const isAdaptive = policy.kind === 'adaptive';
  const tries = isAdaptive ? (looks.at(-1)?.tries ?? first) : policy.tries;
  const own = compared.map((run, i) => {
    const isTriedOn = isAdaptive && triesMade(tryOutcomes(run)) > tries;
    // The first tries made it suspicious.
    return isTriedOn ? countTable(tryOutcomes(run), first) : (look.tables[i] ?? NO_TRIES);
  });
  return {
    suite,
    looks,
    look,
    own,
    q: isAdaptive ? sequentialFdr(ledger, state.references, s) : discreteFdr(own),
    tries,
    called: calledReferences(state.references, s),
    open: state.suspects[s] ?? [],
    healed: state.healed[s] ?? [],
  };
}

/** Of a suite that compares pairs of answers, or what its roll-up makes of each reference. */
export function tablesOfAnswers(
  suite: SuiteComparison,
  rollUps: ReadonlyMap<ReferenceRun, RunRollUps>,
): SuiteTables {
  const { run, policy, compared } = suite;
  const isPairs = policy.kind === 'pairs';
  const tries = isPairs
    ? preferenceTries(run.scoring.tests, compared)
    : compared.map((item) => rolledTries(rollUps.get(item)));
  const blocks = isPairs ? tries.map(() => null) : suiteBlocks(compared);
  const look = lookAt({ columns: [{ metric: null, tries }], blocks }, Infinity);
  const own = isPairs
    ? compared.map(() => NO_TRIES)
    : compared.map((item) => countTable(tryOutcomes(item)));
  return {
    suite,
    looks: [],
    look,
    own,
    q: isPairs ? discreteFdr(own) : turnedAlone(own, look.tables),
    tries: policy.kind === 'adaptive' ? FIRST_TRIES : policy.tries,
    called: [],
    open: isPairs ? [] : criticalOf(compared).filter((i) => isFall(look.tables[i])),
    healed: [],
  };
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

/** References are tried on because of what they show, so only e-values may name them. */
function sequentialFdr(
  { columns: [all] }: SuiteLedger,
  { suspicions }: References,
  s: number,
): SuiteTables['q'] {
  return {
    down: evidenceFdr((suspicions[s] ?? []).map(({ value }) => value)),
    up: evidenceFdr(all.tries.map(healingEvidence)),
  };
}

interface Comparison {
  better: 'head' | 'base' | 'tie';
}

function comparisons(metric: string, runs: readonly ReferenceRun[]): Comparison[] {
  return runs.flatMap(({ head }) =>
    head.flatMap(({ byHead }): Comparison[] => {
      const value = byHead.scores.find((score) => score.metric === metric)?.value;
      return typeof value === 'number'
        ? [{ better: value === 1 ? 'head' : value === 0 ? 'base' : 'tie' }]
        : [];
    }),
  );
}

/** One try per comparison: the side not preferred fails, so the suite's test is the sign test. */
function preferenceTries({ metrics }: Tests, runs: readonly ReferenceRun[]): Tries[] {
  const metric = metrics.find(isPairwise);
  return metric === undefined
    ? []
    : comparisons(metric.name, runs).map(({ better }) => ({
        base: [better === 'head' ? 'fail' : 'pass'],
        head: [better === 'base' ? 'fail' : 'pass'],
      }));
}

export function preferenceTables(tests: Tests, runs: readonly ReferenceRun[]): Table[] {
  return preferenceTries(tests, runs).map((tries) => countTable(tries));
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
