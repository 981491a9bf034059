import { InternalError } from '../errors.ts';
import { textOf } from '../types/answer.ts';
import type {
  Complete,
  Completion,
  Grader,
  Request,
  OkCompletion,
  PromptText,
} from '../types/model.ts';
import type { Json } from '../types/plain.ts';

/** Untrusted text in the messages is quoted, and cannot end its quotation. */
export interface GraderPrompt {
  messages: PromptText[];
  schema: { name: string; json: { [key: string]: Json } };
}

export const MAX_MATERIAL = 1_048_576;

interface AskedReply<Reply> {
  completion: OkCompletion;
  reply: Reply | null;
}

interface GraderQuestion<Reply> extends Pick<Request, 'purpose' | 'try'> {
  prompt: GraderPrompt;
  grader: Grader;
  /** `first`: the reply that was not enough. Null when the first reply is read. */
  read(output: string, first: Reply | null): Reply | null;
  isReadable?(reply: Reply): boolean;
  /** If it returns false, the grader is called again. If absent, any readable reply is enough. */
  isEnough?(reply: Reply): boolean;
  note(first: Reply | null): string;
}

export async function askTwice<Reply>(
  question: GraderQuestion<Reply>,
  complete: Complete,
): Promise<{
  replies: AskedReply<Reply>[];
  failed: Extract<Completion, { status: 'error' }> | null;
}> {
  const { prompt, purpose, read, note, isEnough = () => true } = question;
  const { isReadable = () => true } = question;
  const { target, parameters } = question.grader;
  const replies: AskedReply<Reply>[] = [];
  for (const isFirst of [true, false]) {
    const first = replies[0]?.reply ?? null;
    const usable = (output: string) => {
      const reply = read(output, first);
      return reply === null ? isFirst : isEnough(reply);
    };
    const completion = await complete({
      target,
      parameters,
      messages: isFirst ? prompt.messages : withNote(prompt.messages, note(first)),
      try: question.try,
      schema: prompt.schema,
      purpose,
      ...(!isFirst && { usable }),
      reads: (output) => {
        const reply = read(output, null);
        return reply !== null && isReadable(reply);
      },
    });
    if (completion.status === 'error') return { replies, failed: completion };
    const reply = read(textOf(completion), first);
    replies.push({ completion, reply });
    if (reply !== null && isEnough(reply)) break;
  }
  return { replies, failed: null };
}

function withNote(messages: readonly PromptText[], note: string): PromptText[] {
  return messages.map((message, index) => {
    if (index < messages.length - 1) return message;
    const { content, parts } = message;
    return {
      ...message,
      content: `${content}\n\n${note}`,
      ...(parts && { parts: [...parts, { type: 'text' as const, text: note }] }),
    };
  });
}

export function fenced(name: string, text: string, delimiter: string): string {
  return `\n<<<${name} ${delimiter}>>>\n${text}\n<<<end ${delimiter}>>>\n`;
}

const ATTEMPTS = 100;

/** Returns a delimiter that no text contains, so that no text can end its quotation. */
export function freshDelimiter(
  purpose: readonly (string | number)[],
  texts: readonly string[],
  random: (purpose: string) => string,
): string {
  for (let attempt = 0; ; attempt++) {
    const delimiter = random(JSON.stringify([...purpose, attempt, ...texts]));
    if (delimiter !== '' && texts.every((text) => !text.includes(delimiter))) return delimiter;
    if (attempt === ATTEMPTS)
      throw new InternalError('random() returns only delimiters that occur in the material');
  }
}

export function closedObject(properties: Record<string, Json>): { [key: string]: Json } {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}
