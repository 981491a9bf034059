import { shorten } from '../text/visible.ts';
import type { CheckSchema, MetricLevel, Rubric } from '../types/metric.ts';
import type {
  Complete,
  Completion,
  EvaluateAnswers,
  Grader,
  Message,
  ToolCall,
  Usage,
} from '../types/model.ts';
import { jsonText, type Json, type Scalar, type CodeValues } from '../types/plain.ts';

/** One answer to judge, with everything a metric may look at. */
export interface MetricAnswer {
  completion: Extract<Completion, { status: 'ok' }>;
  input: Record<string, Scalar>;
  /** As written in the reference; undefined when absent. */
  expected: Json | undefined;
  /** The values of what is text in `input` and `expected` because it prints differently. */
  values?: CodeValues | undefined;
  /** The rendered prompt. */
  messages: Message[];
  /** The whole conversation; its last message is the answer under judgement. */
  thread: Message[];
  /** Messages after the answer in a recorded dialogue, which have no answer; absent: none. */
  after?: Message[];
  /** Dollars that the answering model takes for so many tokens; null or absent: unknown. */
  price?(usage: Usage): number | null;
  /** What a recorded dialogue's file says of it beside its messages; absent: nothing. */
  metadata?: Record<string, Json>;
  /** More is said after it in the dialogue; absent: it ends here. */
  followed?: true;
  /** What the other side answers to the same; null or absent: nothing to compare with. */
  otherAnswer?: string | null;
  /** What the other side was asked; absent: there is nothing to compare with. */
  otherMessages?: readonly Message[];
}

/** The world, as far as a metric may reach it. */
export interface MetricTools {
  complete: Complete;
  /** Runs code on the answers, which are of one suite and one side. */
  evaluate: EvaluateAnswers;
  /** Checks schemas that may take long where they can be stopped; absent: on the spot. */
  checkSchema?: CheckSchema | undefined;
  rubrics: ReadonlyMap<string, Rubric>;
  /** Each grades, and the majority decides; empty when none is named. */
  graders: readonly Grader[];
  /**
   * What gives the vectors that are compared; null when the metric compares none, or none is named.
   */
  embedder: Grader | null;
  /**
   * Text nobody can foresee, for the delimiters around what is judged. Equal purposes may give
   * equal text.
   */
  random: (purpose: string) => string;
  /** Whether the scores carry what each grade rests on. */
  keepGrades?: boolean;
  /** Try index from 0 that the answers belong to; a grader is asked under the same index. */
  try: number;
}

/** The texts that count as right: each entry of a list, or the one value. */
export function alternatives(expected: Json): string[] {
  return Array.isArray(expected) ? expected.map(jsonText) : [jsonText(expected)];
}

/** `"a"`, or `one of "a", "b"`, cut so that a reason stays one line. */
export function quoteAlternatives(texts: readonly string[]): string {
  const quoted = texts.slice(0, 5).map((text) => JSON.stringify(shorten(text, 80)));
  const more = texts.length > 5 ? ', …' : '';
  return texts.length === 1 ? quoted.join('') : `one of ${quoted.join(', ')}${more}`;
}

/** FlexEval's sides: what follows one another from the same side is one turn. */
function side(message: Message): 'user' | 'assistant' {
  return message.role === 'assistant' ? 'assistant' : 'user';
}

/** A conversation as turns; system messages belong to none. */
export function turnsOf(thread: readonly Message[]): Message[][] {
  const turns: Message[][] = [];
  for (const message of thread) {
    if (message.role === 'system') continue;
    const last = turns.at(-1);
    if (last?.[0] !== undefined && side(last[0]) === side(message)) last.push(message);
    else turns.push([message]);
  }
  return turns;
}

/**
 * The messages a metric of that level judges: a reference is a thread, and its last turn or message
 * is the one judged.
 */
export function messagesAt(answer: MetricAnswer, level: MetricLevel): Message[] {
  if (level === 'Thread') return answer.thread.filter(({ role }) => role !== 'system');
  if (level === 'Turn') return turnsOf(answer.thread).at(-1) ?? [];
  return answer.thread.slice(-1);
}

/** The tools that are called at that level; a dialogue's are those of all its messages. */
export function callsAt({ thread, completion }: MetricAnswer, level: MetricLevel): ToolCall[] {
  return level === 'Thread' && thread.some(({ tool_calls: calls }) => calls !== undefined)
    ? thread.flatMap(({ tool_calls: calls = [] }) => calls)
    : completion.tool_calls;
}

/** Their text: contents joined by line ends. */
export function textAt(answer: MetricAnswer, level: MetricLevel): string {
  return messagesAt(answer, level)
    .map(({ content }) => content)
    .join('\n');
}

/** `role: text` lines, as graders and metric code see a conversation. */
export function transcript(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `${role}: ${content}`).join('\n');
}
