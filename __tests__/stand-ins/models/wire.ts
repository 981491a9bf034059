import { z } from 'zod';
import type { Api } from '../../../src/types/vendors/facts.ts';
import type { Seen } from './server.ts';
import { chatProblem, messagesProblem, responsesProblem } from './transcripts.ts';

/**
 * The requests of both vendors, from the field lists of their published APIs (the type declarations
 * of their SDKs). As strict as the vendors: unknown fields are rejected.
 */

const text = z.string();
const textParts = z
  .array(z.strictObject({ type: z.literal('text'), text, cache_control: z.unknown().optional() }))
  .min(1);
const jsonObject = z.record(z.string(), z.unknown());
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);

const images = 'image/(png|jpeg|gif|webp)';
const dataUri = (type: string) =>
  text.regex(new RegExp(`^data:${type};base64,[A-Za-z0-9+/]+=*$`), {
    error: 'Invalid base64 data. Expected a data URL with a supported MIME type.',
  });
const imageUri = dataUri(images);
const pdfUri = dataUri('application/pdf');
const detail = z.enum(['auto', 'low', 'high', 'original']);

const openaiTextPart = z.strictObject({ type: z.literal('text'), text: text.min(1) });
const openaiContent = z.union([text, z.array(openaiTextPart).min(1)]);
const openaiUserContent = z.union([
  text,
  z
    .array(
      z.discriminatedUnion('type', [
        openaiTextPart,
        z.strictObject({
          type: z.literal('image_url'),
          image_url: z.strictObject({ url: imageUri, detail: detail.optional() }),
        }),
        z.strictObject({
          type: z.literal('file'),
          file: z.strictObject({ filename: text.min(1), file_data: pdfUri }),
        }),
      ]),
    )
    .min(1),
]);
/** Ids, names and arguments are texts; vendors other than OpenAI add members. */
const chatCall = z.discriminatedUnion('type', [
  z.strictObject({
    id: text.min(1).max(64),
    type: z.literal('function'),
    function: z.strictObject({ name: toolName, arguments: text }),
    extra_content: z.unknown().optional(),
  }),
  z.strictObject({
    id: text.min(1).max(64),
    type: z.literal('custom'),
    custom: z.strictObject({ name: toolName, input: text }),
  }),
]);
const spoken = { content: openaiContent, name: text.optional() };
const openaiMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal(['system', 'developer']), ...spoken }),
  z.strictObject({ role: z.literal('user'), ...spoken, content: openaiUserContent }),
  z.strictObject({
    role: z.literal('assistant'),
    content: openaiContent.nullish(),
    name: text.optional(),
    refusal: text.nullish(),
    tool_calls: z.array(chatCall).min(1).optional(),
    reasoning_content: z.unknown().optional(),
    reasoning_details: z.unknown().optional(),
    extra_content: z.unknown().optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: openaiContent, tool_call_id: text }),
]);

