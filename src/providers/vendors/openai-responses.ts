import { z } from 'zod';
import type { FinishReason, ToolCall } from '../../types/model.ts';
import { isMap } from '../../types/plain.ts';
import {
  cachedTokens,
  type Ask,
  type Said,
  type VendorEndpoint,
  type VendorAnswer,
} from './vendor.ts';

/** OpenAI's Responses API, for models that have no chat completions. */
export const openaiResponses: VendorEndpoint = {
  path: '/responses',
  replyName: 'response',
  body: ({ model, parameters, messages, ...asked }) => ({
    // As chat completions do, unless the file says otherwise.
    store: false,
    ...parameters,
    model,
    input: messages,
    ...textOf(asked, parameters),
  }),
  read,
};

function textOf(
  { schema, form }: Pick<Ask, 'schema' | 'form'>,
  { text: own }: Ask['parameters'],
): Record<string, unknown> {
  if (schema === null || form === 'plain') return {};
  const { name, json } = schema;
  const format = { type: 'json_schema', name, strict: true, schema: json };
  return { text: { ...(isMap(own) ? own : {}), format } };
}

const part = z.object({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
});

/** What of the input went through the cache; what cannot be read was not counted. */
export const cacheDetails = z
  .object({
    cached_tokens: z.int().nonnegative().nullish(),
    cache_write_tokens: z.int().nonnegative().nullish(),
  })
  .nullish()
  .catch(null);

const reply = z.object({
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(
    z.object({
      type: z.string(),
      content: z.array(part).nullish(),
      name: z.string().optional(),
      arguments: z.string().optional(),
    }),
  ),
  usage: z
    .object({
      input_tokens: z.int().nonnegative(),
      output_tokens: z.int().nonnegative(),
      input_tokens_details: cacheDetails,
    })
    .transform(
      ({
        input_tokens,
        output_tokens,
        input_tokens_details: details,
      }): Pick<Said, 'usage' | 'cached'> => ({
        usage: { input_tokens, output_tokens },
        ...cachedTokens(input_tokens, {
          read: details?.cached_tokens,
          written: details?.cache_write_tokens,
        }),
      }),
    )
    .nullable()
    .catch(null)
    .default(null),
});

const CUT: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: 'length',
  content_filter: 'filter',
};

function read(data: unknown): VendorAnswer | null {
  const parsed = reply.safeParse(data);
  if (!parsed.success || parsed.data.status === 'failed') return null;
  const { status, incomplete_details: incomplete, output } = parsed.data;
  const counted = parsed.data.usage ?? { usage: null };
  const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content ?? []) : []));
  const said = parts.map(({ text }) => text ?? '').join('');
  const refusal = said === '' ? parts.map((piece) => piece.refusal ?? '').join('') : '';
  const cut = CUT[incomplete?.reason ?? ''] ?? 'other';
  const ended = status === 'incomplete' ? cut : 'stop';
  const finish_reason = refusal === '' ? ended : 'filter';
  if (finish_reason === 'filter' && said + refusal === '') return { kind: 'withheld' };
  const tool_calls = output.flatMap(({ type, name, arguments: given }): ToolCall[] =>
    type === 'function_call' && name !== undefined ? [{ name, arguments: given ?? '' }] : [],
  );
  return { kind: 'answer', output: said + refusal, finish_reason, tool_calls, ...counted };
}
