import { z } from 'zod';
import { partsOf, type Usage } from '../../../types/answer.ts';
import { LongNumber } from '../../../types/exact-json.ts';
import { chatMessage } from '../../../types/message-list.ts';
import type { MeteredUsage } from '../../../types/model.ts';
import { isMap, member, type Json } from '../../../types/plain.ts';
import { callIn, classifyReply, unknownParts } from './endings.ts';
import { contentAs, dataUri, fileName, type PartForms } from './files.ts';
import { CHAT_PATH, openaiBatches, openaiClient } from './openai-batch.ts';
import { cacheDetails, openaiResponses } from './openai-responses.ts';
import { separateThinking } from './thinking.ts';
import { vendorMessages } from './transcript.ts';
import {
  cachedTokens,
  oddMember,
  plainRequests,
  type VendorAnswer,
  type Ask,
  type Language,
  type ReadAs,
} from './vendor.ts';

export const openai: Language = {
  replyName: 'chat completion',
  async connect(connection) {
    const client = await openaiClient(connection);
    client.buildRequest = plainRequests(connection);
    client.fetchWithTimeout = connection.fetch;
    // The SDK's `chat.completions.create` would change parameters.
    return (body, path = CHAT_PATH) => client.post(path, { body }).asResponse();
  },
  refuses(parameters) {
    if (parameters['stream'] === true) return 'the parameter stream cannot be true here; remove it';
    if (parameters['background'] === true)
      return 'the parameter background cannot be true here; remove it';
    if ((parameters['n'] ?? 1) !== 1)
      return 'the parameter n must be 1; set n_tries for several answers';
    return null;
  },
  body: (ask) => ({
    ...ask.parameters,
    model: ask.model,
    messages: vendorMessages(ask, 'chat').map((message) => {
      const { role, own, parts } = message;
      if (role === 'assistant' && own !== undefined) return own;
      const sent = chatMessage(message);
      return parts ? { ...sent, content: contentAs(message, ask, CHAT_PARTS) } : sent;
    }),
    ...responseFormat(ask),
  }),
  read: readChat,
  batches: openaiBatches,
  responses: openaiResponses,
  texts: {
    embedding: {
      path: '/embeddings',
      replyName: 'list of one embedding',
      body: textBody,
      read: readEmbedding,
    },
    moderation: {
      path: '/moderations',
      replyName: 'list of one moderation',
      body: textBody,
      read: readModeration,
    },
  },
};

function textBody({ model, parameters, messages }: Ask): Record<string, unknown> {
  return { ...parameters, model, input: messages[0]?.content ?? '' };
}

const CHAT_PARTS: PartForms = {
  text: (text) => ({ type: 'text', text }),
  file: (file, base64) => {
    const data = dataUri(file, base64);
    return file.type === 'image'
      ? { type: 'image_url', image_url: { url: data } }
      : { type: 'file', file: { filename: fileName(file), file_data: data } };
  },
};

function responseFormat({ schema, form }: Ask): Record<string, unknown> {
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

const message = z.looseObject({
  content: z.union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))]).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
});

export const chatUsage = z
  .object({
    prompt_tokens: z.int().nonnegative(),
    completion_tokens: z.int().nonnegative(),
    total_tokens: z.int().nonnegative().nullish().catch(null),
    prompt_tokens_details: cacheDetails,
    // https://openrouter.ai/docs/guides/administration/usage-accounting
    cost: z.number().nonnegative().nullish().catch(null),
  })
  .transform(({ prompt_tokens, prompt_tokens_details, cost, ...counted }): MeteredUsage => {
    // xAI and Google count thinking only in the total, but charge it as output.
    const beside = (counted.total_tokens ?? 0) - prompt_tokens;
    const output_tokens = Math.max(counted.completion_tokens, beside);
    return {
      usage: { input_tokens: prompt_tokens, output_tokens },
      ...cachedTokens(prompt_tokens, { ...prompt_tokens_details, cost }),
    };
  })
  .nullable()
  .catch(null)
  .default(null);

const chatReply = z.object({
  model: z.string().nullish().catch(null),
  system_fingerprint: z.string().nullish().catch(null),
  choices: z.array(z.object({ finish_reason: z.string().nullish(), message })).min(1),
  // Treats unreadable counts as unknown, so that a paid answer is not lost.
  usage: chatUsage,
});

function readChat(data: unknown, ask: ReadAs): VendorAnswer {
  const parsed = chatReply.safeParse(inOneForm(data));
  if (!parsed.success) return oddMember(parsed.error);
  const { choices, usage, model, system_fingerprint: fingerprint } = parsed.data;
  const [choice] = choices;
  if (choice === undefined) return { kind: 'odd', member: 'choices' };
  const { content, refusal, ...beside } = choice.message;
  const { reasoning_content, reasoning, thinking } = beside;
  const refusals = contentParts(content).map((part) => String(part['refusal'] ?? ''));
  return classifyReply(
    {
      ...separateThinking(content, { reasoning_content, reasoning, thinking }),
      ...(usage ?? { usage: null }),
      refusal: [refusal ?? '', ...refusals].join(''),
      calls: callsIn(choice.message, ask),
      others: unknownParts(contentParts(content), KNOWN_PART),
      reason: choice.finish_reason,
      member: 'finish_reason',
      model,
      fingerprint,
      opaque: { api: 'chat', data: opaqueMessage(choice.message) },
    },
    ask,
  );
}

