import { cost, counted } from '../text/amounts.ts';

export interface AgentRunFacts {
  /** `decided`: stopped after the first decision. `turns`, `usd`: stopped at that limit. */
  ended: 'done' | 'decided' | 'turns' | 'usd';
  turns: number;
  calls: number;
  /** Set if the model was offered no tools, so that the calls are what the agent printed. */
  reported?: true;
  /** Model calls by who answered: this run, another run of the comparison, an earlier one. */
  replies: { own: number; other: number; stored: number };
  models: readonly string[];
  /** Null if replies were replayed, because replaying takes no time. */
  seconds: number | null;
  usd: number | null;
  checks: readonly CheckResult[];
}

export interface CheckResult {
  name: string;
  code: number | null;
  output: string;
  timedOut?: true;
}

export const RUN_ENDS: Readonly<Record<AgentRunFacts['ended'], string>> = {
  done: 'done',
  decided: 'stopped after the first decision, as trigger tests are',
  turns: 'stopped at limits.turns',
  usd: 'stopped at limits.usd',
};

export function runWords(facts: AgentRunFacts): string {
  const { turns, calls, usd, seconds, ended, replies, models, reported } = facts;
  const figures = [
    counted(turns, 'turn'),
    `${counted(calls, 'tool call')}${reported ? ' reported by the agent' : ''}`,
    ...(replies.other === 0 ? [] : [`${counted(replies.other, 'call')} answered by another run`]),
    ...(replies.stored === 0 ? [] : [`${counted(replies.stored, 'call')} answered by the store`]),
    ...(models.length < 2 ? [] : [`models ${models.join(', ')}`]),
    ...(usd === null ? [] : [cost(usd)]),
    ...(seconds === null ? [] : [`${seconds} s`]),
  ];
  return `${figures.join(', ')}: ${RUN_ENDS[ended]}`;
}

export function checkWords({ code: exit, timedOut, output }: CheckResult): string {
  const how = timedOut ? 'timed out' : exit === null ? 'was killed' : `exit code ${exit}`;
  return `${how}\n${output.trim()}`.trim();
}
