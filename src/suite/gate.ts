import type { Outcome, Score } from '../types/metric.ts';
import { type GateSettings, type SuiteGate } from './gate-settings.ts';
import type { Reference, Rollup, Tests } from './suite.ts';

/**
 * The word for a whole try. It fails as soon as one gating metric fails; an error or an unreadable
 * grade hides a pass, never a failure; a try in which no gating metric applied is skipped.
 */
export function tryOutcomeOf(scores: readonly Score[]): Outcome {
  const gating = scores.filter(({ skip }) => !skip);
  for (const status of ['fail', 'error', 'ungraded'] as const) {
    if (gating.some((score) => score.status === status)) return status;
  }
  return gating.some(({ status }) => status === 'pass') ? 'pass' : 'skipped';
}

/**
 * Whether a reference counts for the verdict: skipped ones run and are shown, unless a custom
 * roll-up, which sees their scores too, switches that off. Every surface asks this function.
 */
export function countsIn(
  { skip, rollup }: Pick<Tests, 'skip' | 'rollup'>,
  reference: Pick<Reference, 'skip'>,
): boolean {
  return rollup.kind === 'code' || (!skip && !reference.skip);
}

/** How a roll-up is called where people read it. */
export function rollupName(rollup: Rollup): string {
  if (rollup.kind === 'named') return rollup.policy;
  if (rollup.kind === 'at_least') return `at_least ${String(rollup.k)}`;
  return rollup.kind === 'pass_rate' ? `pass_rate ${String(rollup.min)}` : rollup.name;
}

/** The most tries a named policy can need; checked before anything runs. */
export function triesNeeded(rollup: Rollup): number {
  return rollup.kind === 'at_least' ? rollup.k : 1;
}

/**
 * What a suite sets of the gate for itself. What the workflow says makes a run red (`fail-on`)
 * stands above every file.
 */
export function ownGate({ gate = {} }: Tests, failOn: GateSettings['fail_on'] | null): SuiteGate {
  return failOn === null || gate.fail_on === undefined ? gate : { ...gate, fail_on: failOn };
}
