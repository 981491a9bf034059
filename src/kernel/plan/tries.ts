import { directionIn } from '../../metrics/passing.ts';
import type { Better } from '../../types/metric.ts';
import { fingerprintOf } from '../select/affected.ts';
import { lookLevels, FIRST_TRIES, MOST_TRIES } from '../statistics/looks.ts';
import { REFERENCE_SHARE, type SequentialSuite } from '../statistics/sequential.ts';
import type { Tries } from '../statistics/table.ts';
import { wantedTries, type SequentialLevels } from '../statistics/wanted-tries.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { triesNeeded } from '../suite/gate.ts';
import { everyMetric, gatesByPreference, gatesNothing, metricsNamed } from '../suite/metrics.ts';
import type { Settings, Tests } from '../suite/suite.ts';
import type { ReferenceRun, SuiteComparison, SuiteRun, NextTries, TryPolicy } from './suite-run.ts';

export function criticalOf(compared: readonly ReferenceRun[]): number[] {
  return compared.flatMap(({ affected: reference }, index) =>
    reference.reference.tags.includes('critical') ? [index] : [],
  );
}

export function tryOutcomes({ base, head }: ReferenceRun): Tries {
  return {
    base: base.map(({ result }) => result.outcome),
    head: head.map(({ result }) => result.outcome),
  };
}

export function clustersOf(compared: readonly ReferenceRun[]): (string | null)[] {
  return compared.map(({ affected: { reference } }) => reference.cluster ?? null);
}

/** Where the sequential policy cannot be followed: sweeps, prompts new to base, comparisons. */
const UNCOMPARED_TRIES = FIRST_TRIES;

const ROLLED_TRIES = 3;

/**
 * The test file's `n_tries`, else the settings'; where recordings are compared by their tries, one,
 * or as many passes as the roll-up wants. In a sweep, where both sides' answers are compared with
 * each other, and where nothing gates, `adaptive` is a fixed number.
 */
export function tryPolicy(
  { suite, deciding, runs }: SuiteRun,
  settings: Settings,
  compares: boolean,
  unit: GateSettings['unit'] = 'tries',
): TryPolicy {
  const tries = (suite.head ?? suite.base)?.suite.tests.n_tries ?? settings.n_tries;
  const kind = compares ? fixedKind(deciding.tests, unit) : 'fixed';
  const { rollup } = deciding.tests;
  const recorded = compares ? triesOfRecordings(kind, rollup, runs) : null;
  if (recorded !== null) return { kind, tries: recorded };
  if (tries !== 'adaptive') return { kind, tries };
  if (kind === 'references') return { kind, tries: Math.max(ROLLED_TRIES, triesNeeded(rollup)) };
  if (kind === 'pairs') return { kind, tries: UNCOMPARED_TRIES };
  return settles(deciding.tests, compares)
    ? { kind: 'adaptive' }
    : { kind: 'fixed', tries: UNCOMPARED_TRIES };
}

function settles(tests: Tests, compares: boolean): boolean {
  return compares && !gatesNothing(tests);
}

/** Further tries of recordings are the same again. Null: not so, or a roll-up decides. */
function triesOfRecordings(
  kind: ReturnType<typeof fixedKind>,
  rollup: Tests['rollup'],
  runs: SuiteRun['runs'],
): number | null {
  if (kind === 'references' || rollup.kind === 'code') return null;
  const different = runs.filter(
    ({ affected: { base, head } }) =>
      base !== null && head !== null && fingerprintOf(base) !== fingerprintOf(head),
  );
  const isRecorded =
    different.length > 0 &&
    different.every(
      ({ affected: { base, head } }) => base?.kind === 'recorded' && head?.kind === 'recorded',
    );
  return isRecorded ? triesNeeded(rollup) : null;
}

function fixedKind(tests: Tests, unit: GateSettings['unit']): 'fixed' | 'pairs' | 'references' {
  if (gatesByPreference(tests)) return 'pairs';
  return unit === 'references' ? 'references' : 'fixed';
}

export function sequentialSuite({ compared, gate, steady }: SuiteComparison): SequentialSuite {
  return {
    tries: compared.map(tryOutcomes),
    clusters: clustersOf(compared),
    critical: new Set(criticalOf(compared)),
    steady: new Set([...compared.keys()].filter((i) => isSteady(compared[i], steady))),
    minDrop: gate.min_drop,
    tolerance: gate.tolerance,
  };
}

function isSteady(run: ReferenceRun | undefined, steady: SuiteComparison['steady']): boolean {
  return run !== undefined && steady.has(run.affected.reference.id);
}

export function comparing(suites: readonly SuiteComparison[]): {
  all: SuiteComparison[];
  sequential: SuiteComparison[];
} {
  const all = suites.filter(({ compared }) => compared.length > 0);
  return { all, sequential: all.filter(({ policy }) => policy.kind === 'adaptive') };
}

export function gateWordOf(
  { gate }: Pick<SuiteComparison, 'gate'>,
  name: string,
  better: Better,
): 'fail' | 'warn' | 'ignore' {
  return better === 'none' ? 'ignore' : (gate.metrics?.[name] ?? 'warn');
}

