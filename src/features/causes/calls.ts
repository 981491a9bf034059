import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import { judgingCalls } from '../../money/judging-calls.ts';

/**
 * Default minimum. Most experiments end after 30 to 60 calls; tests that fail half of the time take
 * more.
 */
const LEAST_CALLS = 120;
export const MOST_CAUSE_CALLS = 200;

export function defaultCauseCalls(compared: number): number {
  return Math.min(MOST_CAUSE_CALLS, Math.max(LEAST_CALLS, Math.ceil(compared / 2)));
}

export function callsPerTry(run: SuiteRun): number {
  const { answerer } = run.scoring;
  if (answerer !== null) return answerer.mostCalls;
  const first = run.runs.findIndex(
    ({ affected: { base, head } }) => base !== null && head !== null,
  );
  if (first < 0) return 1;
  const own = { ...run, baseScoring: null };
  const graded = judgingCalls([own], () => new Map([[first, 1]]));
  return 1 + Math.ceil(graded.reduce((sum, { calls }) => sum + calls, 0) / 2);
}
