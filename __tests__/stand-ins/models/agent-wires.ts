import { isMap, type Json, type JsonMap } from '../../../src/types/plain.ts';

/**
 * The four APIs that agents call. This file parses requests into one shape, checks them as the
 * vendors do, and formats replies.
 */

export type AgentApi = 'messages' | 'responses' | 'chat' | 'gemini';

export interface AgentCall {
  name: string;
  input: JsonMap;
}

export type AgentReply = { call: AgentCall } | { text: string };

export interface AgentRequest {
  api: AgentApi;
  model: string;
  isStream: boolean;
  tools: string[];
  /** System prompt, messages, results of tools and descriptions of skill tools. */
  text: string;
  /** The last text of the user before the model's first turn. */
  task: string;
  calls: { name: string; input: string }[];
  bytes: number;
}

interface Turn {
  role: string;
  kind: 'text' | 'call' | 'result';
  text: string;
  id: string;
  name: string;
}

interface Wire {
  turns(body: JsonMap): Turn[];
  /** The vendor's error, or null. */
  fault(body: JsonMap, turns: readonly Turn[], headers: Headers): string | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const list = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isMap) : []);
const string = (value: Json | undefined) => (typeof value === 'string' ? value : '');
const json = (value: Json | undefined) =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '');

function flat(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(flat).join('\n');
  if (!isMap(value)) return '';
  return flat(value['text'] ?? value['content'] ?? value['output'] ?? value['parts']);
}

const turn = (role: string, kind: Turn['kind'], text: string, more: Partial<Turn> = {}): Turn => ({
  role,
  kind,
  text,
  id: '',
  name: '',
  ...more,
});

const bearer = (headers: Headers) => /^Bearer ./.test(string(headers['authorization']));

/** Vendors refuse a call without a result, and a result without a call. */
function pairFault(turns: readonly Turn[], noun: string) {
  const ids = (kind: Turn['kind']) =>
    turns.flatMap((each) => (each.kind === kind ? [each.id] : []));
  const [calls, results] = [ids('call'), ids('result')];
  const open = calls.find((id) => !results.includes(id));
  if (open !== undefined) return `No tool output found for ${noun} ${open}.`;
  const stray = results.find((id) => !calls.includes(id));
  return stray === undefined ? null : `No tool call found for ${noun} ${stray}.`;
}

const messages: Wire = {
  turns: (body) =>
    list(body['messages']).flatMap(({ role, content }) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)).map(
        (part: JsonMap) => {
          const who = string(role);
          if (part['type'] === 'tool_use')
            return turn(who, 'call', json(part['input']), {
              id: string(part['id']),
              name: string(part['name']),
            });
          return part['type'] === 'tool_result'
            ? turn(who, 'result', flat(part['content']), { id: string(part['tool_use_id']) })
            : turn(who, 'text', flat(part));
        },
      ),
    ),
  fault(body, turns, headers) {
    if (headers['x-api-key'] === undefined && !bearer(headers))
      return 'x-api-key header is required';
    if (headers['anthropic-version'] === undefined) return 'anthropic-version: header is required';
    if (!(Number(body['max_tokens']) > 0)) return 'max_tokens: Field required';
    if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role';
    if (turns.some(({ kind, text }) => kind === 'text' && text === ''))
      return 'messages: text content blocks must be non-empty';
    return pairFault(turns, '`tool_use` ids');
  },
};

const responses: Wire = {
  turns: (body) =>
    (typeof body['input'] === 'string'
      ? [{ role: 'user', content: body['input'] }]
      : list(body['input'])
    ).flatMap((item: JsonMap) => {
      const id = string(item['call_id']);
      if (item['type'] === 'function_call')
        return [
          turn('assistant', 'call', string(item['arguments']), { id, name: string(item['name']) }),
        ];
      if (item['type'] === 'function_call_output')
        return [turn('tool', 'result', flat(item['output']), { id })];
      return [turn(string(item['role']), 'text', flat(item['content']))];
    }),
  fault(_body, turns, headers) {
    if (!bearer(headers)) return "You didn't provide an API key.";
    if (turns.length === 0) return "Missing required parameter: 'input'.";
    return pairFault(turns, 'function call');
  },
};

const chat: Wire = {
  turns: (body) =>
    list(body['messages']).flatMap((message) => {
      const role = string(message['role']);
      const id = string(message['tool_call_id']);
      if (role === 'tool') return [turn(role, 'result', flat(message['content']), { id })];
      const calls = list(message['tool_calls']).map((call) => {
        const made = isMap(call['function']) ? call['function'] : {};
        return turn(role, 'call', string(made['arguments']), {
          id: string(call['id']),
          name: string(made['name']),
        });
      });
      const text = flat(message['content']);
      return [...(text === '' ? [] : [turn(role, 'text', text)]), ...calls];
    }),
  fault(body, turns, headers) {
    if (!bearer(headers)) return "You didn't provide an API key.";
    if (string(body['model']) === '') return 'you must provide a model parameter';
    if (turns.length === 0) return "'messages' must not be empty.";
    return pairFault(turns, 'tool_call_id');
  },
};

