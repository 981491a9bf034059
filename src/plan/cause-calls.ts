/**
 * Fewest and most calls of the experiments of a run whose settings say nothing of them. Most end
 * after 30 to 60; what is broken in half of its tries takes more.
 */
const LEAST_CALLS = 120;
const MOST_CALLS = 200;

/** Calls that finding causes may take after a comparison that took so many: half of them. */
export function defaultCauseCalls(compared: number): number {
  return Math.min(MOST_CALLS, Math.max(LEAST_CALLS, Math.ceil(compared / 2)));
}
