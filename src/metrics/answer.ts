import { shorten } from '../text/visible.ts';
import { filesText, madeCalls, textOf, type ToolCall, type Usage } from '../types/answer.ts';
import type { MetricLevel, Rubric } from '../types/metric.ts';
import type { Complete, EvaluateAnswers, Grader, Message, OkCompletion } from '../types/model.ts';
import { jsonText, type Json, type Scalar, type CodeValues } from '../types/plain.ts';
import type { ScriptedTurn } from '../types/script.ts';
import { callsAmong, lastTurn, transcript } from './transcript.ts';

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

export function messagesAt(answer: MetricAnswer, level: MetricLevel): Message[] {
  if (level === 'Thread') return answer.thread.filter(({ role }) => role !== 'system');
  if (level === 'Turn') return lastTurn(answer.thread);
  return answer.thread.slice(-1);
}

export function callsAt({ thread, completion }: MetricAnswer, level: MetricLevel): ToolCall[] {
  const calls = level === 'Thread' ? callsAmong(thread) : [];
  return calls.length > 0 ? calls : madeCalls(completion);
}

/** The judged text of FlexEval's functions, without the results of tools. */
export function textAt(answer: MetricAnswer, level: MetricLevel): string {
  if (level !== 'Thread') return textOf(answer.completion);
  return messagesAt(answer, level)
    .map(({ content }) => content)
    .join('\n');
}

/** The answer as a grader compares it: with its tool calls and changed files. */
export function shownAnswer({ thread, completion }: MetricAnswer) {
  const turn = lastTurn(thread);
  const answer = callsAmong(turn).length > 0 ? transcript(turn) : textOf(completion);
  return `${answer}${filesText(completion)}`;
}
