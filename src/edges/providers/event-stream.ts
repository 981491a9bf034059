import { member, parsedJson } from '../../types/plain.ts';
import { TransportError } from './fault.ts';
import { messageOfEvents } from './message-stream.ts';

/** JSON text cannot match, because its strings contain no line ends. */
const EVENTS = /^:|^(data|event):/m;

export function jsonOfEventStream(text: string, type: string | undefined): string {
  if (!isEventStream(type) && !EVENTS.test(text)) return text;
  const lines = text.split(/\r\n|\n|\r/);
  const plain = lines.filter((line) => !/^(:|(data|event|id|retry)(:|$))/.test(line)).join('\n');
  const events = [plain, ...eventData(lines)].map((each) => ({
    text: each,
    json: parsedJson(each),
  }));
  const whole = events.filter(({ json }) => typeof json === 'object' && json !== null);
  const failed = whole.find(({ json }) => (member(json, 'error') ?? null) !== null);
  const [only, ...more] = whole;
  if (failed !== undefined) return failed.text;
  const message = messageOfEvents(whole.map(({ json }) => json));
  if (message !== null) return JSON.stringify(message);
  if (only === undefined || more.length > 0 || isChunk(only.json))
    throw new TransportError('stream');
  return only.text;
}

export function isEventStream(type: string | undefined): boolean {
  return /^\s*text\/event-stream\b/i.test(type ?? '');
}

export function eventData(lines: readonly string[]): string[] {
  const all: string[][] = [[]];
  for (const line of lines) {
    if (line === '') all.push([]);
    else if (line.startsWith('data:')) all.at(-1)?.push(line.slice('data:'.length));
  }
  return all.filter((each) => each.length > 0).map((each) => each.join('\n'));
}

function isChunk(json: unknown): boolean {
  const choices = member(json, 'choices');
  return (
    /chunk$|_start$/.test(String(member(json, 'object') ?? member(json, 'type'))) ||
    (Array.isArray(choices) && member(choices[0], 'delta') !== undefined)
  );
}
