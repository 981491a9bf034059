import { z } from 'zod';
import { isMap, type Json } from '../../../types/plain.ts';
import { anthropicFacts } from '../../../types/vendors/anthropic.ts';
import { anthropicBatches, anthropicClient } from './anthropic-batch.ts';
import { callIn, classifyReply, unknownParts } from './endings.ts';
import { contentAs, type PartForms } from './files.ts';
import { separateThinking } from './thinking.ts';
import { argumentsMap, vendorMessages, type SentMessage } from './transcript.ts';
import {
  cachedTokens,
  oddMember,
  plainRequests,
  type Ask,
  type Language,
  type ReadAs,
  type VendorOutput,
  type VendorAnswer,
} from './vendor.ts';

/** Sent if the prompt sets no limit, because the API requires one. */
export const DEFAULT_MAX_TOKENS = anthropicFacts.ownLimit.first;

const HEADER_PARAMETERS = ['workspace_id', 'user_profile_id', 'betas'];

export const anthropic: Language = {
  replyName: 'message',
  async connect(connection) {
    const client = await anthropicClient(connection);
    client.buildRequest = plainRequests(connection);
    client.fetchWithTimeout = connection.fetch;
    // `messages.create` would print warnings and turn parameters into headers.
    return (body, path = '/v1/messages') => client.post(path, { body }).asResponse();
  },
  refuses(parameters) {
    if (parameters['stream'] === true) return 'the parameter stream cannot be true here; remove it';
    const header = HEADER_PARAMETERS.find((name) => name in parameters);
    return header === undefined
      ? null
      : `the parameter ${header} is a header of the request, and files cannot set headers; ` +
          'remove it';
  },
  body: anthropicBody,
  read: (data, ask) => readMessage(data, ask, { ownLimit: DEFAULT_MAX_TOKENS }),
  texts: null,
  responses: null,
  batches: anthropicBatches,
};

interface MessagesBody extends Record<string, unknown> {
  messages: Turn[];
}

export function anthropicBody(ask: Ask): MessagesBody {
  const { model, parameters, marked } = ask;
  const sent = vendorMessages(ask, 'messages');
  const instructions = sent.filter(({ role }) => role === 'system');
  const system = instructions.map(({ content }) => content).join('\n\n');
  const last = marked === undefined ? null : marked - instructions.length - 1;
  return {
    max_tokens: DEFAULT_MAX_TOKENS,
    ...parameters,
    model,
    messages: anthropicTurns(
      sent.filter(({ role }) => role !== 'system'),
      ask,
      last,
    ),
    ...(system === '' ? {} : { system: last === -1 ? markedContent(system) : system }),
    ...formOf(ask, parameters),
  };
}

export interface Turn {
  role: string;
  content: string | object[];
}

/** All results of a turn, and what the user says next, must be in one message. */
function anthropicTurns(messages: readonly SentMessage[], ask: Ask, last: number | null): Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const own = turnContent(message, ask);
    const content = index === last ? markedContent(own) : own;
    const isNext = role === 'user' && messages[index - 1]?.role === 'tool';
    const before = isNext ? turns.pop()?.content : undefined;
    turns.push({ role, content: before ? [before, content].flatMap(contentBlocks) : content });
  }
  return turns;
}

function turnContent(message: SentMessage, ask: Ask): string | object[] {
  const { content, tool_calls: calls = [] } = message;
  if (message.role === 'tool') {
    const result = content.trim() === '' ? {} : { content };
    return [{ type: 'tool_result', tool_use_id: message.id, ...result }];
  }
  if (message.own !== undefined) return message.own as object[];
  const said = contentAs(message, ask, ANTHROPIC_PARTS);
  const uses = calls.map(({ id, name, arguments: given }) => ({
    type: 'tool_use',
    id,
    name,
    input: argumentsMap(given),
  }));
  return uses.length === 0 ? said : [...contentBlocks(said), ...uses];
}

