import { steeringFor } from '../select/scoring.ts';
import { judgingCalls } from './judging-calls.ts';
import type { SuiteRun } from './suite-run.ts';

/**
 * Fewest and most calls of the experiments of a run whose settings say nothing of them. Most end
 * after 30 to 60; what is broken in half of its tries takes more.
 */
const LEAST_CALLS = 120;
export const MOST_CAUSE_CALLS = 200;

/** Calls that finding causes may take after a comparison that took so many: half of them. */
export function defaultCauseCalls(compared: number): number {
  return Math.min(MOST_CAUSE_CALLS, Math.max(LEAST_CALLS, Math.ceil(compared / 2)));
}

/** Calls that one try of a suite takes, its grades among them. */
export function callsPerTry(run: SuiteRun): number {
  const steering = steeringFor(run.deciding);
  if (steering !== null)
    return steering.conversation.max_steps * (1 + Math.max(1, steering.evaluators.length));
  const first = run.runs.findIndex(
    ({ affected: { base, head } }) => base !== null && head !== null,
  );
  if (first < 0) return 1;
  const own = { ...run, other: null };
  const graded = judgingCalls([own], () => new Map([[first, 1]]));
  // Both sides' answers are graded.
  return 1 + Math.ceil(graded.reduce((sum, { calls }) => sum + calls, 0) / 2);
}
