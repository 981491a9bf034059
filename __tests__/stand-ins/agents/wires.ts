import type { JsonMap } from '../../../src/types/plain.ts';
import {
  composeReply,
  eventText,
  type AgentApi,
  type AgentCall,
  type AgentUsage,
} from '../models/agent-wires.ts';

/** A scripted vendor's answer: text, or a tool call. */
export type Said = string | AgentCall;

export interface WireCase {
  name: string;
  wire: 'anthropic' | 'openai' | 'gemini';
  api: AgentApi;
  path: string;
  /** Headers with which an agent sends its token and the gateway sends the vendor's key. */
  auth(key: string): Record<string, string>;
  body(text: string, more?: JsonMap): JsonMap;
  tools: JsonMap[];
  /** The body's messages after this call got this result. */
  result(said: AgentCall, output: string): JsonMap;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const asked = (content: string) => [{ role: 'user', content }];
const tool = { type: 'object', properties: { id: { type: 'string' } } };

export const ANTHROPIC: WireCase = {
  name: 'Anthropic messages',
  wire: 'anthropic',
  api: 'messages',
  path: '/v1/messages',
  auth: (key) => ({ 'x-api-key': key }),
  body: (text, more) => ({ model: 'm-1', max_tokens: 100, messages: asked(text), ...more }),
  tools: [{ name: 'skill', input_schema: tool }],
  result: (said, content) => ({
    messages: [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', ...said }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
    ],
  }),
};

export const RESPONSES: WireCase = {
  name: 'OpenAI responses',
  wire: 'openai',
  api: 'responses',
  path: '/v1/responses',
  auth: bearer,
  body: (text, more) => ({ model: 'm-1', input: asked(text), ...more }),
  tools: [{ type: 'function', name: 'skill', parameters: tool }],
  result: ({ name, input }, output) => ({
    input: [
      { type: 'function_call', call_id: 'call_1', name, arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: 'call_1', output },
    ],
  }),
};

export const CHAT: WireCase = {
  name: 'OpenAI chat completions',
  wire: 'openai',
  api: 'chat',
  path: '/v1/chat/completions',
  auth: bearer,
  body: (text, more) => ({ model: 'm-1', messages: asked(text), ...more }),
  tools: [{ type: 'function', function: { name: 'skill', parameters: tool } }],
  result: ({ name, input }, content) => {
    const call = { name, arguments: JSON.stringify(input) };
    const tool_calls = [{ id: 'call_1', type: 'function', function: call }];
    return {
      messages: [
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', tool_call_id: 'call_1', content },
      ],
    };
  },
};

export const GEMINI: WireCase = {
  name: 'Gemini',
  wire: 'gemini',
  api: 'gemini',
  path: '/v1beta/models/m-1:generateContent',
  auth: (key) => ({ 'x-goog-api-key': key }),
  body: (text, more) => ({ contents: [{ role: 'user', parts: [{ text }] }], ...more }),
  tools: [{ functionDeclarations: [{ name: 'skill', parametersJsonSchema: tool }] }],
  result: ({ name, input }, output) => ({
    contents: [
      { role: 'model', parts: [{ functionCall: { name, args: input } }] },
      { role: 'user', parts: [{ functionResponse: { name, response: { output } } }] },
    ],
  }),
};

export const WIRES: readonly WireCase[] = [ANTHROPIC, RESPONSES, CHAT, GEMINI];

/** A vendor's reply as JSON and as the pieces of a stream. */
export function replyOf(
  { api }: WireCase,
  said: Said,
  { model = 'm-1', ...usage }: { model?: string } & Partial<AgentUsage> = {},
): { json: string; events: string[] } {
  const reply = typeof said === 'string' ? { text: said } : { call: said };
  const spent = { input: 100, cached: 40, output: 7, thoughts: 2, ...usage };
  const { body, events } = composeReply({ api, model, bytes: 0 }, 1, reply, spent);
  return { json: JSON.stringify(body), events: eventText(events) };
}
