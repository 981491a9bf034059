import { count } from '../text/amounts.ts';
import { partsOf, type Part, type Step, type ToolCall } from '../types/answer.ts';
import type { Message, ToolMessage } from '../types/model.ts';

/** Without system messages. Successive messages of one side are one turn. */
export function turnsOf(thread: readonly Message[]): Message[][] {
  const turns: Message[][] = [];
  for (const message of thread) {
    if (message.role === 'system') continue;
    const last = turns.at(-1);
    if (last?.[0] !== undefined && isOfUser(last[0]) === isOfUser(message)) last.push(message);
    else turns.push([message]);
  }
  return turns;
}

export function isOfUser({ role }: Message): boolean {
  return role === 'user';
}

export function lastTurn(thread: readonly Message[]): Message[] {
  return turnsOf(thread).at(-1) ?? [];
}

/**
 * The text of the turn's last message with text, without the results of tools. What comes before
 * the last call or result is the answer only if nothing follows.
 */
export function turnText(turn: readonly Message[]): string {
  if (turn[0]?.role === 'user') return turn.map(({ content }) => content).join('\n');
  const open = turn.findLastIndex(
    ({ role, tool_calls: calls = [] }) => role === 'tool' || calls.length > 0,
  );
  const final = turn.slice(open + 1);
  return (
    (final.length > 0 ? final : turn).findLast(
      ({ role, content }) => role !== 'tool' && content.trim() !== '',
    )?.content ?? ''
  );
}

export function callsAmong(messages: readonly Message[]): ToolCall[] {
  return messages.flatMap(({ tool_calls: calls = [] }) => calls);
}

/** The answer of a turn, with its calls as results show them. */
export function answerParts(turn: readonly Message[]): Part[] {
  return partsOf(
    turnText(turn),
    callsAmong(turn).map(({ name, arguments: given }) => ({ name, arguments: given })),
  );
}

interface TranscriptPart {
  by: 'system' | 'user' | 'assistant' | 'call' | 'tool';
  /** The message's own text, or the line of a call or a result. */
  text: string;
}

export function transcriptParts(messages: readonly Message[]): TranscriptPart[] {
  return messages.flatMap((message): TranscriptPart[] => {
    const { role, content } = message;
    if (role === 'tool') return [{ by: 'tool', text: `tool ${message.name}: ${content}` }];
    const calls = callsAmong([message]).map(({ name, arguments: given }): TranscriptPart => ({
      by: 'call',
      text: `assistant calls ${name}(${given})`,
    }));
    return content === '' && calls.length > 0 ? calls : [{ by: role, text: content }, ...calls];
  });
}

function transcriptLines(messages: readonly Message[]): string[] {
  return transcriptParts(messages).map(({ by, text }) =>
    by === 'call' || by === 'tool' ? text : `${by}: ${text}`,
  );
}

/** The form in which every judge and every report reads a dialogue. */
export function transcript(messages: readonly Message[]): string {
  return transcriptLines(messages).join('\n');
}

/** One line per text, call and result. */
export function stepTranscript(steps: readonly Step[]): string[] {
  const messages = steps.flatMap((step): Message[] => {
    if (step.type === 'message') return [{ role: step.role, content: step.text }];
    const { result, name, arguments: given } = step;
    return [
      { role: 'assistant', content: '', tool_calls: [{ name, arguments: given }] },
      ...(result === null ? [] : [{ role: 'tool' as const, id: '', name, content: result }]),
    ];
  });
  return transcriptLines(messages);
}

/** In UTF-16 units. */
const MAX_TOOL_OUTPUT = 262_144;

export function toolMessage(id: string, name: string, output: string): ToolMessage {
  const isLong = output.length > MAX_TOOL_OUTPUT;
  const sizes = `${count(MAX_TOOL_OUTPUT)} of ${count(output.length)}`;
  const note = `\n[evaldiff cut this result after ${sizes} characters]`;
  const content = isLong ? `${output.slice(0, MAX_TOOL_OUTPUT)}${note}` : output;
  return { role: 'tool', id, name, content };
}

/** FlexEval counts a tool's messages as the assistant's. */
export function foldTools(thread: readonly Message[]): Message[] {
  return thread.map((message): Message => {
    if (message.role !== 'tool') return message;
    const { name, content, metadata } = message;
    return { role: 'assistant', content, metadata: { name, ...metadata, role: 'tool' } };
  });
}
