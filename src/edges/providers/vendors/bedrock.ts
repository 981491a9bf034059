import { z } from 'zod';
import type { FilePart } from '../../../types/media.ts';
import { isMap, parsedJson, type Json, type JsonMap } from '../../../types/plain.ts';
import { callIn, classifyReply, unknownParts } from './endings.ts';
import { contentAs, type PartForms } from './files.ts';
import { separateThinking } from './thinking.ts';
import { argumentsMap, vendorMessages, type SentMessage } from './transcript.ts';
import {
  cachedTokens,
  oddMember,
  type Ask,
  type Language,
  type ReadAs,
  type VendorAnswer,
  type VendorOutput,
} from './vendor.ts';

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
export const bedrock: Language = {
  replyName: 'Converse reply',
  connect({ baseUrl, fetch }) {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    return Promise.resolve(async (body, path = '') => {
      const text = JSON.stringify(body);
      const response = await fetch(`${baseUrl}${path}`, { method: 'POST', headers, body: text });
      if (response.ok) return response;
      const { status, headers: given } = response;
      const error = parsedJson(await response.text());
      throw Object.assign(new Error(), { status, headers: given, error });
    });
  },
  pathOf: (model) => `/model/${encodeURIComponent(model)}/converse`,
  refuses: ({ stream }) =>
    stream === true ? 'the parameter stream cannot be true here; remove it' : null,
  body: converseBody,
  read: readConverse,
  texts: null,
  responses: null,
  batches: null,
};

/** Converse's names of parameters that prompts write as for other vendors. */
const INFERENCE: Readonly<Record<string, string>> = {
  max_tokens: 'maxTokens',
  max_completion_tokens: 'maxTokens',
  temperature: 'temperature',
  top_p: 'topP',
  stop: 'stopSequences',
  stop_sequences: 'stopSequences',
};

const TOOLS = new Set(['tools', 'tool_choice']);

/** Sent as written. The model itself gets all other parameters. */
const NATIVE =
  /^(inferenceConfig|toolConfig|guardrailConfig|additionalModel\w+|performanceConfig|requestMetadata|serviceTier|outputConfig|promptVariables)$/;

function converseBody(ask: Ask): Record<string, unknown> {
  const { parameters } = ask;
  const sent = vendorMessages(ask, 'converse');
  const system = sent
    .filter(({ role }) => role === 'system')
    .map(({ content: text }) => ({ text }));
  const given = Object.entries(parameters);
  const pick = (holds: (name: string) => boolean) => given.filter(([name]) => holds(name));
  const native = Object.fromEntries(pick((name) => NATIVE.test(name)));
  const inference = pick((name) => name in INFERENCE).map(([name, value]) => {
    const isList = name.startsWith('stop');
    return [INFERENCE[name] ?? name, isList ? [value].flat() : value] as const;
  });
  const rest = pick((name) => !(name in INFERENCE) && !TOOLS.has(name) && !NATIVE.test(name));
  const more = (name: string, own: Record<string, unknown>) => {
    const all = { ...own, ...(native[name] as JsonMap | undefined) };
    return Object.keys(all).length === 0 ? {} : { [name]: all };
  };
  return {
    ...native,
    messages: converseTurns(sent, ask),
    ...(system.length > 0 && { system }),
    ...more('inferenceConfig', Object.fromEntries(inference)),
    ...more('additionalModelRequestFields', Object.fromEntries(rest)),
    ...more('toolConfig', toolsOf(ask)),
    ...(ask.schema !== null && ask.form === 'schema' && { outputConfig: outputOf(ask.schema) }),
  };
}

function outputOf({ name, json }: NonNullable<Ask['schema']>): object {
  const jsonSchema = { name, schema: JSON.stringify(json) };
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } };
}

function toolsOf({ schema, form, parameters }: Ask): Record<string, unknown> {
  if (schema !== null && form === 'tool') {
    const { name, json } = schema;
    const inputSchema = { json };
    const description = 'Give the answer in this form.';
    return {
      tools: [{ toolSpec: { name, description, inputSchema } }],
      toolChoice: { tool: { name } },
    };
  }
  const { tools, tool_choice: choice } = parameters;
  if (!Array.isArray(tools)) return {};
  return { tools: tools.map(toolSpec), ...(choice && { toolChoice: toolChoice(choice) }) };
}