const gemini: Wire = {
  turns: (body) =>
    list(body['contents']).flatMap(({ role, parts }) =>
      list(parts).map((part) => {
        const who = string(role);
        const call = part['functionCall'];
        if (isMap(call))
          return turn(who, 'call', json(call['args']), { name: string(call['name']) });
        const result = part['functionResponse'];
        if (!isMap(result)) return turn(who, 'text', flat(part));
        const response = isMap(result['response']) ? result['response'] : {};
        return turn(who, 'result', json(response['output'] ?? response));
      }),
    ),
  fault(_body, turns, headers) {
    if (headers['x-goog-api-key'] === undefined && !bearer(headers))
      return "Method doesn't allow unregistered callers.";
    if (turns.length === 0) return 'GenerateContentRequest.contents: contents is not specified';
    if (turns.some(({ role }) => role !== 'user' && role !== 'model'))
      return 'Please use a valid role: user, model.';
    const count = (kind: Turn['kind']): number => turns.filter((each) => each.kind === kind).length;
    return count('call') === count('result')
      ? null
      : 'Please ensure that the number of function response parts is equal to the number of function call parts.';
  },
};

const WIRES: Readonly<Record<AgentApi, Wire>> = { messages, responses, chat, gemini };

function toolsIn(body: JsonMap) {
  const declared = list(body['tools']).flatMap((tool) => {
    const inner = tool['function'] ?? tool['custom'] ?? tool;
    return list(tool['functionDeclarations'] ?? [inner]);
  });
  return declared.map(({ name, type, description }) => ({
    name: string(name ?? type),
    description: string(description),
  }));
}

const systemIn = (body: JsonMap): string =>
  flat(body['system'] ?? body['instructions'] ?? body['systemInstruction']);

function apiOf(path: string): AgentApi | null {
  if (path.endsWith('/v1/messages')) return 'messages';
  if (path.endsWith('/v1/responses')) return 'responses';
  if (path.endsWith('/v1/chat/completions')) return 'chat';
  return /:(?:streamG|g)enerateContent$/.test(path) ? 'gemini' : null;
}

/** Null: an unknown path. */
export function readAgentRequest(
  path: string,
  body: JsonMap,
  headers: Headers,
): AgentRequest | { fault: string } | null {
  const api = apiOf(path);
  if (api === null) return null;
  const wire = WIRES[api];
  const turns = wire.turns(body);
  const tools = toolsIn(body);
  const unnamed = tools.some(({ name }) => !/^[\w.:-]{1,128}$/.test(name));
  const fault = unnamed ? 'tools: invalid name' : wire.fault(body, turns, headers);
  if (fault !== null) return { fault };
  const calls = turns.flatMap(({ kind, name, text }) =>
    kind === 'call' ? [{ name, input: text }] : [],
  );
  const shown = turns.flatMap(({ kind, text }) => (kind === 'call' ? [] : [text]));
  const skills = tools.flatMap(({ name, description }) => (/skill/i.test(name) ? description : []));
  return {
    api,
    calls,
    task: taskIn(turns),
    tools: tools.map(({ name }) => name),
    model: string(body['model']) || (/models\/([^:]+):/.exec(path)?.[1] ?? ''),
    isStream: api === 'gemini' ? /:stream/.test(path) : body['stream'] === true,
    text: [systemIn(body), ...shown, ...skills].join('\n'),
    bytes: JSON.stringify(body).length,
  };
}

/** CLIs add reminders in tags to the user's text. */
function taskIn(turns: readonly Turn[]) {
  const first = turns.findIndex(({ role }) => role === 'assistant' || role === 'model');
  const said = (first === -1 ? turns : turns.slice(0, first)).filter(
    ({ role, kind }) => role === 'user' && kind === 'text',
  );
  const texts = said.map(({ text }) => text.replace(/<(\w[\w-]*)[^>]*>[\s\S]*?<\/\1>/g, '').trim());
  return texts.findLast((text) => text !== '')?.replace(/^"|"$/g, '') ?? '';
}

type StreamEvent = [name: string | null, data: JsonMap | '[DONE]'];

export interface AgentUsage {
  input: number;
  output: number;
  cached: number;
  thoughts: number;
}

/** A reply as a whole body and as a stream. `id` is unique per server. */
export function composeReply(
  request: Pick<AgentRequest, 'api' | 'model' | 'bytes'>,
  id: number,
  reply: AgentReply,
  usage = usageOf(request.bytes, reply),
): { body: JsonMap; events: StreamEvent[] } {
  return COMPOSERS[request.api](
    { id, model: request.model, ...usage },
    'call' in reply ? reply.call : null,
    'text' in reply ? reply.text : '',
  );
}

