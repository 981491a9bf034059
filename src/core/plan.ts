import type { Problem } from '../types.ts';
import { plural } from './wording.ts';
import type { LaneRun, NextTries } from './rounds.ts';
import { isModelGraded } from './yardstick.ts';

/** What a run will certainly ask before anything is asked: its first round of tries. Adaptive tries may add to it. */
export interface Plan {
  /** Suites with at least one case, and cases in all. */
  suites: number;
  references: number;
  /** Distinct calls for answers, after sharing between the sides and between duplicate references. */
  prompt_calls: number;
  /** Calls for grades: at most this many, fewer where answers repeat. */
  grader_calls: number;
}

export function planOf(lanes: readonly LaneRun[], next: NextTries): Plan {
  const requests = new Set<string>();
  let grades = 0;
  for (const lane of lanes) {
    const graders = gradedMetrics(lane);
    for (const [index, tries] of next(lane)) {
      const run = lane.runs[index];
      if (run === undefined) continue;
      grades += graders * tries * new Set(fingerprints(lane, index)).size;
      for (const fingerprint of fingerprints(lane, index)) {
        for (let attempt = 0; attempt < tries; attempt += 1) requests.add(`${String(attempt)} ${fingerprint}`);
      }
    }
  }
  const running = lanes.filter(({ runs }) => runs.length > 0);
  return {
    suites: running.length,
    references: running.reduce((sum, { runs }) => sum + runs.length, 0),
    prompt_calls: requests.size,
    grader_calls: grades,
  };
}

function gradedMetrics({ deciding, other }: LaneRun): number {
  const count = (yardstick: LaneRun['deciding'] | null): number => yardstick?.tests.metrics.filter(isModelGraded).length ?? 0;
  return count(deciding) + count(other);
}

function fingerprints({ runs }: LaneRun, index: number): string[] {
  const run = runs[index];
  return [run?.case.base, run?.case.head].flatMap((generation) => (generation?.kind === 'request' ? [generation.fingerprint] : []));
}

/** Refuses a plan whose certain part is over the cap, before anything is sent. */
export function overBudget(plan: Plan, maxCalls: number | null): Problem[] {
  const total = plan.prompt_calls + plan.grader_calls;
  if (maxCalls === null || total <= maxCalls) return [];
  const message = `This run would make ${plural(total, 'model call')} (${String(plan.prompt_calls)} answers for ${plural(plan.references, 'reference')} of ${plural(plan.suites, 'prompt')} on both sides`
    + ` + ${plural(plan.grader_calls, 'grader call')}); the limit is ${String(maxCalls)} (input max-calls). Nothing was sent.`;
  return [{ place: null, message }];
}