/** From the form of OpenAI or Anthropic. */
function toolSpec(tool: Json): Json {
  if (!isMap(tool) || 'toolSpec' in tool) return tool;
  const {
    name,
    description,
    parameters,
    input_schema: json = parameters,
  } = (isMap(tool['function']) ? tool['function'] : tool) as JsonMap;
  return { toolSpec: { name, ...(description && { description }), inputSchema: { json } } } as Json;
}

function toolChoice(choice: Json): Json {
  const kind = isMap(choice) ? choice['type'] : choice;
  if (kind === 'auto') return { auto: {} };
  if (kind === 'any' || kind === 'required') return { any: {} };
  const named = isMap(choice) ? (choice['function'] ?? choice) : {};
  return isMap(named) && 'name' in named ? { tool: { name: named['name'] as Json } } : choice;
}

/** Roles must alternate, and results of tools are the user's. */
function converseTurns(messages: readonly SentMessage[], ask: Ask): object[] {
  const turns: { role: string; content: object[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message, ask));
    else turns.push({ role, content: blocksOf(message, ask) });
  }
  return turns;
}

function blocksOf(message: SentMessage, ask: Ask): object[] {
  const { content: text } = message;
  const texts = text.trim() === '' ? [] : [{ text }];
  if (message.role === 'tool') return [{ toolResult: { toolUseId: message.id, content: texts } }];
  if (message.own !== undefined) return message.own as object[];
  const said = contentAs(message, ask, PARTS);
  const uses = (message.tool_calls ?? []).map(({ id, name, arguments: given }) => ({
    toolUse: { toolUseId: id, name, input: argumentsMap(given) },
  }));
  return [...(typeof said === 'string' ? texts : said), ...uses];
}

const PARTS: PartForms = {
  text: (text) => ({ text }),
  file: ({ type, media_type, path }: FilePart, bytes) => {
    const block = { format: media_type.replace(/^.*\//, ''), source: { bytes } };
    return type === 'image'
      ? { image: block }
      : {
          document: {
            ...block,
            name: path
              .replace(/[^A-Za-z0-9]+/g, ' ')
              .trim()
              .slice(-100),
          },
        };
  },
};

const count = z.int().nonnegative();

const usage = z
  .object({
    inputTokens: count,
    outputTokens: count,
    cacheReadInputTokens: count.nullish(),
    cacheWriteInputTokens: count.nullish(),
  })
  .transform((given): Pick<VendorOutput, 'usage' | 'cached'> => {
    const { cacheReadInputTokens: read, cacheWriteInputTokens: written } = given;
    const input_tokens = given.inputTokens + (read ?? 0) + (written ?? 0);
    return {
      usage: { input_tokens, output_tokens: given.outputTokens },
      ...cachedTokens(input_tokens, { read, written }),
    };
  })
  .nullable()
  .catch(null)
  .default(null);

const block = z.looseObject({ text: z.string().nullish() });

const reply = z.object({
  output: z.object({ message: z.object({ content: z.array(block) }) }),
  stopReason: z.string().nullish(),
  usage,
});

function readConverse(data: unknown, ask: ReadAs): VendorAnswer {
  const parsed = reply.safeParse(data);
  if (!parsed.success) return oddMember(parsed.error);
  const { output, stopReason, usage: counted } = parsed.data;
  const { content } = output.message;
  // The only member of a block is its type.
  const blocks = content.map((each) => ({ ...each, type: Object.keys(each)[0] ?? '' }));
  const calls = content.flatMap(({ toolUse }, index) =>
    toolUse === undefined ? [] : [callIn(toolUse, `output.message.content[${index}].toolUse`)],
  );
  const thinks = blocks.some(({ type }) => type === 'reasoningContent');
  return classifyReply(
    {
      ...separateThinking(blocks),
      ...(counted ?? { usage: null }),
      calls,
      refusal: '',
      others: unknownParts(blocks, /^toolUse$/),
      reason: stopReason,
      member: 'stopReason',
      model: null,
      opaque: { api: 'converse', data: thinks ? (content as Json) : null },
    },
    ask,
  );
}