/** In strict mode, structured outputs accept objects only in this form, at every level. */
function strictProblem(schema: unknown, path = 'schema'): string | null {
  if (typeof schema !== 'object' || schema === null) return null;
  const node = schema as Record<string, unknown>;
  if (node['type'] === 'object' || node['properties'] !== undefined) {
    const names = Object.keys((node['properties'] ?? {}) as object).sort();
    const required = [...((node['required'] ?? []) as string[])].sort();
    const invalid = `Invalid schema for response_format: ${path}:`;
    if (node['additionalProperties'] !== false)
      return `${invalid} 'additionalProperties' is required to be supplied and to be false.`;
    if (JSON.stringify(required) !== JSON.stringify(names))
      return `${invalid} 'required' is required to be supplied and to be an array including every key in properties.`;
  }
  for (const [key, value] of Object.entries(node)) {
    const found = strictProblem(value, `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: toolName,
      description: text.optional(),
      strict: z.boolean().nullish(),
      schema: jsonObject.optional(),
    }),
  }),
]);

/** The vendor rejects empty text. */
const embeddingRequest = z.strictObject({
  model: text.min(1),
  input: z.union([
    text.min(1, {
      error:
        "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
    }),
    z.array(text.min(1)).min(1).max(2048),
  ]),
  dimensions: z.int().positive().nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
  user: text.nullish(),
});

const moderationRequest = z.strictObject({
  model: text.regex(/^(omni|text)-moderation-/, { error: "Invalid value for 'model'." }).optional(),
  input: text.min(1, { error: "'$.input' is invalid." }),
});

export const openaiRequest = z
  .strictObject({
    model: text.min(1),
    messages: z.array(openaiMessage).min(1),
    audio: jsonObject.nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    function_call: z.unknown().optional(),
    functions: z.array(jsonObject).optional(),
    logit_bias: z.record(z.string(), z.number()).nullish(),
    logprobs: z.boolean().nullish(),
    max_completion_tokens: z.int().positive().nullish(),
    max_tokens: z.int().positive().nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    modalities: z.array(z.enum(['text', 'audio'])).nullish(),
    moderation: jsonObject.nullish(),
    n: z.int().min(1).max(128).nullish(),
    parallel_tool_calls: z.boolean().optional(),
    prediction: jsonObject.nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    prompt_cache_key: text.nullish(),
    prompt_cache_options: jsonObject.optional(),
    prompt_cache_retention: text.nullish(),
    reasoning_effort: text.nullish(),
    response_format: responseFormat.optional(),
    safety_identifier: text.nullish(),
    seed: z.int().nullish(),
    service_tier: text.nullish(),
    stop: z.union([text, z.array(text).max(4)]).nullish(),
    store: z.boolean().nullish(),
    stream: z.boolean().nullish(),
    stream_options: jsonObject.nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    tool_choice: z.unknown().optional(),
    tools: z.array(jsonObject).optional(),
    top_logprobs: z.int().min(0).max(20).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    user: text.optional(),
    verbosity: text.nullish(),
    web_search_options: jsonObject.optional(),
  })
  .superRefine(({ response_format: format }, context) => {
    if (format?.type !== 'json_schema' || format.json_schema.strict !== true) return;
    const problem = strictProblem(format.json_schema.schema);
    if (problem !== null)
      context.addIssue({ code: 'custom', message: problem, path: ['response_format'] });
  });

const responsesContent = z.union([
  text,
  z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('input_text'), text: text.min(1) }),
        z.strictObject({ type: z.literal('input_image'), image_url: imageUri, detail }),
        z.strictObject({ type: z.literal('input_file'), filename: text.min(1), file_data: pdfUri }),
      ]),
    )
    .min(1),
]);

/** Functions are not nested here; the vendor's own tools and MCP servers are listed with them. */
const responsesTool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    name: toolName,
    description: text.nullish(),
    parameters: jsonObject.nullish(),
    strict: z.boolean().nullish(),
  }),
  z.strictObject({
    type: z.literal('custom'),
    name: toolName,
    description: text.optional(),
    format: z
      .union([
        z.strictObject({ type: z.literal('text') }),
        z.strictObject({
          type: z.literal('grammar'),
          syntax: z.enum(['lark', 'regex']),
          definition: text,
        }),
      ])
      .optional(),
  }),
  z.looseObject({ type: z.literal(['web_search', 'image_generation', 'code_interpreter']) }),
  z.looseObject({ type: z.literal('file_search'), vector_store_ids: z.array(text).min(1) }),
  z.looseObject({ type: z.literal('mcp'), server_label: text.min(1) }),
]);

const item = { id: text.optional(), status: text.optional() };
const call = { ...item, call_id: text.min(1).max(64) };
const responsesItem = z.union([
  z.strictObject({ role: z.literal(['system', 'developer', 'assistant']), content: text.min(1) }),
  z.strictObject({ role: z.literal('user'), content: responsesContent }),
  z.strictObject({
    ...item,
    type: z.literal('message'),
    role: z.literal('assistant'),
    phase: text.nullish(),
    content: z
      .array(
        z.strictObject({
          type: z.literal('output_text'),
          text,
          annotations: z.array(jsonObject).optional(),
        }),
      )
      .min(1),
  }),
  z.strictObject({
    ...item,
    type: z.literal('reasoning'),
    summary: z.array(jsonObject),
    encrypted_content: text.nullish(),
  }),
  z.strictObject({ ...call, type: z.literal('function_call'), name: toolName, arguments: text }),
  z.strictObject({ ...call, type: z.literal('custom_tool_call'), name: toolName, input: text }),
  z.strictObject({
    ...call,
    type: z.literal(['function_call_output', 'custom_tool_call_output']),
    output: text,
  }),
]);

export const responsesRequest = z.strictObject({
  model: text.min(1),
  input: z.array(responsesItem).min(1),
  include: z.array(text).nullish(),
  instructions: text.nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), name: toolName }),
      z.strictObject({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required']),
        tools: z.array(jsonObject),
      }),
    ])
    .optional(),
  tools: z.array(responsesTool).optional(),
  max_output_tokens: z.int().min(16).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  reasoning: z.strictObject({ effort: text.nullish(), summary: text.nullish() }).nullish(),
  store: z.boolean().nullish(),
  temperature: z.literal(1).nullish(),
  text: z
    .strictObject({
      verbosity: text.nullish(),
      format: z
        .strictObject({
          type: z.literal('json_schema'),
          name: toolName,
          strict: z.boolean().nullish(),
          schema: jsonObject,
        })
        .optional(),
    })
    .nullish(),
  top_p: z.literal(1).nullish(),
  user: text.optional(),
});

const base64 = text.regex(/^[A-Za-z0-9+/]+=*$/, { error: 'invalid base64 data' });
const cached = { cache_control: z.unknown().optional() };
const anthropicBlock = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('text'),
    text: text.min(1, { error: 'text content blocks must be non-empty' }),
    citations: z.unknown().optional(),
    ...cached,
  }),
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({
      type: z.literal('base64'),
      media_type: text.regex(new RegExp(`^${images}$`)),
      data: base64,
    }),
    ...cached,
  }),
  z.strictObject({
    type: z.literal('document'),
    source: z.strictObject({
      type: z.literal('base64'),
      media_type: z.literal('application/pdf'),
      data: base64,
    }),
    title: text.nullish(),
    ...cached,
  }),
  z.strictObject({
    type: z.literal('tool_use'),
    id: text.regex(/^[a-zA-Z0-9_-]+$/),
    name: toolName,
    input: z.record(z.string(), z.unknown(), { error: 'Input should be a valid dictionary' }),
    ...cached,
  }),
  z.strictObject({
    type: z.literal('tool_result'),
    tool_use_id: text.regex(/^[a-zA-Z0-9_-]+$/),
    content: text.min(1).optional(),
    is_error: z.boolean().optional(),
    ...cached,
  }),
  // Thinking cannot be marked for the cache.
  z.strictObject({ type: z.literal('thinking'), thinking: text, signature: text.min(1) }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: text.min(1) }),
  z.looseObject({ type: z.literal(['server_tool_use', 'web_search_tool_result']) }),
]);
const ANSWERED = ['text', 'tool_use', 'thinking', 'redacted_thinking'];
const anthropicMessage = z
  .strictObject({
    role: z.enum(['user', 'assistant']),
    content: z.union([text.min(1), z.array(anthropicBlock).min(1)]),
  })
  .refine(
    ({ role, content }) =>
      role === 'user' ||
      typeof content === 'string' ||
      content.every(({ type }) => ANSWERED.includes(type) || /^server|^web/.test(type)),
    { error: 'Image and document blocks are only permitted in user messages' },
  )
  .refine(
    ({ role, content }) =>
      role === 'assistant' ||
      typeof content === 'string' ||
      !content.some(({ type }) => /_use$|thinking$/.test(type)),
    { error: '`tool_use` and `thinking` blocks can only be in assistant messages' },
  );

const anthropicTool = z.looseObject({
  name: toolName,
  description: text.optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
});

const oneTool = { disable_parallel_tool_use: z.boolean().optional() };

export const anthropicRequest = z
  .strictObject({
    model: text.min(1),
    max_tokens: z.int().min(0),
    messages: z.array(anthropicMessage).min(1),
    cache_control: jsonObject.nullish(),
    container: z.unknown().optional(),
    diagnostics: jsonObject.nullish(),
    inference_geo: text.nullish(),
    metadata: z.strictObject({ user_id: text.nullish() }).optional(),
    output_config: z
      .strictObject({
        effort: text.nullish(),
        format: z
          .strictObject({ type: z.literal('json_schema'), schema: jsonObject })
          .nullish()
          .transform((format) => format ?? undefined),
      })
      .optional(),
    service_tier: z.enum(['auto', 'standard_only']).optional(),
    speed: z.enum(['standard', 'fast']).nullish(),
    stop_sequences: z.array(text).optional(),
    stream: z.boolean().optional(),
    system: z.union([text, textParts]).optional(),
    temperature: z.number().min(0).max(1).optional(),
    thinking: jsonObject.optional(),
    tool_choice: z
      .discriminatedUnion('type', [
        z.strictObject({ type: z.literal(['auto', 'any']), ...oneTool }),
        z.strictObject({ type: z.literal('tool'), name: text, ...oneTool }),
        z.strictObject({ type: z.literal('none') }),
      ])
      .optional(),
    tools: z.array(anthropicTool).optional(),
    top_k: z.int().min(0).optional(),
    top_p: z.number().min(0).max(1).optional(),
  })
  .superRefine(({ tool_choice: choice, tools }, context) => {
    if (choice?.type !== 'tool' || (tools ?? []).some(({ name }) => name === choice.name)) return;
    const message = `Tool '${choice.name}' not found in provided tools`;
    context.addIssue({ code: 'custom', message, path: ['tool_choice'] });
  });

export type Checked = Pick<Seen, 'model' | 'messages' | 'body' | 'schema'> | { problem: string };
type Body = Record<string, unknown>;

/** A parsed request, or the vendor's error message. */
export function readChat(vendor: Api, body: Body): Checked {
  return vendor === 'openai' ? readOpenai(body) : readAnthropic(body);
}

function problem(vendor: Api, { issues: [issue] }: z.ZodError) {
  if (issue === undefined) return { problem: 'invalid request' };
  const path = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys' || path !== '')
    return { problem: `${path}: ${issue.message}` };
  const [name] = issue.keys;
  return {
    problem:
      vendor === 'openai'
        ? `Unrecognized request argument supplied: ${name}`
        : `${name}: Extra inputs are not permitted`,
  };
}

export function readEmbedding(body: Body): Checked {
  const { data, error } = embeddingRequest.safeParse(body);
  if (error !== undefined) return problem('openai', error);
  const messages = [data.input].flat().map((content) => ({ role: 'user', content }));
  return { model: data.model, body, schema: null, messages };
}

export function readModeration(body: Body): Checked {
  const { data, error } = moderationRequest.safeParse(body);
  if (error !== undefined) return problem('openai', error);
  const messages = [{ role: 'user', content: data.input }];
  return { model: data.model ?? 'omni-moderation-latest', body, schema: null, messages };
}

export function readResponses(body: Body): Checked {
  const { data, error } = responsesRequest.safeParse(body);
  if (error !== undefined) return problem('openai', error);
  const found = responsesProblem(body);
  if (found !== null) return { problem: found };
  const format = data.text?.format;
  const schema = format === undefined ? null : { name: format.name, json: format.schema };
  return { model: data.model, body, schema, messages: data.input.map(plainItem) };
}

const plain = (content: unknown) =>
  typeof content === 'string' ? content : JSON.stringify(content);
const plainly = ({ role, content }: { role: string; content?: unknown }) => ({
  role,
  content: plain(content),
});

function plainItem(item: z.infer<typeof responsesItem>) {
  return 'role' in item ? plainly(item) : { role: item.type, content: JSON.stringify(item) };
}

function readOpenai(body: Body): Checked {
  const { data, error } = openaiRequest.safeParse(body);
  if (error !== undefined) return problem('openai', error);
  const found = chatProblem(body);
  if (found !== null) return { problem: found };
  const { model, messages, response_format: format, tools = [], tool_choice: choice } = data;
  const schema =
    format?.type === 'json_schema'
      ? { name: format.json_schema.name, json: format.json_schema.schema }
      : forcedFunction(tools, choice);
  return { model, body, schema, messages: messages.map(plainly) };
}

const chosen = z.object({ function: z.object({ name: text }) });
const callable = z.object({ function: z.object({ name: text, parameters: z.unknown() }) });

function forcedFunction(tools: readonly object[], choice: unknown) {
  const wanted = chosen.safeParse(choice).data?.function.name;
  const found = z
    .array(callable)
    .parse(tools)
    .find((tool) => tool.function.name === wanted)?.function;
  return found === undefined ? null : { name: found.name, json: found.parameters };
}

function readAnthropic(body: Body): Checked {
  const { data, error } = anthropicRequest.safeParse(body);
  if (error !== undefined) return problem('anthropic', error);
  const found = messagesProblem(body);
  if (found !== null) return { problem: found };
  const { model, messages, system, tools = [], tool_choice: choice, output_config: output } = data;
  const forced =
    choice?.type === 'tool' ? tools.find(({ name }) => name === choice.name) : undefined;
  const json = forced?.input_schema ?? output?.format?.schema;
  const schema = json === undefined ? null : { name: forced?.name ?? 'output_config', json };
  const front = system === undefined ? [] : [{ role: 'system', content: plain(system) }];
  return { model, body, schema, messages: [...front, ...messages.map(plainly)] };
}
