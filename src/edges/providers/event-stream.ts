import { isMap, member, parsedJson, type JsonMap } from '../../types/plain.ts';
import { TransportError } from './fault.ts';

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

export function messageOfEvents(events: readonly unknown[]): JsonMap | null {
  const started = member(events[0], 'message');
  if (member(events[0], 'type') !== 'message_start' || !isMap(started)) return null;
  if (!events.some((event) => member(event, 'type') === 'message_stop'))
    throw new TransportError('cut');
  const blocks = new Map<unknown, JsonMap>();
  let message = started;
  for (const event of events.filter(isMap)) {
    const { type, index, delta, usage, content_block: begun } = event;
    if (type === 'content_block_start' && isMap(begun)) blocks.set(index, begun);
    const block = blocks.get(index);
    if (type === 'content_block_delta' && block !== undefined && isMap(delta))
      blocks.set(index, grown(block, delta));
    if (type === 'message_delta')
      message = {
        ...message,
        ...(isMap(delta) ? delta : {}),
        usage: { ...mapOf(message['usage']), ...mapOf(usage) },
      };
  }
  return { ...message, content: [...blocks.values()] };
}

function mapOf(value: unknown): JsonMap {
  return isMap(value) ? value : {};
}

const GROWING = ['text', 'thinking', 'signature', 'partial_json'];

function grown(block: JsonMap, delta: JsonMap): JsonMap {
  const from = GROWING.find((name) => typeof delta[name] === 'string');
  if (from === undefined) return block;
  const to = from === 'partial_json' ? 'input' : from;
  // A tool call's input starts as an empty map and arrives as pieces of JSON text.
  const before = typeof block[to] === 'string' ? block[to] : '';
  return { ...block, [to]: `${before}${delta[from]}` };
}
