import { isMap, member, type JsonMap } from '../../types/plain.ts';
import { TransportError } from './fault.ts';

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

const GROWING = [
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['signature', 'signature'],
  ['partial_json', 'input'],
] as const;

function grown(block: JsonMap, delta: JsonMap): JsonMap {
  const [from, to] = GROWING.find(([name]) => typeof delta[name] === 'string') ?? [];
  if (from === undefined || to === undefined) return block;
  // A tool call's input starts as an empty map and arrives as pieces of JSON text.
  const before = typeof block[to] === 'string' ? block[to] : '';
  return { ...block, [to]: `${before}${String(delta[from])}` };
}
