import type { Prompt } from '../../kernel/suite/suite.ts';
import { fill } from '../../kernel/suite/template.ts';
import type { TraceMessage } from './formats.ts';

type TemplateOf = Pick<Prompt, 'messages' | 'variables'>;

/** The values of the variables, or the messages of a dialogue. */
export type TraceInput = Record<string, string> | TraceMessage[];

type Matched = { input: TraceInput } | { differs: string };

/** No text in a prompt contains this character. */
const MARK = '\u0000';

/**
 * Finds the values of the prompt's variables in a trace. If there are more messages than in the
 * prompt, those after its system message are a dialogue.
 */
export function matchTrace(messages: readonly TraceMessage[], prompt: TemplateOf): Matched {
  const isDialogue = messages.length > prompt.messages.length;
  const asked = prompt.messages.filter(({ role }) => !isDialogue || role === 'system');
  if (messages.length < asked.length || asked.length === 0)
    return { differs: 'has not as many messages as the prompt' };
  const names = prompt.variables.map(({ name }) => name);
  const values = new Map<string, string>();
  for (const [index, { role, content }] of asked.entries()) {
    const given = messages[index];
    if (given?.role !== role || !findValues(given.content, piecesOf(content, names), values))
      return {
        differs: `has in message ${index + 1} not the text of the prompt, or in several ways`,
      };
  }
  if (!isDialogue) return { input: Object.fromEntries(values) };
  return values.size === 0
    ? { input: messages.slice(asked.length) }
    : { differs: "is a dialogue, and the prompt's system message has variables" };
}

/** The messages that the prompt sends with this input. */
export function renderedMessages(input: TraceInput, { messages }: TemplateOf): TraceMessage[] {
  if (Array.isArray(input))
    return [
      ...messages
        .filter(({ role }) => role === 'system')
        .map(({ role, content }) => ({ role, content: fill(content, {}) })),
      ...input,
    ];
  return messages.map(({ role, content }) => ({ role, content: fill(content, input) }));
}

/** Texts and names of variables in turn. */
function piecesOf(content: string, names: readonly string[]): string[] {
  const marked = names.map((name): [string, string] => [name, `${MARK}${name}${MARK}`]);
  return fill(content, Object.fromEntries(marked)).split(MARK);
}

/**
 * Finds the value of each variable in turn, and adds it to those that are known. Returns false also
 * if the text after a value occurs again, because the value could then be longer.
 */
function findValues(text: string, pieces: readonly string[], values: Map<string, string>): boolean {
  let at = 0;
  let open: string | null = null;
  for (const [index, piece] of pieces.entries()) {
    const known = index % 2 === 0 ? piece : values.get(piece);
    if (known === undefined) {
      open = piece;
      continue;
    }
    const isLast = index === pieces.length - 1;
    const last = isLast ? text.length - known.length : text.lastIndexOf(known);
    const start: number = open === null ? at : isLast ? last : text.indexOf(known, at);
    if (start < at || !text.startsWith(known, start)) return false;
    if (open !== null && start !== last) return false;
    if (open !== null) values.set(open, text.slice(at, start));
    open = null;
    at = start + known.length;
  }
  return at === text.length;
}
