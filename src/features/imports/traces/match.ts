import type { Prompt } from '../../../kernel/suite/suite.ts';
import { fill, placeholders } from '../../../kernel/suite/template.ts';
import type { TraceMessage } from './records.ts';

/** The values of the variables, or the messages of a dialogue. */
export type TraceInput = Record<string, string> | TraceMessage[];

/** No text in a prompt contains this character. */
const MARK = '\u0000';

/**
 * Finds the values of the prompt's variables in a trace. If there are more messages than in the
 * prompt, those after its system message are a dialogue; the first of them must match. Returns a
 * text if they do not match.
 */
export function matchTrace(
  given: readonly TraceMessage[],
  { messages, variables }: Pick<Prompt, 'messages' | 'variables'>,
): TraceInput | string {
  if (given.length === 0) return 'it has no messages, or some that are not text';
  const isDialogue = given.length > messages.length;
  const fixed = messages.filter(
    ({ role, content }) => role === 'system' && placeholders(content).length === 0,
  );
  const problem = isDialogue ? whyNoDialogue(messages, fixed) : null;
  if (problem !== null) return problem;
  const marks = Object.fromEntries(variables.map(({ name }) => [name, MARK + name + MARK]));
  const values: Record<string, string> = {};
  for (const [index, { role, content }] of messages.entries()) {
    const own = given[index];
    const text = own?.content ?? '';
    Object.assign(values, { ...holeValues(text, fill(content, marks).split(MARK)), ...values });
    if (own?.role !== role || fill(content, values) !== text)
      return `message ${index + 1} does not match the prompt, or in several ways`;
  }
  return isDialogue ? given.slice(fixed.length) : values;
}

function whyNoDialogue(messages: Prompt['messages'], fixed: Prompt['messages']): string | null {
  if (fixed.length === 0 || fixed.some((message, index) => message !== messages[index]))
    return 'a dialogue needs a prompt that starts with a system message without variables';
  return messages.length > fixed.length + 1
    ? 'a dialogue needs a prompt without examples, because they look like its start'
    : null;
}

/**
 * `pieces`: texts and names of variables in turn. If a text occurs again, the value before it could
 * be longer, so it becomes one that matches nothing. The values are wrong if the texts differ.
 */
function holeValues(text: string, [start = '', ...pieces]: readonly string[]) {
  const values: Record<string, string> = {};
  let rest = text.slice(start.length);
  for (let at = 0; at < pieces.length; at += 2) {
    const [name = '', after = ''] = pieces.slice(at);
    const isLast = at + 2 === pieces.length;
    const end = isLast ? rest.length - after.length : rest.indexOf(after);
    const isUnique = isLast || end === rest.lastIndexOf(after);
    values[name] = isUnique ? rest.slice(0, end) : MARK;
    rest = rest.slice(end + after.length);
  }
  return values;
}
