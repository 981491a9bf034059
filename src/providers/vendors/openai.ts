import { z } from 'zod';
import { LongNumber } from '../../types/exact-json.ts';
import type { FinishReason, ToolCall, Usage } from '../../types/model.ts';
import { openaiBatches, openaiClient } from './openai-batch.ts';
import { cacheDetails, openaiResponses } from './openai-responses.ts';
import {
  cachedTokens,
  plainRequests,
  type VendorAnswer,
  type Ask,
  type Language,
  type Said,
} from './vendor.ts';

/** OpenAI's chat completions, and every server that speaks them. */
export const openai: Language = {
  replyName: 'chat completion',
  async connect(connection) {
    const client = await openaiClient(connection);
    client.buildRequest = plainRequests(connection);
    // The transport keeps the deadline: the SDK's timer for every call would be a second one.
    client.fetchWithTimeout = connection.fetch;
    // The general method rather than `chat.completions.create`: parameters go out as the user wrote
    // them.
    return (body, path = '/chat/completions') => client.post(path, { body }).asResponse();
  },
  refuses(parameters) {
    if (parameters['stream'] === true) return 'the parameter stream cannot be true here; remove it';
    if ((parameters['n'] ?? 1) !== 1)
      return 'the parameter n must be 1; set n_tries for several answers';
    return null;
  },
  body: ({ model, parameters, messages, ...asked }) => ({
    ...parameters,
    model,
    messages,
    ...formOf(asked),
  }),
  read,
  batches: openaiBatches,
  responses: openaiResponses,
  embeddings: {
    path: '/embeddings',
    replyName: 'list of one embedding',
    body: ({ model, parameters, messages }) => ({
      ...parameters,
      model,
      input: messages[0]?.content ?? '',
    }),
    read: readEmbedding,
  },
};

function formOf({ schema, form }: Pick<Ask, 'schema' | 'form'>): Record<string, unknown> {
  if (schema === null || form === 'plain') return {};
  const { name, json } = schema;
  return form === 'schema'
    ? {
        response_format: {
          type: 'json_schema',
          json_schema: { name, strict: true, schema: json },
        },
      }
    : {
        tools: [
          {
            type: 'function',
            function: { name, description: 'Give the answer in this form.', parameters: json },
          },
        ],
        tool_choice: { type: 'function', function: { name } },
      };
}

type Counted = Pick<Said, 'usage' | 'cached'>;

const reply = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({
          // Compatible servers send lists of parts where OpenAI sends text.
          content: z
            .union([z.string(), z.array(z.object({ text: z.string().optional() }))])
            .nullish(),
          refusal: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({
                function: z.object({ name: z.string(), arguments: z.string() }).optional(),
                custom: z.object({ name: z.string(), input: z.string() }).optional(),
              }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  // Counts that cannot be read are unknown, and no reason to lose an answer that was paid for.
  usage: z
    .object({
      prompt_tokens: z.int().nonnegative(),
      completion_tokens: z.int().nonnegative(),
      total_tokens: z.int().nonnegative().nullish().catch(null),
      prompt_tokens_details: cacheDetails,
    })
    .transform(({ prompt_tokens, prompt_tokens_details: details, ...counted }): Counted => ({
      usage: { input_tokens: prompt_tokens, output_tokens: writtenTokens(prompt_tokens, counted) },
      ...cachedTokens(prompt_tokens, {
        read: details?.cached_tokens,
        written: details?.cache_write_tokens,
      }),
    }))
    .nullable()
    .catch(null)
    .default(null),
});

/** xAI and Google count what a model thought in the total alone, and charge it as what it said. */
function writtenTokens(
  prompt: number,
  {
    completion_tokens,
    total_tokens,
  }: { completion_tokens: number; total_tokens?: number | null | undefined },
): number {
  return Math.max(completion_tokens, (total_tokens ?? 0) - prompt);
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  // Mistral's, where the context is full, and Together's.
  model_length: 'length',
  eos: 'stop',
  content_filter: 'filter',
  tool_calls: 'tool',
  function_call: 'tool',
};

function read(data: unknown, { schema }: Ask): VendorAnswer | null {
  const parsed = reply.safeParse(data);
  const choice = parsed.data?.choices[0];
  if (parsed.data === undefined || choice === undefined) return null;
  const counted = parsed.data.usage ?? { usage: null };
  const { message } = choice;
  const calls = (message.tool_calls ?? []).flatMap(toolCall);
  const forced = calls.find(({ name }) => name === schema?.name);
  if (forced !== undefined) return toolAnswer(forced, choice.finish_reason, counted);
  const said = textOf(message.content);
  const refusal = refusalOf(message.refusal, said);
  // A refusal in its own field stops like an answer does, but is none.
  const finish_reason = refusal === '' ? finishOf(choice.finish_reason ?? '') : 'filter';
  if (finish_reason === 'filter' && said + refusal === '') return { kind: 'withheld' };
  return {
    kind: 'answer',
    output: said + refusal,
    finish_reason,
    ...counted,
    tool_calls: calls,
  };
}

/** Google says what was found behind a colon: `content_filter: PROHIBITED_CONTENT`. */
function finishOf(reason: string): FinishReason {
  return FINISH[reason.split(':')[0] ?? ''] ?? 'other';
}

/** Text is the answer, whatever stands beside it. */
function refusalOf(refusal: string | null | undefined, said: string): string {
  return said === '' ? (refusal ?? '') : '';
}

/** The tool we forced is the answer, not a call of the model's own. */
function toolAnswer(
  { arguments: output }: ToolCall,
  finish: string | null | undefined,
  counted: Counted,
): VendorAnswer {
  const finish_reason = finish === 'length' ? 'length' : 'stop';
  return { kind: 'answer', output, finish_reason, tool_calls: [], ...counted };
}

/** Vectors have more digits than count. */
const component = z.preprocess(
  (value) => (value instanceof LongNumber ? Number(value) : value),
  z.number(),
);

const embedding = z.object({
  data: z.array(z.object({ embedding: z.array(component).min(1) })).length(1),
  usage: z
    .object({ prompt_tokens: z.int().nonnegative() })
    .transform(({ prompt_tokens }): Usage => ({ input_tokens: prompt_tokens, output_tokens: 0 }))
    .nullable()
    .catch(null)
    .default(null),
});

/** Vectors are computed in single precision; the digits behind it would only fill the store. */
function singlePrecision(value: number): number {
  return Number(value.toPrecision(9));
}

function readEmbedding(data: unknown): VendorAnswer | null {
  const parsed = embedding.safeParse(data);
  const [only] = parsed.data?.data ?? [];
  if (parsed.data === undefined || only === undefined) return null;
  return {
    kind: 'answer',
    output: JSON.stringify(only.embedding.map(singlePrecision)),
    finish_reason: 'stop',
    usage: parsed.data.usage,
    tool_calls: [],
  };
}

function textOf(content: string | { text?: string | undefined }[] | null | undefined): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

interface CallOnWire {
  function?: { name: string; arguments: string } | undefined;
  custom?: { name: string; input: string } | undefined;
}

function toolCall({ function: called, custom }: CallOnWire): ToolCall[] {
  if (called !== undefined) return [{ name: called.name, arguments: called.arguments }];
  return custom === undefined ? [] : [{ name: custom.name, arguments: custom.input }];
}
