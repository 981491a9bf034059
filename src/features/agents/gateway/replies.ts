import { z } from 'zod';
import {
  eventData,
  isEventStream,
  messageOfEvents,
} from '../../../edges/providers/event-stream.ts';
import { anthropicUsage } from '../../../edges/providers/vendors/anthropic.ts';
import { responsesUsage } from '../../../edges/providers/vendors/openai-responses.ts';
import { chatUsage } from '../../../edges/providers/vendors/openai.ts';
import { cachedTokens } from '../../../edges/providers/vendors/vendor.ts';
import type { MeteredUsage } from '../../../types/model.ts';
import { isMap, type JsonMap } from '../../../types/plain.ts';
import { listIn, textIn } from '../rows/fields.ts';
import type { Protocol } from './routes.ts';

export interface ReplyFacts {
  metered: MeteredUsage;
  model: string | null;
  /** What the model said, as a message in the form of any vendor, or as items of Responses. */
  said: JsonMap[];
}

const NOT_COUNTED: MeteredUsage = { usage: null };

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
    metered: anthropicUsage.parse(message['usage']) ?? NOT_COUNTED,
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
  return {
    model: textIn(whole, 'model'),
    metered: responsesUsage.parse(whole['usage']) ?? NOT_COUNTED,
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
    model: textIn(
      events.find((event) => textIn(event, 'model') !== null),
      'model',
    ),
    metered: chatUsage.parse(usage) ?? NOT_COUNTED,
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

const count = z.int().nonnegative();

/** The vendor omits counts of zero. */
const geminiUsage = z
  .object({
    promptTokenCount: count,
    toolUsePromptTokenCount: count.default(0),
    candidatesTokenCount: count.default(0),
    thoughtsTokenCount: count.default(0),
    cachedContentTokenCount: count.default(0),
  })
  .transform((usage): MeteredUsage => {
    // Thinking is billed as output, and results of the vendor's own tools as input.
    const input = usage.promptTokenCount + usage.toolUsePromptTokenCount;
    const output = usage.candidatesTokenCount + usage.thoughtsTokenCount;
    return {
      usage: { input_tokens: input, output_tokens: output },
      ...cachedTokens(input, { read: usage.cachedContentTokenCount, written: 0 }),
    };
  })
  .nullable()
  .catch(null)
  .default(null);

function readGenerate(events: readonly JsonMap[]): ReplyFacts | null {
  const candidates = events.flatMap((event) => listIn(event, 'candidates').slice(0, 1));
  const isBlocked = events.some((event) => textIn(event['promptFeedback'], 'blockReason') !== null);
  const isOver = candidates.some(({ finishReason }) => typeof finishReason === 'string');
  if (!isOver && !isBlocked) return null;
  const usage = events.map((event) => event['usageMetadata']).findLast(isMap);
  return {
    model: textIn(
      events.findLast((event) => 'modelVersion' in event),
      'modelVersion',
    ),
    metered: geminiUsage.parse(usage) ?? NOT_COUNTED,
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
