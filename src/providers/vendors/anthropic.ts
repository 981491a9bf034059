import { z } from 'zod';
import type { FinishReason } from '../../types/model.ts';
import { isMap } from '../../types/plain.ts';
import { anthropicBatches, anthropicClient } from './anthropic-batch.ts';
import {
  cachedTokens,
  plainRequests,
  type Ask,
  type Language,
  type Said,
  type VendorAnswer,
} from './vendor.ts';

/** The API insists on a limit; this one is sent for a prompt that names none. */
export const DEFAULT_MAX_TOKENS = 4096;

/** Parameters that Anthropic's SDKs turn into headers of the request. */
const HEADER_PARAMETERS = ['workspace_id', 'user_profile_id', 'betas'];

/** Anthropic's messages. */
export const anthropic: Language = {
  replyName: 'message',
  async connect(connection) {
    const client = await anthropicClient(connection);
    client.buildRequest = plainRequests(connection);
    // The transport keeps the deadline: the SDK's timer for every call would be a second one.
    client.fetchWithTimeout = connection.fetch;
    // The general method rather than `messages.create`, which prints warnings and turns parameters
    // into headers.
    return (body) => client.post('/v1/messages', { body }).asResponse();
  },
  refuses(parameters) {
    if (parameters['stream'] === true) return 'the parameter stream cannot be true here; remove it';
    const header = HEADER_PARAMETERS.find((name) => name in parameters);
    return header === undefined
      ? null
      : `the parameter ${header} is a header of the request, which a file cannot set; remove it`;
  },
  body,
  read,
  embeddings: null,
  responses: null,
  batches: anthropicBatches,
};

/**
 * System messages go into a field of their own, joined by an empty line. Neighbours of one role
 * stay as they are: the API takes them for one turn.
 */
function body({ model, parameters, messages, marked, ...asked }: Ask): Record<string, unknown> {
  const instructions = messages.filter(({ role }) => role === 'system');
  const system = instructions.map(({ content }) => content).join('\n\n');
  // The mark lies behind the system messages, or behind one of the others.
  const last = marked === undefined ? null : marked - instructions.length - 1;
  return {
    max_tokens: DEFAULT_MAX_TOKENS,
    ...parameters,
    model,
    messages: messages
      .filter(({ role }) => role !== 'system')
      .map((message, index) =>
        index === last ? { ...message, content: markedText(message.content) } : message,
      ),
    ...(system === '' ? {} : { system: last === -1 ? markedText(system) : system }),
    ...formOf(asked, parameters),
  };
}

/** Up to its end the request is kept for five minutes, and as long again after each use. */
function markedText(text: string): object[] {
  return [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
}

function formOf(
  { schema, form }: Pick<Ask, 'schema' | 'form'>,
  { output_config: own }: Ask['parameters'],
): Record<string, unknown> {
  if (schema === null || form === 'plain') return {};
  const { name, json } = schema;
  return form === 'schema'
    ? {
        output_config: {
          // The file may say how much effort an answer is worth.
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

const reply = z.object({
  type: z.literal('message'),
  content: z.array(
    z.object({
      type: z.string(),
      text: z.string().optional(),
      name: z.string().optional(),
      input: z.unknown().optional(),
    }),
  ),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: count,
      output_tokens: count,
      cache_creation_input_tokens: count.nullish(),
      cache_read_input_tokens: count.nullish(),
    })
    .nullish()
    .catch(null),
});

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool',
  refusal: 'filter',
};

function read(data: unknown, { schema }: Ask): VendorAnswer | null {
  const parsed = reply.safeParse(data);
  if (!parsed.success) return null;
  const { content, stop_reason } = parsed.data;
  const counted = countedIn(parsed.data.usage);
  const tools = content.flatMap(({ type, name, input }) =>
    type === 'tool_use' && name !== undefined
      ? [{ name, arguments: JSON.stringify(input ?? {}) }]
      : [],
  );
  const forced = schema === null ? undefined : tools.find(({ name }) => name === schema.name);
  // The tool we forced is the answer, not a call of the model's own.
  if (forced !== undefined) {
    const finish_reason = stop_reason === 'max_tokens' ? 'length' : 'stop';
    return { kind: 'answer', output: forced.arguments, finish_reason, tool_calls: [], ...counted };
  }
  const output = content.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
  const finish_reason = FINISH[stop_reason ?? ''] ?? 'other';
  if (finish_reason === 'filter' && output === '') return { kind: 'withheld' };
  return { kind: 'answer', output, finish_reason, tool_calls: tools, ...counted };
}

interface UsageOnWire {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens?: number | null | undefined;
  cache_read_input_tokens?: number | null | undefined;
}

/**
 * What was read from or written to the prompt cache is input too, though the API counts it apart.
 */
function countedIn(usage: UsageOnWire | null | undefined): Pick<Said, 'usage' | 'cached'> {
  if (!usage) return { usage: null };
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  const input_tokens = usage.input_tokens + (read ?? 0) + (written ?? 0);
  return {
    usage: { input_tokens, output_tokens: usage.output_tokens },
    ...cachedTokens(input_tokens, { read, written }),
  };
}
