import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { mostCallsOfTry } from '../../money/answer-calls.ts';
import { callsPerTry } from '../../trials/tries.ts';
import { takesOverlay } from '../../types/model.ts';

export const MOST_CAUSE_CALLS = 200;

/** How often a search may run an agent. Each run makes many calls. */
export const MOST_AGENT_RUNS = 60;

export function runsAgents({ head }: Pick<AffectedSuite, 'head'>): boolean {
  return takesOverlay(head?.variant.target ?? null);
}

export function mostAgentCalls(run: SuiteRun): number {
  return MOST_AGENT_RUNS * (mostCallsOfTry(run) + callsPerTry(run) - 1);
}

export function mostCauseTries(run: SuiteRun, room: number): number {
  if (runsAgents(run.suite)) return Math.max(1, Math.min(MOST_AGENT_RUNS, room));
  return Math.max(1, Math.floor(room / callsPerTry(run)));
}
