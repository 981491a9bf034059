import { shorten } from '../text/visible.ts';
import { type Usage, madeCalls, partsOf, textOf, type ToolCall } from '../types/answer.ts';
import type { CheckSchema, MetricLevel, Rubric } from '../types/metric.ts';
import type { Complete, EvaluateAnswers, Grader, Message, OkCompletion } from '../types/model.ts';
import { jsonText, type Json, type Scalar, type CodeValues } from '../types/plain.ts';
import type { ScriptedTurn } from '../types/script.ts';

export interface MetricAnswer {
  completion: OkCompletion;
  input: Record<string, Scalar>;
  expected: Json | undefined;
  values?: CodeValues | undefined;
  messages: Message[];
  /** The whole conversation, whose last message is the judged answer. */
  thread: Message[];
  after?: Message[];
  price?(usage: Usage): number | null;
  metadata?: Record<string, Json>;
  turns?: readonly ScriptedTurn[];
  /** The turn's number in the script, from 1. */
  turn?: number;
  followed?: true;
  otherAnswer?: string | null;
  otherMessages?: readonly Message[];
}

export const PAIRWISE = 'pairwise_preference';

/** Labels of ties in a comparison: the grader was not asked, or it chose by the answers' order. */
export const SAME_ANSWER = 'same';
export const BY_ORDER = ['first', 'second', 'order'] as const;

export interface MetricTools {
  complete: Complete;
  evaluate: EvaluateAnswers;
  /**
   * Checks slow schemas in a process that can be stopped. If absent, checks them in this process.
   */
  checkSchema?: CheckSchema | undefined;
  rubrics: ReadonlyMap<string, Rubric>;
  graders: readonly Grader[];
  embedder: Grader | null;
  /** Returns unpredictable text, for delimiters around untrusted text. */
  random: (purpose: string) => string;
  keepGrades?: boolean;
  try: number;
}

export function alternatives(expected: Json): string[] {
  return Array.isArray(expected) ? expected.map(jsonText) : [jsonText(expected)];
}

export function quoteAlternatives(texts: readonly string[]): string {
  const quoted = texts.slice(0, 5).map((text) => JSON.stringify(shorten(text, 80)));
  const more = texts.length > 5 ? ', …' : '';
  return texts.length === 1 ? quoted.join('') : `one of ${quoted.join(', ')}${more}`;
}

/** As in FlexEval, consecutive messages of the same speaker are one turn. */
function speakerOf(message: Message): 'user' | 'assistant' {
  return message.role === 'assistant' ? 'assistant' : 'user';
}

export function turnsOf(thread: readonly Message[]): Message[][] {
  const turns: Message[][] = [];
  for (const message of thread) {
    if (message.role === 'system') continue;
    const last = turns.at(-1);
    if (last?.[0] !== undefined && speakerOf(last[0]) === speakerOf(message)) last.push(message);
    else turns.push([message]);
  }
  return turns;
}

export function messagesAt(answer: MetricAnswer, level: MetricLevel): Message[] {
  if (level === 'Thread') return answer.thread.filter(({ role }) => role !== 'system');
  if (level === 'Turn') return turnsOf(answer.thread).at(-1) ?? [];
  return answer.thread.slice(-1);
}

export function callsAt({ thread, completion }: MetricAnswer, level: MetricLevel): ToolCall[] {
  return level === 'Thread' && thread.some(({ tool_calls: calls }) => calls !== undefined)
    ? thread.flatMap(({ tool_calls: calls = [] }) => calls)
    : madeCalls(completion);
}

export function textAt(answer: MetricAnswer, level: MetricLevel): string {
  return messagesAt(answer, level)
    .map(({ content }) => content)
    .join('\n');
}

export function transcript(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
}

export function withCalls(completion: OkCompletion, thread: readonly Message[]): OkCompletion {
  const turn = turnsOf(thread).at(-1) ?? [];
  const calls = turn.flatMap(({ tool_calls: made = [] }) => made);
  return { ...completion, parts: partsOf(textOf(completion), calls) };
}
