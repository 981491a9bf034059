import { z } from 'zod';
import type { Part, Step } from '../../../types/answer.ts';
import { LIMITS } from '../../../types/passports.ts';
import { isMap, member, type Json } from '../../../types/plain.ts';
import { callIn, classifyReply } from './endings.ts';
import { contentAs, dataUri, fileName, type PartForms } from './files.ts';
import { imagePart } from './image.ts';
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
  { schema, form }: Ask,
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

interface Item {
  type: string;
  [member: string]: unknown;
}

const BESIDE_INPUT = new Set([
  ...['id', 'type', 'status', 'call_id', 'container_id', 'approval_request_id', 'server_label'],
  ...['name', 'error', 'output', 'outputs', 'result', 'results', 'phase', 'content'],
]);

const RESULTS = ['output', 'outputs', 'results', 'error'];

const OWN_CALLS = new Set(['function_call', 'custom_tool_call']);

const SILENT =
  /^(message|reasoning|compaction|mcp_list_tools|additional_tools)$|_output$|^tool_search/;

function hostedWork(output: readonly Item[]): { parts: Part[]; steps: Step[] } {
  const others = output.filter(({ type }) => !OWN_CALLS.has(type) && !SILENT.test(type));
  const calls = others.filter(isCall).map((item) => ({ item, call: callOf(item) }));
  const unknown = others.filter((item) => !isCall(item));
  return {
    parts: [
      ...calls.map(({ call }): Part => ({ type: 'tool_call', ...call })),
      ...others.flatMap(imageOf),
      ...unknown.map((item): Part => ({
        type: 'unknown',
        kind: item.type,
        json: JSON.stringify(item),
      })),
    ],
    steps: calls.map(({ item, call }): Step => ({
      type: 'tool_call',
      ...call,
      result: resultOf(item),
    })),
  };
}

function isCall({ type }: Item): boolean {
  return type.endsWith('_call') || type === 'mcp_approval_request';
}

function callOf(item: Item) {
  const { type, name, arguments: given, action } = item;
  const called = typeof name === 'string' && name !== '' ? name : type.replace(/_call$/, '');
  if (typeof given === 'string') return { name: called, arguments: given };
  const input = Object.fromEntries(Object.entries(item).filter(([key]) => !BESIDE_INPUT.has(key)));
  const isAction = isMap(action) && Object.keys(input).length === 1;
  return { name: called, arguments: JSON.stringify(isAction ? action : input) };
}

function resultOf(item: Item): string | null {
  const found = RESULTS.map((name) => item[name] ?? null).find((value) => value !== null) ?? null;
  return found === null || typeof found === 'string' ? found : JSON.stringify(found);
}

function imageOf({ type, result, output_format: format }: Item): Part[] {
  if (type !== 'image_generation_call' || typeof result !== 'string') return [];
  const isType = typeof format === 'string' && /^[\w.+-]+$/.test(format);
  return [imagePart(`image/${isType ? format : 'png'}`, result)];
}

type Parameters = Record<string, Json>;

/**
 * Converts parameters of chat completions to parameters of the Responses API.
 * https://developers.openai.com/api/docs/guides/migrate-to-responses
 */
function inResponsesForm(written: Parameters): Parameters {
  const parameters: Parameters = { ...written };
  for (const name of LIMITS) {
    const { [name]: value, max_output_tokens: own } = parameters;
    if (value === undefined || own !== undefined) continue;
    delete parameters[name];
    parameters['max_output_tokens'] = value;
  }
  moveInto(parameters, 'reasoning_effort', ['reasoning', 'effort']);
  moveInto(parameters, 'verbosity', ['text', 'verbosity']);
  const { tools, tool_choice, response_format } = parameters;
  if (response_format !== undefined) {
    parameters['response_format'] = flat(response_format, 'json_schema');
    moveInto(parameters, 'response_format', ['text', 'format']);
  }
  if (Array.isArray(tools)) parameters['tools'] = tools.map(toolIn);
  if (isMap(tool_choice)) parameters['tool_choice'] = choiceIn(tool_choice as Parameters);
  return parameters;
}

function moveInto(parameters: Parameters, name: string, [map, key]: [string, string]): void {
  const value = parameters[name];
  const into = parameters[map] ?? {};
  if (value === undefined || !isMap(into) || key in into) return;
  delete parameters[name];
  parameters[map] = { ...(into as Parameters), [key]: value };
}

function flat(value: Json, name: string): Json {
  if (!isMap(value) || !isMap(value[name])) return value;
  const { [name]: inner, ...rest } = value as Parameters;
  return { ...rest, ...(inner as Parameters) };
}

function toolIn(tool: Json): Json {
  if (!isMap(tool)) return tool;
  if (tool['type'] === 'custom' && isMap(tool['custom'])) {
    const custom = flat(tool as Json, 'custom') as Parameters;
    const { format } = custom;
    return format === undefined ? custom : { ...custom, format: flat(format, 'grammar') };
  }
  if (tool['type'] !== 'function' || !isMap(tool['function'])) return tool as Json;
  // The Responses API makes functions strict by default; chat completions do not.
  return { strict: false, ...(flat(tool as Json, 'function') as Parameters) };
}

function choiceIn(choice: Parameters): Json {
  const [name] = ['function', 'custom', 'allowed_tools'].filter((each) => isMap(choice[each]));
  if (name === undefined) return choice;
  const chosen = flat(choice, name) as Parameters;
  const { tools } = chosen;
  return Array.isArray(tools)
    ? { ...chosen, tools: tools.map((tool) => choiceIn(tool as Parameters)) }
    : chosen;
}
