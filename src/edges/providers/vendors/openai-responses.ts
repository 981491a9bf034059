import { z } from 'zod';
import { isMap, member, type Json } from '../../../types/plain.ts';
import { callIn, classifyReply } from './endings.ts';
import { contentAs, dataUri, fileName, type PartForms } from './files.ts';
import { hostedWork, OWN_CALLS } from './hosted-tools.ts';
import { inResponsesForm } from './responses-parameters.ts';
import { separateThinking } from './thinking.ts';
import { vendorMessages } from './transcript.ts';
import {
  cachedTokens,
  oddMember,
  type Ask,
  type ReadAs,
  type VendorOutput,
  type VendorEndpoint,
  type VendorAnswer,
} from './vendor.ts';

export const openaiResponses: VendorEndpoint = {
  path: '/responses',
  replyName: 'response',
  body: (ask) => {
    const parameters = inResponsesForm(ask.parameters);
    return {
      // The vendor must not store the answer.
      store: false,
      // Models that do not reason refuse this.
      ...(ask.reasons && 'tools' in parameters && { include: ['reasoning.encrypted_content'] }),
      ...parameters,
      model: ask.model,
      input: inputItems(ask),
      ...textOption(ask, parameters),
    };
  },
  read: readResponses,
};

function inputItems(ask: Ask): unknown[] {
  return vendorMessages(ask, 'responses').flatMap((message): unknown => {
    const { role, content, own, tool_calls: calls = [] } = message;
    if (role === 'tool') return { type: `${own}_output`, call_id: message.id, output: content };
    if (own !== undefined) return own;
    const said = { role, content: contentAs(message, ask, RESPONSES_PARTS) };
    return [
      ...(calls.length > 0 && content === '' ? [] : [said]),
      ...calls.map(({ id, name, arguments: given }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: given,
      })),
    ];
  });
}

const RESPONSES_PARTS: PartForms = {
  text: (text) => ({ type: 'input_text', text }),
  file: (file, base64) => {
    const data = dataUri(file, base64);
    return file.type === 'image'
      ? { type: 'input_image', image_url: data, detail: 'auto' }
      : { type: 'input_file', filename: fileName(file), file_data: data };
  },
};

function textOption(
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
  text: z.string().nullish(),
  refusal: z.string().nullish(),
});

export const cacheDetails = z
  .object({
    cached_tokens: z.int().nonnegative().nullish(),
    cache_write_tokens: z.int().nonnegative().nullish(),
  })
  .transform(({ cached_tokens: read, cache_write_tokens: written }) => ({ read, written }))
  .catch({ read: null, written: null })
  .default({ read: null, written: null });

export const responsesUsage = z
  .object({
    input_tokens: z.int().nonnegative(),
    output_tokens: z.int().nonnegative(),
    input_tokens_details: cacheDetails,
  })
  .transform(
    ({ input_tokens_details: cached, ...usage }): Pick<VendorOutput, 'usage' | 'cached'> => ({
      usage,
      ...cachedTokens(usage.input_tokens, cached),
    }),
  )
  .nullable()
  .catch(null)
  .default(null);

const responsesReply = z.object({
  model: z.string().nullish().catch(null),
  status: z.string().nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
  output: z.array(
    z.looseObject({
      type: z.string(),
      phase: z.string().nullish(),
      content: z.array(part).nullish(),
    }),
  ),
  usage: responsesUsage,
});

function readResponses(data: unknown, ask: ReadAs): VendorAnswer {
  const parsed = responsesReply.safeParse(data);
  if (!parsed.success) return oddMember(parsed.error);
  const { status, incomplete_details: incomplete, output, usage, model } = parsed.data;
  const messages = output.filter(({ type }) => type === 'message');
  const final = messages.filter(({ phase }) => phase !== 'commentary');
  const parts = (final.length > 0 ? final : messages).flatMap(({ content }) => content ?? []);
  const cut = status === 'incomplete' ? incomplete?.reason : null;
  const { said, thinking } = separateThinking(parts);
  const { parts: others, steps } = hostedWork(output);
  const answer = classifyReply(
    {
      said,
      thinking: output.some(({ type }) => type === 'reasoning') ? 'items of reasoning' : thinking,
      ...(usage ?? { usage: null }),
      refusal: parts.map(({ refusal }) => refusal ?? '').join(''),
      others,
      calls: output.flatMap((item, index) =>
        OWN_CALLS.has(item.type) ? [callIn(item, `output[${index}]`)] : [],
      ),
      // Compatible servers omit the status of a complete answer.
      reason: cut ?? status ?? 'completed',
      member: cut ? 'incomplete_details.reason' : 'status',
      model,
      opaque: { api: 'responses', data: opaqueItems(data) },
    },
    ask,
  );
  return answer.kind === 'answer' && steps.length > 0 ? { ...answer, steps } : answer;
}

/** All items, if they contain reasoning that can be sent back. Stored images would be too large. */
function opaqueItems(data: unknown): Json | null {
  const output = member(data, 'output') as Json[];
  const isReturned = output.some((item) => typeof member(item, 'encrypted_content') === 'string');
  const hasImage = output.some((item) => member(item, 'type') === 'image_generation_call');
  return isReturned && !hasImage ? output : null;
}
