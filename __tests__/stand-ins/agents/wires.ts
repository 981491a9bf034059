import type { JsonMap } from '../../../src/types/plain.ts';

/** A scripted vendor's answer: text, or a tool call. */
export type Said = string | { name: string; input: JsonMap };

export interface WireCase {
  name: string;
  wire: 'anthropic' | 'openai' | 'gemini';
  path: string;
  /** Headers with which an agent sends its token and the gateway sends the vendor's key. */
  auth(key: string): Record<string, string>;
  body(text: string, more?: JsonMap): JsonMap;
  /**
   * The reply as JSON and as stream events. Usage: 100 input tokens, of which 40 are cached, and 7
   * output tokens.
   */
  reply(said: Said, model: string): JsonMap;
  events(said: Said, model: string): (JsonMap | string)[];
  tools: JsonMap[];
  /** The body's messages after this call got this result. */
  result(said: Exclude<Said, string>, output: string): JsonMap;
}

const tool = { type: 'object', properties: { id: { type: 'string' } } };

function anthropicBlock(said: Said): JsonMap {
  return typeof said === 'string'
    ? { type: 'text', text: said }
    : { type: 'tool_use', id: 'toolu_1', name: said.name, input: said.input };
}

const anthropic: WireCase = {
  name: 'Anthropic messages',
  wire: 'anthropic',
  path: '/v1/messages',
  auth: (key) => ({ 'x-api-key': key }),
  body: (text, more = {}) => ({
    model: 'm-1',
    max_tokens: 100,
    messages: [{ role: 'user', content: text }],
    ...more,
  }),
  reply: (said, model) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [anthropicBlock(said)],
    stop_reason: typeof said === 'string' ? 'end_turn' : 'tool_use',
    usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 7 },
  }),
  events(said, model) {
    const message = { ...anthropic.reply(said, model), content: [], stop_reason: null };
    const started = {
      ...message,
      usage: { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 1 },
    };
    const isText = typeof said === 'string';
    return [
      { type: 'message_start', message: started },
      { type: 'ping' },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { ...anthropicBlock(said), ...(isText ? { text: '' } : { input: {} }) },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: isText
          ? { type: 'text_delta', text: said }
          : { type: 'input_json_delta', partial_json: JSON.stringify(said.input) },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
      { type: 'message_stop' },
    ];
  },
  tools: [{ name: 'skill', input_schema: tool }],
  result: (said, content) => ({
    messages: [
      { role: 'assistant', content: [anthropicBlock(said)] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
    ],
  }),
};

const responses: WireCase = {
  name: 'OpenAI responses',
  wire: 'openai',
  path: '/v1/responses',
  auth: (key) => ({ authorization: `Bearer ${key}` }),
  body: (text, more = {}) => ({ model: 'm-1', input: [{ role: 'user', content: text }], ...more }),
  reply: (said, model) => ({
    id: 'resp_1',
    object: 'response',
    model,
    status: 'completed',
    error: null,
    output: [
      typeof said === 'string'
        ? { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said }] }
        : {
            type: 'function_call',
            call_id: 'call_1',
            name: said.name,
            arguments: JSON.stringify(said.input),
          },
    ],
    usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 7 },
  }),
  events(said, model) {
    const response = responses.reply(said, model);
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.completed', response },
    ];
  },
  tools: [{ type: 'function', name: 'skill', parameters: tool }],
  result: ({ name, input }, output) => ({
    input: [
      { type: 'function_call', call_id: 'call_1', name, arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: 'call_1', output },
    ],
  }),
};

const chat: WireCase = {
  name: 'OpenAI chat completions',
  wire: 'openai',
  path: '/v1/chat/completions',
  auth: (key) => ({ authorization: `Bearer ${key}` }),
  body: (text, more = {}) => ({
    model: 'm-1',
    messages: [{ role: 'user', content: text }],
    ...more,
  }),
  reply: (said, model) => ({
    object: 'chat.completion',
    model,
    choices: [{ index: 0, finish_reason: 'stop', message: chatMessage(said) }],
    usage: CHAT_USAGE,
  }),
  events(said, model) {
    const chunk = { object: 'chat.completion.chunk', model };
    return [
      { ...chunk, choices: [{ index: 0, delta: chatMessage(said), finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage: CHAT_USAGE },
      '[DONE]',
    ];
  },
  tools: [{ type: 'function', function: { name: 'skill', parameters: tool } }],
  result: (said, content) => ({
    messages: [chatMessage(said), { role: 'tool', tool_call_id: 'call_1', content }],
  }),
};

const CHAT_USAGE = {
  prompt_tokens: 100,
  prompt_tokens_details: { cached_tokens: 40 },
  completion_tokens: 7,
};

function chatMessage(said: Said): JsonMap {
  if (typeof said === 'string') return { role: 'assistant', content: said };
  const call = { name: said.name, arguments: JSON.stringify(said.input) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }],
  };
}

const gemini: WireCase = {
  name: 'Gemini',
  wire: 'gemini',
  path: '/v1beta/models/m-1:generateContent',
  auth: (key) => ({ 'x-goog-api-key': key }),
  body: (text, more = {}) => ({ contents: [{ role: 'user', parts: [{ text }] }], ...more }),
  reply: (said, model) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            typeof said === 'string'
              ? { text: said }
              : { functionCall: { name: said.name, args: said.input } },
          ],
        },
        finishReason: 'STOP',
      },
    ],
    usageMetadata: {
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
    },
    modelVersion: model,
  }),
  events: (said, model) => [gemini.reply(said, model)],
  tools: [{ functionDeclarations: [{ name: 'skill', parametersJsonSchema: tool }] }],
  result: ({ name, input }, output) => ({
    contents: [
      { role: 'model', parts: [{ functionCall: { name, args: input } }] },
      { role: 'user', parts: [{ functionResponse: { name, response: { output } } }] },
    ],
  }),
};

export const WIRES: readonly WireCase[] = [anthropic, responses, chat, gemini];

export const [ANTHROPIC, RESPONSES, CHAT, GEMINI] = [anthropic, responses, chat, gemini];

export function eventText(events: readonly (JsonMap | string)[]): string[] {
  return events.map(
    (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
  );
}