/** Judgements that share alpha: one per compared suite, and one per metric that may fail it. */
export function familySize(suites: readonly SuiteComparison[]): number {
  return comparing(suites).all.reduce((size, suite) => {
    const { tests, rubrics } = suite.run.deciding;
    const metrics = everyMetric(tests);
    const gated = Object.keys(suite.gate.metrics ?? {});
    const names = gated.filter((name) =>
      metricsNamed(name, metrics).some(
        (metric) => gateWordOf(suite, name, directionIn(metric, rubrics)) === 'fail',
      ),
    );
    return size + 1 + names.length;
  }, 0);
}

/** The level of all single references of the sequential suites together: their part of a fifth. */
export function referenceLevel(
  suites: readonly SuiteComparison[],
  { alpha, gate_on }: Pick<GateSettings, 'alpha' | 'gate_on'>,
): number {
  const { all, sequential } = comparing(suites);
  return gate_on === 'suite' || all.length === 0
    ? 0
    : (REFERENCE_SHARE * alpha * sequential.length) / familySize(suites);
}

export function sequentialLevels(
  suites: readonly SuiteComparison[],
  settings: Pick<GateSettings, 'alpha' | 'gate_on'>,
): SequentialLevels {
  return {
    looks: levelsAt(settings.alpha / Math.max(1, familySize(suites)), settings.gate_on),
    references: referenceLevel(suites, settings),
  };
}

/** Levels of a suite's looks when it has `alpha` to itself. */
export function levelsAt(alpha: number, gateOn: GateSettings['gate_on']): readonly number[] {
  return lookLevels(gateOn === 'suite' ? alpha : (1 - REFERENCE_SHARE) * alpha);
}

/**
 * What each suite wants next. Fixed suites want their number once. Sequential suites follow the
 * policy at the smallest level that Holm's procedure may give them; its steps do not depend on the
 * level other than by stopping earlier, so what was collected can be judged at any larger one.
 */
export function nextTries(suites: readonly SuiteComparison[], settings: GateSettings): NextTries {
  const byRun = new Map(suites.map((suite) => [suite.run, suite]));
  let found: WantedTries | null = null;
  const policy = (): WantedTries => (found ??= sequentialPolicy(suites, settings));
  return (run) => {
    const suite = byRun.get(run);
    if (suite === undefined) return new Map();
    const wanted =
      suite.policy.kind === 'adaptive'
        ? sequentially(suite, policy().get(suite) ?? new Map<number, number>())
        : fixedTries(run, suite.policy.tries);
    return new Map([...wanted].filter(([index, count]) => lacks(run.runs[index], count)));
  };
}

type WantedTries = ReadonlyMap<SuiteComparison, ReadonlyMap<number, number>>;

function sequentialPolicy(suites: readonly SuiteComparison[], settings: GateSettings): WantedTries {
  const { all, sequential } = comparing(suites);
  const levels = sequentialLevels(suites, settings);
  const isWhole = all.length === sequential.length;
  const found = wantedTries(sequential.map(sequentialSuite), levels, isWhole);
  return new Map(sequential.map((suite, i) => [suite, found[i] ?? new Map<number, number>()]));
}

function fixedTries(run: SuiteRun, tries: number): Map<number, number> {
  return new Map(
    run.runs.map(({ affected: reference }, index) => [index, reference.reference.n_tries ?? tries]),
  );
}

function sequentially(
  { run, compared }: SuiteComparison,
  more: ReadonlyMap<number, number>,
): Map<number, number> {
  const wanted = fixedTries(run, FIRST_TRIES);
  const position = new Map(run.runs.map((referenceRun, index) => [referenceRun, index]));
  for (const [reference, to] of more) {
    const referenceRun = compared[reference];
    const index = referenceRun === undefined ? undefined : position.get(referenceRun);
    if (index !== undefined) wanted.set(index, Math.max(to, wanted.get(index) ?? 0));
  }
  return wanted;
}

function lacks(run: ReferenceRun | undefined, count: number): boolean {
  if (run === undefined) return false;
  return (['base', 'head'] as const).some(
    (side) => run.affected[side] !== null && run[side].length < count,
  );
}

/** What sequential suites tried, and what five fixed tries a side would take. Null: none ran. */
export function adaptiveTries(
  suites: readonly SuiteComparison[],
): { made: number; fixed: number } | null {
  const made = new Map<string, number>();
  for (const { run, policy } of suites) {
    if (policy.kind !== 'adaptive') continue;
    for (const { affected: reference, base, head } of run.runs) {
      if (reference.reference.n_tries !== null) continue;
      for (const [generation, tries] of [
        [reference.base, base.length],
        [reference.head, head.length],
      ] as const) {
        if (generation === null || generation.kind === 'impossible' || tries === 0) continue;
        made.set(generation.fingerprint, Math.max(tries, made.get(generation.fingerprint) ?? 0));
      }
    }
  }
  const sum = [...made.values()].reduce((total, tries) => total + tries, 0);
  return made.size === 0 ? null : { made: sum, fixed: MOST_TRIES * made.size };
}
