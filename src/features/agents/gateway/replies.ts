import {
  eventData,
  isEventStream,
  messageOfEvents,
} from '../../../edges/providers/event-stream.ts';
import { cachedTokens } from '../../../edges/providers/vendors/vendor.ts';
import type { CachedTokens, MeteredUsage } from '../../../types/model.ts';
import { isMap, member, type JsonMap } from '../../../types/plain.ts';
import { listIn, textIn } from '../rows/fields.ts';
import type { Protocol } from './routes.ts';

export interface ReplyFacts {
  metered: MeteredUsage;
  model: string | null;
  /** What the model said, as a message in the form of any vendor, or as items of Responses. */
  said: JsonMap[];
}

/** Null if the reply is incomplete or an error. */
export function readModelReply(protocol: Protocol, type: string, text: string): ReplyFacts | null {
  const events = isEventStream(type)
    ? eventData(text.split(/\r\n|\n|\r/)).flatMap(parsedMaps)
    : parsedMaps(text);
  if (events.some((event) => event['type'] === 'error' || (event['error'] ?? null) !== null))
    return null;
  return REPLY_READERS[protocol](events);
}

/** Gemini streams a JSON list unless events are requested. */
function parsedMaps(text: string): JsonMap[] {
  try {
    const value: unknown = JSON.parse(text);
    return (Array.isArray(value) ? value : [value]).filter(isMap);
  } catch {
    return [];
  }
}

type ReplyReader = (events: readonly JsonMap[]) => ReplyFacts | null;

const REPLY_READERS: Readonly<Record<Protocol, ReplyReader>> = {
  messages: readAnthropicReply,
  responses: readResponsesReply,
  chat: readChatReply,
  generate: readGenerate,
};

function readAnthropicReply(events: readonly JsonMap[]): ReplyFacts | null {
  const [first] = events;
  const message = first?.['type'] === 'message' ? first : streamedMessage(events);
  if (message === null) return null;
  return {
    model: textIn(message, 'model'),
    // The API does not count cached input in `input_tokens`.
    metered: metered(message['usage'], {
      input: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
      output: ['output_tokens'],
      read: countIn(message['usage'], 'cache_read_input_tokens'),
      written: countIn(message['usage'], 'cache_creation_input_tokens'),
    }),
    said: [message],
  };
}

function streamedMessage(events: readonly JsonMap[]): JsonMap | null {
  try {
    return messageOfEvents(events.filter((event) => event['type'] !== 'ping'));
  } catch {
    return null;
  }
}

const RESPONSE_ENDS: ReadonlySet<unknown> = new Set(['completed', 'incomplete']);

function readResponsesReply(events: readonly JsonMap[]): ReplyFacts | null {
  const wholes = events.flatMap((event) => {
    const whole = event['object'] === 'response' ? event : event['response'];
    return isMap(whole) && RESPONSE_ENDS.has(whole['status']) ? [whole] : [];
  });
  const whole = wholes.at(-1);
  if (whole === undefined) return null;
  const { usage } = whole;
  return {
    model: textIn(whole, 'model'),
    metered: metered(usage, {
      input: ['input_tokens'],
      output: ['output_tokens'],
      read: countIn(member(usage, 'input_tokens_details'), 'cached_tokens'),
    }),
    said: listIn(whole, 'output').map(asFunctionCall),
  };
}

/** Other kinds of calls, such as `web_search_call`, have neither a name nor arguments. */
function asFunctionCall(item: JsonMap): JsonMap {
  const { type, name = type ?? '', input = item['action'] ?? {} } = item;
  if (!String(type).endsWith('_call')) return item;
  return { arguments: input, ...item, type: 'function_call', name };
}

function readChatReply(events: readonly JsonMap[]): ReplyFacts | null {
  const choices = events.flatMap((event) => listIn(event, 'choices').slice(0, 1));
  if (!choices.some((choice) => typeof choice['finish_reason'] === 'string')) return null;
  const usage = events.map((event) => event['usage']).findLast(isMap);
  return {
    model: events.map((event) => textIn(event, 'model')).find(isString) ?? null,
    metered: metered(usage, {
      input: ['prompt_tokens'],
      output: ['completion_tokens'],
      read: countIn(member(usage, 'prompt_tokens_details'), 'cached_tokens'),
    }),
    said: [joinedMessage(choices.map((choice) => choice['message'] ?? choice['delta']))],
  };
}

/** A streamed call starts with its name; pieces of its arguments follow. */
function joinedMessage(pieces: readonly unknown[]): JsonMap {
  const calls = new Map<unknown, { id: string; name: string; arguments: string }>();
  for (const piece of pieces)
    for (const [order, part] of listIn(piece, 'tool_calls').entries()) {
      const index = part['index'] ?? order;
      const { id, name, arguments: text } = calls.get(index) ?? { id: '', name: '', arguments: '' };
      calls.set(index, {
        id: id || (textIn(part, 'id') ?? ''),
        name: name + (textIn(part['function'], 'name') ?? ''),
        arguments: text + (textIn(part['function'], 'arguments') ?? ''),
      });
    }
  const content = pieces.map((piece) => textIn(piece, 'content') ?? '').join('');
  return { role: 'assistant', content, tool_calls: [...calls.values()] };
}

function readGenerate(events: readonly JsonMap[]): ReplyFacts | null {
  const candidates = events.flatMap((event) => listIn(event, 'candidates').slice(0, 1));
  const isBlocked = events.some((event) => textIn(event['promptFeedback'], 'blockReason') !== null);
  const isOver = candidates.some(({ finishReason }) => typeof finishReason === 'string');
  if (!isOver && !isBlocked) return null;
  const counts = events.map((event) => event['usageMetadata']).findLast(isMap);
  // The vendor omits counts of zero.
  const usage = counts === undefined ? counts : { candidatesTokenCount: 0, ...counts };
  return {
    model: events.map((event) => textIn(event, 'modelVersion')).findLast(isString) ?? null,
    // Thinking is billed as output, and results of the vendor's own tools as input.
    metered: metered(usage, {
      input: ['promptTokenCount', 'toolUsePromptTokenCount'],
      output: ['candidatesTokenCount', 'thoughtsTokenCount'],
      read: countIn(usage, 'cachedContentTokenCount'),
    }),
    said: [modelMessage(candidates.flatMap((candidate) => listIn(candidate['content'], 'parts')))],
  };
}

function modelMessage(parts: readonly JsonMap[]): JsonMap {
  const content = parts.flatMap((part): JsonMap[] => {
    const { functionCall: call, text, thought } = part;
    if (isMap(call)) return [{ ...call, type: 'tool_use' }];
    return typeof text === 'string' && thought !== true ? [{ type: 'text', text }] : [];
  });
  return { role: 'assistant', content };
}

function metered(
  usage: unknown,
  names: { input: string[]; output: string[] } & { [part in keyof CachedTokens]?: number | null },
): MeteredUsage {
  const [input, output] = [names.input, names.output].map((each) => {
    const counts = each.map((name) => countIn(usage, name)).filter((count) => count !== null);
    return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
  });
  if (typeof input !== 'number' || typeof output !== 'number') return { usage: null };
  const { read, written } = names;
  return {
    usage: { input_tokens: input, output_tokens: output },
    ...cachedTokens(input, { read, written }),
  };
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function countIn(value: unknown, name: string): number | null {
  const count = member(value, name);
  return Number.isSafeInteger(count) && Number(count) >= 0 ? Number(count) : null;
}