export function eventText(events: readonly StreamEvent[]): string[] {
  return events.map(([name, data]) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    return `${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`;
  });
}

/** About four characters per token. */
function usageOf(bytes: number, reply: AgentReply): AgentUsage {
  const count = (length: number) => Math.ceil(length / 4);
  const output = count(JSON.stringify(reply).length);
  return { input: count(bytes), output, cached: 0, thoughts: 0 };
}

type Composer = (
  facts: AgentUsage & { id: number; model: string },
  call: AgentCall | null,
  text: string,
) => { body: JsonMap; events: StreamEvent[] };

const named = (data: JsonMap): StreamEvent => [string(data['type']), data];

const COMPOSERS: Readonly<Record<AgentApi, Composer>> = {
  messages({ id, model, input, output, cached }, call, text) {
    const block: JsonMap =
      call === null
        ? { type: 'text', text }
        : { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: call.input };
    const stop = { stop_reason: call === null ? 'end_turn' : 'tool_use', stop_sequence: null };
    const usage = { input_tokens: input - cached, cache_read_input_tokens: cached };
    const base = { id: `msg_${id}`, type: 'message', role: 'assistant', model };
    const delta: JsonMap =
      call === null
        ? { type: 'text_delta', text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) };
    const start = call === null ? { type: 'text', text: '' } : { ...block, input: {} };
    return {
      body: { ...base, content: [block], ...stop, usage: { ...usage, output_tokens: output } },
      events: [
        {
          type: 'message_start',
          message: {
            ...base,
            content: [],
            stop_reason: null,
            usage: { ...usage, output_tokens: 1 },
          },
        },
        { type: 'ping' },
        { type: 'content_block_start', index: 0, content_block: start },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: stop, usage: { output_tokens: output } },
        { type: 'message_stop' },
      ].map((event) => named(event as JsonMap)),
    };
  },
  responses({ id, model, input, output, cached }, call, text) {
    const key = `item_${id}`;
    const item: JsonMap =
      call === null
        ? {
            type: 'message',
            id: key,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: key,
            call_id: `call_${id}`,
            name: call.name,
            arguments: JSON.stringify(call.input),
            status: 'completed',
          };
    const usage = {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    };
    const base = { id: `resp_${id}`, object: 'response', created_at: 1, model };
    const body: JsonMap = { ...base, status: 'completed', output: [item], usage };
    const at = { item_id: key, output_index: 0 };
    const pieces: JsonMap[] =
      call === null
        ? [
            { type: 'response.output_text.delta', ...at, content_index: 0, delta: text },
            { type: 'response.output_text.done', ...at, content_index: 0, text },
          ]
        : [
            {
              type: 'response.function_call_arguments.delta',
              ...at,
              delta: item['arguments'] ?? '',
            },
            {
              type: 'response.function_call_arguments.done',
              ...at,
              arguments: item['arguments'] ?? '',
            },
          ];
    const opened: JsonMap = {
      ...item,
      status: 'in_progress',
      ...(call === null && { content: [] }),
    };
    const events: JsonMap[] = [
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: opened },
      ...pieces,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: body },
    ];
    return {
      body,
      events: events.map((each, index) => named({ ...each, sequence_number: index })),
    };
  },
  chat({ id, model, input, output, cached }, call, text) {
    const calls =
      call === null
        ? {}
        : {
            tool_calls: [
              {
                index: 0,
                id: `call_${id}`,
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(call.input) },
              },
            ],
          };
    const usage = {
      prompt_tokens: input,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens: output,
      total_tokens: input + output,
    };
    const base = { id: `chat_${id}`, created: 1, model };
    const reason = call === null ? 'stop' : 'tool_calls';
    const message = { role: 'assistant', content: call === null ? text : null, ...calls };
    const choice = (delta: JsonMap, finish: string | null): JsonMap => ({
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const chunks = [choice(message, null), choice({}, reason), { choices: [], usage }];
    return {
      body: {
        ...base,
        object: 'chat.completion',
        usage,
        choices: [{ index: 0, finish_reason: reason, message }],
      },
      events: [
        ...chunks.map((each): StreamEvent => [
          null,
          { ...base, object: 'chat.completion.chunk', ...each },
        ]),
        [null, '[DONE]'],
      ],
    };
  },
  gemini({ model, input, output, cached, thoughts }, call, text) {
    const part: JsonMap =
      call === null ? { text } : { functionCall: { name: call.name, args: call.input } };
    const body: JsonMap = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: input,
        cachedContentTokenCount: cached,
        candidatesTokenCount: output - thoughts,
        thoughtsTokenCount: thoughts,
        totalTokenCount: input + output,
      },
      modelVersion: model,
    };
    return { body, events: [[null, body]] };
  },
};
