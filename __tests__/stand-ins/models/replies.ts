import type http from 'node:http';
import type { Api } from '../../../src/types/vendors/facts.ts';
import type { Scripted, Seen } from './server.ts';

/** The vendors' responses in their own formats. */
export function reply(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

type ModelError = NonNullable<Scripted['error']>;
const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  ...{ 400: 'invalid_request_error', 401: 'authentication_error', 403: 'permission_error' },
  ...{ 404: 'not_found_error', 429: 'rate_limit_error', 500: 'api_error', 529: 'overloaded_error' },
};

export function refuse(
  response: http.ServerResponse,
  vendor: Api,
  { status, ...error }: ModelError & { status: number },
  headers?: Record<string, string>,
): void {
  reply(response, status, errorBody(vendor, error, status), headers);
}

function errorBody(vendor: Api, { message, code, type, param }: ModelError, status: number) {
  if (vendor === 'anthropic') {
    const kind = type ?? code ?? ANTHROPIC_TYPES[status] ?? 'api_error';
    return { type: 'error', error: { type: kind, message }, request_id: 'req_1' };
  }
  const kind = type ?? 'invalid_request_error';
  return { error: { message, type: kind, param: param ?? null, code: code ?? null } };
}

type Usage = NonNullable<Scripted['usage']>;
const used = <T>(usage: Usage | null, form: (usage: Usage) => T): { usage?: T } =>
  usage === null ? {} : { usage: form(usage) };

/** The body of an answer, or of an error if the status is not 200. */
export function answerBody(seen: Seen, { status = 200, ...scripted }: Scripted): unknown {
  if (status !== 200)
    return errorBody(seen.vendor, scripted.error ?? { message: `scripted ${status}` }, status);
  const { text = 'ok', usage = { input: 10, output: 5 }, finish, vector = [1, 0] } = scripted;
  const answer = { text, usage, finish, output: scripted.output ?? [] };
  if (seen.embedding) return embeddingReply(seen, vector, usage);
  if ('input' in seen.body) return responsesReply(seen, answer);
  return seen.vendor === 'openai' ? openaiReply(seen, answer) : anthropicReply(seen, answer);
}

interface Answer {
  text: string;
  usage: Usage | null;
  finish: string | undefined;
  /** Items of the Responses API before the message. */
  output: unknown[];
}

const cacheDetails = ({ read = 0, written = 0 }: Usage) => ({
  cached_tokens: read,
  cache_write_tokens: written,
});

function responsesReply({ model, index }: Seen, answer: Answer): unknown {
  const { text, usage, finish, output } = answer;
  const content = [{ type: 'output_text', text, annotations: [] }];
  return {
    ...{ id: `resp_${index}`, object: 'response', model, error: null },
    status: finish === undefined ? 'completed' : 'incomplete',
    incomplete_details: finish === undefined ? null : { reason: finish },
    output: [
      { type: 'reasoning', id: `rs_${index}`, summary: [] },
      ...output,
      ...[{ type: 'message', id: `msg_${index}`, role: 'assistant', status: 'completed', content }],
    ],
    ...used(usage, ({ input, output, ...cached }) => ({
      ...{ input_tokens: input, output_tokens: output },
      input_tokens_details: cacheDetails({ input, output, ...cached }),
    })),
  };
}

function embeddingReply({ model, messages }: Seen, embedding: number[], usage: Usage | null) {
  return {
    ...{ object: 'list', model },
    data: messages.map((_, index) => ({ object: 'embedding', index, embedding })),
    ...used(usage, ({ input }) => ({ prompt_tokens: input, total_tokens: input })),
  };
}

function openaiReply({ model, index, schema, body }: Seen, answer: Answer): unknown {
  const { text, usage, finish = 'stop' } = answer;
  const message = { role: 'assistant', content: text, refusal: null, annotations: [] };
  const called = { name: schema?.name, arguments: text };
  const tool_calls = [{ id: `call_${index}`, type: 'function', function: called }];
  const isForced = schema !== null && !('response_format' in body);
  const said = isForced ? { ...message, content: null, tool_calls } : message;
  return {
    ...{ id: `chatcmpl-${index}`, object: 'chat.completion', created: 1_700_000_000, model },
    ...{ service_tier: 'default', system_fingerprint: null },
    choices: [{ index: 0, finish_reason: finish, logprobs: null, message: said }],
    ...used(usage, ({ input, output, ...cached }) => ({
      ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      prompt_tokens_details: cacheDetails({ input, output, ...cached }),
    })),
  };
}

function anthropicReply({ model, index, schema, body }: Seen, answer: Answer): unknown {
  const { text, usage, finish } = answer;
  const tool = schema !== null && 'tools' in body ? schema.name : null;
  const content =
    tool === null
      ? { type: 'text', text, citations: null }
      : { type: 'tool_use', id: `toolu_${index}`, name: tool, input: JSON.parse(text) as unknown };
  return {
    ...{ id: `msg_${index}`, type: 'message', role: 'assistant', model, content: [content] },
    ...{ container: null, stop_sequence: null },
    stop_reason: finish ?? (tool === null ? 'end_turn' : 'tool_use'),
    ...used(usage, ({ input, output, read = 0, written = 0 }) => ({
      ...{ input_tokens: input - read - written, output_tokens: output },
      ...{ cache_creation_input_tokens: written, cache_read_input_tokens: read },
    })),
  };
}