export function contentBlocks(content: string | object[]): object[] {
  if (typeof content !== 'string') return content;
  return content.trim() === '' ? [] : [ANTHROPIC_PARTS.text(content)];
}

const ANTHROPIC_PARTS: PartForms = {
  text: (text) => ({ type: 'text', text }),
  file: ({ type, media_type }, data) => ({
    type: type === 'image' ? 'image' : 'document',
    source: { type: 'base64', media_type, data },
  }),
};

function markedContent(content: string | object[]): object[] {
  const blocks = contentBlocks(content);
  return blocks.with(-1, { ...blocks.at(-1), cache_control: { type: 'ephemeral' } });
}

function formOf(
  { schema, form }: Ask,
  { output_config: own }: Ask['parameters'],
): Record<string, unknown> {
  if (schema === null || form === 'plain') return {};
  const { name, json } = schema;
  return form === 'schema'
    ? {
        output_config: {
          ...(isMap(own) ? own : {}),
          format: { type: 'json_schema', schema: json },
        },
      }
    : {
        tools: [{ name, description: 'Give the answer in this form.', input_schema: json }],
        tool_choice: { type: 'tool', name },
      };
}

const count = z.int().nonnegative();

export const anthropicUsage = z
  .object({
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: count.nullish(),
    cache_read_input_tokens: count.nullish(),
  })
  .transform((usage): Pick<VendorOutput, 'usage' | 'cached'> => {
    const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
    const input_tokens = usage.input_tokens + (read ?? 0) + (written ?? 0);
    return {
      usage: { input_tokens, output_tokens: usage.output_tokens },
      ...cachedTokens(input_tokens, { read, written }),
    };
  })
  .nullable()
  .catch(null)
  .default(null);

const anthropicReply = z.object({
  type: z.literal('message'),
  model: z.string().nullish().catch(null),
  content: z.union([
    z.string(),
    z.array(z.looseObject({ type: z.string(), text: z.string().nullish() })),
  ]),
  stop_reason: z.string().nullish(),
  stop_details: z.object({ category: z.string().nullish() }).nullish().catch(null),
  usage: anthropicUsage,
});

export function readMessage(
  data: unknown,
  ask: ReadAs,
  limit: { ownLimit?: number } = {},
): VendorAnswer {
  const parsed = anthropicReply.safeParse(data);
  if (!parsed.success) return oddMember(parsed.error);
  const { content, stop_reason, stop_details, usage, model } = parsed.data;
  const blocks = typeof content === 'string' ? [] : content;
  const calls = blocks.flatMap((block, index) =>
    CALLS.has(block.type) ? [callIn(block, `content[${index}]`)] : [],
  );
  return classifyReply(
    {
      ...separateThinking(content),
      ...(usage ?? { usage: null }),
      calls,
      refusal: '',
      others: unknownParts(blocks, KNOWN),
      reason: stop_reason,
      member: 'stop_reason',
      details: stop_details?.category,
      ...limit,
      model,
      opaque: { api: 'messages', data: opaqueBlocks(blocks) },
    },
    ask,
  );
}

/** The content with thinking or the work of the vendor's own tools. Null if it has neither. */
function opaqueBlocks(content: readonly Record<string, unknown>[]): Json | null {
  const blocks = content
    .filter(({ type, text }) => type !== 'text' || String(text).trim() !== '')
    .map((block) => {
      const { input } = block;
      // The input of a streamed call is text.
      return typeof input === 'string' ? { ...block, input: argumentsMap(input) } : block;
    });
  const isOwn = blocks.some(({ type }) => type !== 'text' && type !== 'tool_use');
  return isOwn && blocks.every(({ input = {} }) => isMap(input)) ? (blocks as Json) : null;
}

const CALLS = new Set(['tool_use', 'server_tool_use', 'mcp_tool_use']);

const KNOWN = /^(text|fallback|compaction)$|_use$|_result$/;
