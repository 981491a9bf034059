import { InternalError } from '../errors.ts';
import { textOf } from '../types/answer.ts';
import type {
  Complete,
  Completion,
  Grader,
  Message,
  Request,
  OkCompletion,
} from '../types/model.ts';
import type { Json } from '../types/plain.ts';

/** What a grader is asked. No foreign text in it can end its own quotation. */
export interface GraderPrompt {
  messages: Message[];
  schema: { name: string; json: { [key: string]: Json } };
}

/** More foreign text than this is not sent, and longer replies are not read, in UTF-16 units. */
export const MAX_MATERIAL = 1_048_576;

interface AskedReply<Reply> {
  completion: OkCompletion;
  /** Null: unreadable. */
  reply: Reply | null;
}

interface GraderQuestion<Reply> extends Pick<Request, 'purpose' | 'try'> {
  prompt: GraderPrompt;
  grader: Grader;
  read(output: string): Reply | null;
  /** Whether not to ask again; absent: after any reply that can be read. */
  isEnough?(reply: Reply): boolean;
  /** What the second question adds to the first. */
  note(first: Reply | null): string;
  /** Whether a reply is kept for later runs; absent: the first one, and then one that is enough. */
  settles?(reply: Reply): boolean;
}

/** Asks once more after a reply that is not enough. `failed`: the call that gave no reply. */
export async function askTwice<Reply>(
  question: GraderQuestion<Reply>,
  complete: Complete,
): Promise<{
  replies: AskedReply<Reply>[];
  failed: Extract<Completion, { status: 'error' }> | null;
}> {
  const { prompt, purpose, read, note, isEnough = () => true, settles } = question;
  const { target, parameters } = question.grader;
  const replies: AskedReply<Reply>[] = [];
  for (const isFirst of [true, false]) {
    const usable = (output: string): boolean => {
      const reply = read(output);
      return reply === null ? isFirst : (settles ?? isEnough)(reply);
    };
    const first = replies[0]?.reply ?? null;
    const completion = await complete({
      target,
      parameters,
      messages: isFirst ? prompt.messages : withNote(prompt.messages, note(first)),
      try: question.try,
      schema: prompt.schema,
      purpose,
      ...(isFirst && settles === undefined ? {} : { usable }),
    });
    if (completion.status === 'error') return { replies, failed: completion };
    const reply = read(textOf(completion));
    replies.push({ completion, reply });
    if (reply !== null && isEnough(reply)) break;
  }
  return { replies, failed: null };
}

/** Does not repeat the unreadable reply, which decides nothing. */
function withNote(messages: readonly Message[], note: string): Message[] {
  return messages.map((message, index) => {
    if (index < messages.length - 1) return message;
    const { content, parts } = message;
    const noted =
      parts === undefined ? {} : { parts: [...parts, { type: 'text' as const, text: note }] };
    return { ...message, content: `${content}\n\n${note}`, ...noted };
  });
}

/** Foreign text between two lines that it cannot contain. */
export function fenced(name: string, text: string, delimiter: string): string {
  return `\n<<<${name} ${delimiter}>>>\n${text}\n<<<end ${delimiter}>>>\n`;
}

/** After this many attempts, `random` must be broken. */
const ATTEMPTS = 100;

/** In no text, so none can end its own quotation. Equal purposes give equal requests. */
export function freshDelimiter(
  purpose: readonly (string | number)[],
  texts: readonly string[],
  random: (purpose: string) => string,
): string {
  for (let attempt = 0; ; attempt++) {
    const delimiter = random(JSON.stringify([...purpose, attempt, ...texts]));
    if (delimiter !== '' && texts.every((text) => !text.includes(delimiter))) return delimiter;
    if (attempt === ATTEMPTS)
      throw new InternalError('random() gives delimiters that the material foresees');
  }
}

/** A schema as vendors take it: closed, all members required, written in this order. */
export function closedObject(properties: Record<string, Json>): { [key: string]: Json } {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
