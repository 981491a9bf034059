import { comparesShare } from '../../metrics/passing.ts';
import type { Side } from '../../types/plain.ts';
import type { TryResult } from '../result/reference-result.ts';
import {
  gates,
  type AffectedSuite,
  fingerprintOf,
  type AffectedReference,
} from '../select/affected-suite.ts';
import { isScoringKey, referenceScoringDiffers, type Scoring } from '../select/scoring.ts';
import type { GateSettings, SuiteGate } from '../suite/gate-settings.ts';
import { everyMetric } from '../suite/metrics.ts';

export interface Try {
  /** The result that decides: by head's scoring, or by base's if head lacks the suite. */
  byHead: TryResult;
  /** The result by base's scoring. Null if that equals head's. */
  byBase: TryResult | null;
}

export interface ReferenceRun {
  affected: AffectedReference;
  base: readonly Try[];
  head: readonly Try[];
}

export interface SuiteRun {
  suite: AffectedSuite;
  /** Judges both sides: head's scoring, or base's if head lacks the suite. */
  scoring: Scoring;
  /** Null if it equals head's. */
  baseScoring: Scoring | null;
  runs: readonly ReferenceRun[];
}

export function scoringsOf({ scoring, baseScoring }: SuiteRun): Scoring[] {
  return baseScoring === null ? [scoring] : [scoring, baseScoring];
}

/**
 * Identifies a suite and its variant in a sweep. A process that runs code sees only one identity's
 * answers.
 */
export function identityOf({ suite: { path, name, variant } }: SuiteRun): string {
  return JSON.stringify([path, name, variant]);
}

/** Maps an index in `runs` to the tries that the reference should have in total. */
export type NextTries = (run: SuiteRun) => ReadonlyMap<number, number>;

export function startSuite(suite: AffectedSuite): SuiteRun {
  const { base, head } = suite;
  const scoring = (head ?? base)?.scoring;
  if (scoring === undefined) throw new TypeError('a suite has at least one side');
  const runs = suite.references
    .filter(({ change }) => change !== 'removed')
    .map((reference) => ({ affected: reference, base: [], head: [] }));
  const differs =
    base !== null &&
    head !== null &&
    (suite.because.some(({ key }) => isScoringKey(key, suite)) ||
      runs.some(
        ({ affected: reference }) =>
          reference.baseReference !== null &&
          referenceScoringDiffers(reference.baseReference, reference.reference),
      ));
  return { suite, scoring, baseScoring: differs ? base.scoring : null, runs };
}

function questionDiffers({ affected: { base, head } }: ReferenceRun): boolean {
  if (base === null || head === null || base.kind === 'impossible' || head.kind === 'impossible')
    return false;
  return fingerprintOf(base) !== fingerprintOf(head);
}

export function isCritical({ affected: { reference } }: ReferenceRun): boolean {
  return reference.tags.includes('critical');
}

export function countingRuns({
  run: { suite, runs },
  quarantined,
}: Pick<SuiteComparison, 'run' | 'quarantined'>): ReferenceRun[] {
  return runs.filter(
    ({ affected }) => gates(suite, affected) && !quarantined(affected.reference.id),
  );
}

/**
 * `pairs`: compares head's answers with base's in pairs. `references`: compares roll-ups (combined
 * tries).
 */
export type TryPolicy =
  { kind: 'adaptive' } | { kind: 'fixed' | 'pairs' | 'references'; tries: number };

export interface SuiteComparison {
  run: SuiteRun;
  policy: TryPolicy;
  gate: GateSettings;
  ownGate: SuiteGate;
  compared: readonly ReferenceRun[];
  quarantined(id: string): boolean;
  /** Ids of references that affect the gate on base but that head quarantines. */
  newlyQuarantined: readonly string[];
  /** Ids of references that nearly always passed in earlier runs of base's prompt. */
  steady: ReadonlySet<string>;
  /** Ids of references that get tries until evaldiff knows whether head fixes them. */
  awaited: ReadonlySet<string>;
}

export function suiteComparison(
  run: SuiteRun,
  policy: TryPolicy,
  gates: { run: GateSettings; own: SuiteGate },
  quarantined: (id: string) => boolean,
  newlyQuarantined: readonly string[] = [],
): SuiteComparison {
  const gate = { ...gates.run, ...gates.own };
  // By default, a drop in the share of passing turns can fail the run.
  const shares = everyMetric(run.scoring.tests)
    .filter(comparesShare)
    .map(({ name }) => [name, 'fail'] as const);
  const metrics = { ...Object.fromEntries(shares), ...gate.metrics };
  return {
    run,
    policy,
    gate: shares.length === 0 ? gate : { ...gate, metrics },
    ownGate: gates.own,
    compared: countingRuns({ run, quarantined }).filter(questionDiffers),
    quarantined,
    newlyQuarantined,
    steady: new Set(),
    awaited: new Set(),
  };
}

/** `made`: new tries. `run` is an index in `suite.run.runs`. */
export function withMoreTries(
  suite: SuiteComparison,
  made: Iterable<readonly [{ run: number; side: Side }, Try]>,
): SuiteComparison {
  const more = Map.groupBy(made, ([{ run, side }]) => `${side} ${run}`);
  const triesOf = (side: Side, run: number) =>
    (more.get(`${side} ${run}`) ?? []).map(([, own]) => own);
  return mapRuns(suite, (run, index) => ({
    ...run,
    base: [...run.base, ...triesOf('base', index)],
    head: [...run.head, ...triesOf('head', index)],
  }));
}

export function mapRuns(
  suite: SuiteComparison,
  change: (run: ReferenceRun, index: number) => ReferenceRun,
): SuiteComparison {
  const runs = suite.run.runs.map(change);
  const compared = new Set(suite.compared);
  return {
    ...suite,
    run: { ...suite.run, runs },
    compared: runs.filter((_, index) => compared.has(suite.run.runs[index] as ReferenceRun)),
  };
}

/** The suite as base's scoring judges it. Null if base's scoring equals head's. */
export function underBase(suite: SuiteComparison): SuiteComparison | null {
  const { baseScoring } = suite.run;
  if (baseScoring === null) return null;
  const view = mapRuns(suite, runUnderBase);
  return { ...view, run: { ...view.run, scoring: baseScoring, baseScoring: null } };
}

/** A try that base's scoring did not judge becomes an error. */
export function runUnderBase(run: ReferenceRun): ReferenceRun {
  const judged = (tries: readonly Try[]): Try[] =>
    tries.map(({ byHead, byBase }) => ({
      byHead: byBase ?? { ...byHead, outcome: 'error', scores: [] },
      byBase: null,
    }));
  return { ...run, base: judged(run.base), head: judged(run.head) };
}
