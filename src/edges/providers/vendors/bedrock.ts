import { hash } from 'node:crypto';
import { z } from 'zod';
import { isMap, member, type Json } from '../../../types/plain.ts';
import { anthropic, anthropicBody, contentBlocks, readMessage, type Turn } from './anthropic.ts';
import { oddMember, type Ask, type Language } from './vendor.ts';

/**
 * Messages, tools and replies are converted from and to Anthropic's form.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export const bedrock: Language = {
  ...anthropic,
  replyName: 'Converse reply',
  pathOf: (model) => `/model/${encodeURIComponent(model)}/converse`,
  body: converseBody,
  read(data, ask) {
    const parsed = reply.safeParse(data);
    return parsed.success ? readMessage(parsed.data, ask) : oddMember(parsed.error);
  },
  batches: null,
};

const INFERENCE = new Map([
  ['max_tokens', 'maxTokens'],
  ['temperature', 'temperature'],
  ['top_p', 'topP'],
  ['stop_sequences', 'stopSequences'],
]);

/** Sent as written. The model itself gets all parameters that are in no list. */
const OWN = ['guardrailConfig', 'performanceConfig', 'requestMetadata', 'serviceTier'];

const TOOLS = ['tools', 'tool_choice'];

function converseBody(ask: Ask): Record<string, unknown> {
  const { parameters, schema, form } = ask;
  const plain = form === 'schema' ? 'plain' : form;
  const jsonSchema =
    schema !== null && form === 'schema'
      ? { name: schema.name, schema: JSON.stringify(schema.json) }
      : null;
  const { messages, system, tools, tool_choice: choice } = anthropicBody({ ...ask, form: plain });
  const given = Object.entries(parameters);
  const inference = given.map(([name, value]) => [INFERENCE.get(name) ?? '', value] as const);
  const more = given.filter(([name]) => ![...INFERENCE.keys(), ...OWN, ...TOOLS].includes(name));
  return {
    ...Object.fromEntries(given.filter(([name]) => OWN.includes(name))),
    messages: converseTurns(messages),
    ...(system !== undefined && { system: [{ text: system }] }),
    inferenceConfig: Object.fromEntries(inference.filter(([name]) => name !== '')),
    ...(more.length > 0 && { additionalModelRequestFields: Object.fromEntries(more) }),
    ...(tools !== undefined && { toolConfig: toolConfig(tools, choice) }),
    ...(jsonSchema && {
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } },
    }),
  };
}

function toolConfig(tools: unknown, choice: unknown): object {
  const specs = [tools].flat().map((tool) => {
    const { name, description, input_schema: json } = tool as Record<string, unknown>;
    return { toolSpec: { name, description, inputSchema: { json } } };
  });
  if (!isMap(choice)) return { tools: specs };
  const { type, name } = choice;
  return { tools: specs, toolChoice: { [String(type)]: type === 'tool' ? { name } : {} } };
}

/** Roles must alternate. */
function converseTurns(messages: readonly Turn[]): object[] {
  const turns: { role: string; content: object[] }[] = [];
  for (const { role, content } of messages) {
    const blocks = contentBlocks(content).map((block) => converseBlock(block as ConverseBlock));
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return turns;
}

type ConverseBlock = Readonly<Record<string, Json>>;

function converseBlock(block: ConverseBlock): object {
  const { type, text, id, name, input, tool_use_id, content, thinking, signature, source } = block;
  switch (type) {
    case 'text':
      return { text };
    case 'tool_use':
      return { toolUse: { toolUseId: id, name, input } };
    case 'tool_result':
      return {
        toolResult: { toolUseId: tool_use_id, content: content ? [{ text: content }] : [] },
      };
    case 'thinking':
      return { reasoningContent: { reasoningText: { text: thinking, signature } } };
    case 'redacted_thinking':
      return { reasoningContent: { redactedContent: block['data'] } };
    default: {
      const { media_type = '', data: bytes = '' } = source as Record<string, string>;
      const file = { format: media_type.replace(/^.*\//, ''), source: { bytes } };
      return { [String(type)]: type === 'image' ? file : { ...file, name: hash('sha256', bytes) } };
    }
  }
}

const reply = z
  .object({
    output: z.object({
      message: z.object({ content: z.array(z.looseObject({ text: z.string().nullish() })) }),
    }),
    stopReason: z.string().nullish(),
    usage: z.looseObject({}).nullish().catch(null),
  })
  .transform(({ output, stopReason, usage }) => ({
    type: 'message',
    content: output.message.content.map(messageBlock),
    stop_reason: stopReason,
    usage: usage && {
      input_tokens: usage['inputTokens'],
      output_tokens: usage['outputTokens'],
      cache_read_input_tokens: usage['cacheReadInputTokens'],
      cache_creation_input_tokens: usage['cacheWriteInputTokens'],
    },
  }));

/** The only member of Converse's blocks is their type. */
function messageBlock(block: Record<string, unknown>): object {
  const [[type = '', inner] = []] = Object.entries(block);
  switch (type) {
    case 'text':
      return { type, text: inner };
    case 'toolUse': {
      const [id, name, input] = ['toolUseId', 'name', 'input'].map((each) => member(inner, each));
      return { type: 'tool_use', id, name, input };
    }
    case 'reasoningContent': {
      const redacted = member(inner, 'redactedContent');
      if (redacted !== undefined) return { type: 'redacted_thinking', data: redacted };
      const { text: thinking = '', ...signed } = (member(inner, 'reasoningText') ??
        {}) as ConverseBlock;
      return { type: 'thinking', thinking, ...signed };
    }
    default:
      return { type };
  }
}
