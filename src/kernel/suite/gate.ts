import type { Outcome, Score } from '../../types/metric.ts';
import { type GateSettings, type SuiteGate } from './gate-settings.ts';
import type { Reference, Rollup, Tests } from './suite.ts';

/** A failed metric decides. Otherwise an error or an unreadable grade prevents a pass. */
export function tryOutcomeOf(scores: readonly Score[]): Outcome {
  const gating = scores.filter(({ skip }) => !skip);
  for (const status of ['fail', 'error', 'ungraded'] as const) {
    if (gating.some((score) => score.status === status)) return status;
  }
  return gating.some(({ status }) => status === 'pass') ? 'pass' : 'skipped';
}

/** Custom roll-up code gets all references, so with it even a skipped reference counts. */
export function countsIn(
  { skip, rollup }: Pick<Tests, 'skip' | 'rollup'>,
  reference: Pick<Reference, 'skip'>,
): boolean {
  return rollup.kind === 'code' || (!skip && !reference.skip);
}

export function rollupName(rollup: Rollup): string {
  if (rollup.kind === 'named') return rollup.policy;
  if (rollup.kind === 'at_least') return `at_least ${rollup.k}`;
  return rollup.kind === 'pass_rate' ? `pass_rate ${rollup.min}` : rollup.name;
}

export function triesNeeded(rollup: Rollup): number {
  return rollup.kind === 'at_least' ? rollup.k : 1;
}

export function ownGate({ gate = {} }: Tests, failOn: GateSettings['fail_on'] | null): SuiteGate {
  return failOn === null || gate.fail_on === undefined ? gate : { ...gate, fail_on: failOn };
}