/**
 * Members that vendors want back with tool calls: DeepSeek and Moonshot, OpenRouter and MiniMax,
 * and Google. Google's is also in each call.
 * https://api-docs.deepseek.com/guides/thinking_mode
 * https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
const RETURNED = ['reasoning_content', 'reasoning_details', 'extra_content'];

function opaqueMessage(said: z.infer<typeof message>): Json | null {
  const { content = null, tool_calls: calls } = said;
  const returned = RETURNED.filter((name) => (said[name] ?? null) !== null);
  const isSigned = calls?.some((call) => member(call, 'extra_content') !== undefined) ?? false;
  if (returned.length === 0 && !isSigned) return null;
  return {
    role: 'assistant',
    content,
    ...(calls && { tool_calls: calls }),
    ...Object.fromEntries(returned.map((name) => [name, said[name]])),
  } as Json;
}

const KNOWN_PART = /text|refusal|tool|function|call/i;

const PLACE = 'choices[0].message';

type Content = z.infer<typeof message>['content'];

function contentParts(content: Content): Exclude<Content, string | null | undefined> {
  return typeof content === 'string' ? [] : (content ?? []);
}

function callsIn(
  { content, tool_calls, function_call, tool_call, toolCalls }: z.infer<typeof message>,
  { parameters }: ReadAs,
): ReturnType<typeof callIn>[] {
  const listed = [tool_calls, toolCalls].find((calls) => Array.isArray(calls) && calls.length > 0);
  if (Array.isArray(listed))
    return listed.map((call, index) => callIn(call, `${PLACE}.tool_calls[${index}]`));
  const single = [function_call, tool_call].find(
    (call) => isMap(call) && Object.values(call).some(Boolean),
  );
  if (single !== undefined) return [callIn(single, `${PLACE}.function_call`)];
  const inParts = contentParts(content).flatMap((part, index) =>
    CALL_PART.test(String(part['type'])) ? [callIn(part, `${PLACE}.content[${index}]`)] : [],
  );
  if (inParts.length > 0) return inParts;
  const offersTools = ['tools', 'functions'].some((name) => name in (parameters ?? {}));
  const isInText = offersTools && typeof content === 'string' && CALL_TEXT.test(content);
  return isInText ? [{ odd: `${PLACE}.content` }] : [];
}

/** Matches tool calls that an open model's server left in the text. */
const CALL_TEXT =
  /<tool_call>|<function=|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_calls?(?:_section)?_begin\|>|<｜tool▁calls?▁begin｜>/;

const CALL_PART = /^(tool_use|tool_call|function_call|function)$/;

function inOneForm(data: unknown): unknown {
  const choices = member(data, 'choices');
  if (Array.isArray(choices))
    return {
      ...(data as object),
      choices: choices.map((choice: unknown) => ({
        ...(choice as object),
        message: member(choice, 'message') ?? member(choice, 'delta'),
      })),
    };
  const said = member(data, 'message');
  if (choices !== undefined || !isMap(said)) return data;
  const ended = member(data, 'done') === false ? 'not_finished' : member(data, 'done_reason');
  return {
    model: member(data, 'model'),
    choices: [{ message: said, finish_reason: ended }],
    usage: {
      prompt_tokens: member(data, 'prompt_eval_count'),
      completion_tokens: member(data, 'eval_count'),
    },
  };
}

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

function readEmbedding(data: unknown): VendorAnswer {
  const parsed = embedding.safeParse(data);
  if (!parsed.success) return oddMember(parsed.error);
  const [only] = parsed.data.data;
  // Embeddings have single precision; more digits would waste space.
  const values = only?.embedding.map((value) => Number(value.toPrecision(9)));
  return jsonAnswer(values, parsed.data.usage);
}

const moderation = z.object({
  results: z
    .array(
      z.object({
        categories: z.record(z.string(), z.boolean().nullable()),
        category_scores: z.record(z.string(), component),
      }),
    )
    .length(1),
});

/** OpenAI does not charge for moderation and counts no tokens. */
function readModeration(data: unknown): VendorAnswer {
  const parsed = moderation.safeParse(data);
  if (!parsed.success) return oddMember(parsed.error);
  const [only] = parsed.data.results;
  const categories = Object.entries(only?.categories ?? {});
  const flagged = categories.flatMap(([name, isFlagged]) => (isFlagged === true ? [name] : []));
  const usage = { input_tokens: 0, output_tokens: 0 };
  return jsonAnswer({ flagged, scores: only?.category_scores ?? {} }, usage);
}

function jsonAnswer(value: Json | undefined, usage: Usage | null): VendorAnswer {
  return {
    kind: 'answer',
    parts: partsOf(JSON.stringify(value)),
    ended: 'stop',
    usage,
    served: { model: null, fingerprint: null },
  };
}
