import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import { judgingCalls } from '../../money/judging-calls.ts';

/** Maximum by default. */
export const MOST_CAUSE_CALLS = 200;

/** Calls that are enough for most experiments. */
export const USUAL_CAUSE_CALLS = 60;

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
