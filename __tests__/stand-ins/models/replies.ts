import type http from 'node:http';
import { parseExactly } from '../../../src/types/exact-json.ts';
import type { Api } from '../../../src/types/vendors/facts.ts';
import type { Scripted, Seen } from './server.ts';
import { signatureOf } from './transcripts.ts';

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
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
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
  const { usage = { input: 10, output: 5 }, finish, vector = [1, 0] } = scripted;
  const { calls = [], thought = null, output = [] } = scripted;
  const text = scripted.text ?? (calls.length === 0 ? 'ok' : '');
  const answer = { text, usage, finish, output, calls, thought };
  if (seen.embedding) return embeddingReply(seen, vector, usage);
  if (seen.moderation === true)
    return moderationReply(seen, scripted.scores ?? { violence: 0.001 });
  if ('input' in seen.body) return responsesReply(seen, answer);
  return seen.vendor === 'openai' ? openaiReply(seen, answer) : anthropicReply(seen, answer);
}

interface Answer {
  text: string;
  usage: Usage | null;
  finish: string | undefined;
  /** Items of the Responses API before the message. */
  output: unknown[];
  calls: { name: string; arguments: string }[];
  thought: string | null;
}

const cacheDetails = ({ read = 0, written = 0 }: Usage) => ({
  cached_tokens: read,
  cache_write_tokens: written,
});

function responsesReply({ model, index, body }: Seen, answer: Answer): unknown {
  const { text, usage, finish, output, calls, thought } = answer;
  const content = [{ type: 'output_text', text, annotations: [] }];
  const message = { type: 'message', id: `msg_${index}`, role: 'assistant', content };
  const isSealed = JSON.stringify(body['include'] ?? '').includes('reasoning.encrypted_content');
  const sealed = isSealed && thought !== null ? { encrypted_content: signatureOf(thought) } : {};
  return {
    id: `resp_${index}`,
    object: 'response',
    model,
    error: null,
    status: finish === undefined ? 'completed' : 'incomplete',
    incomplete_details: finish === undefined ? null : { reason: finish },
    output: [
      { type: 'reasoning', id: `rs_${index}`, summary: [], ...sealed },
      ...output,
      ...(text === '' && calls.length > 0 ? [] : [{ ...message, status: 'completed' }]),
      ...calls.map((call, at) => ({
        type: 'function_call',
        id: `fc_${index}_${at}`,
        call_id: `call_${index}_${at}`,
        ...call,
        status: 'completed',
      })),
    ],
    ...used(usage, ({ input, output, ...cached }) => ({
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: cacheDetails({ input, output, ...cached }),
    })),
  };
}

function embeddingReply({ model, messages }: Seen, embedding: number[], usage: Usage | null) {
  return {
    object: 'list',
    model,
    data: messages.map((_, index) => ({ object: 'embedding', index, embedding })),
    ...used(usage, ({ input }) => ({ prompt_tokens: input, total_tokens: input })),
  };
}

function moderationReply({ model, index }: Seen, scores: Record<string, number>) {
  const flags = Object.entries(scores).map(([name, score]) => [name, score >= 0.5] as const);
  const flagged = flags.some(([, isFlagged]) => isFlagged);
  const result = { flagged, categories: Object.fromEntries(flags), category_scores: scores };
  return { id: `modr-${index}`, model, results: [result] };
}

function openaiReply({ model, index, schema, body }: Seen, answer: Answer): unknown {
  const { text, usage, calls, thought } = answer;
  const finish = answer.finish ?? (calls.length === 0 ? 'stop' : 'tool_calls');
  const message = { role: 'assistant', content: text, refusal: null, annotations: [] };
  const made = {
    ...message,
    ...toldCalls(model, index, calls, thought),
    ...(text === '' && { content: null }),
  };
  const called = { name: schema?.name, arguments: text };
  const tool_calls = [{ id: `call_${index}`, type: 'function', function: called }];
  const isForced = schema !== null && !('response_format' in body);
  const said = isForced
    ? { ...message, content: null, tool_calls }
    : calls.length > 0
      ? made
      : { ...message, ...thoughtMember(model, thought) };
  return {
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    service_tier: 'default',
    system_fingerprint: null,
    choices: [{ index: 0, finish_reason: finish, logprobs: null, message: said }],
    ...used(usage, ({ input, output, ...cached }) => ({
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: cacheDetails({ input, output, ...cached }),
    })),
  };
}

/** Where each vendor puts the model's thinking. */
function thoughtMember(model: string, thought: string | null): object {
  if (thought === null || !/^deepseek-|\//.test(model)) return {};
  return model.includes('/')
    ? {
        reasoning_details: [
          { type: 'reasoning.text', text: thought, signature: signatureOf(thought) },
        ],
      }
    : { reasoning_content: thought };
}

function toldCalls(
  model: string,
  index: number,
  calls: Answer['calls'],
  thought: string | null,
): object {
  const google = { extra_content: { google: { thought_signature: signatureOf(thought ?? '') } } };
  const idOf = (at: number) =>
    model.startsWith('mistral-')
      ? `Qx${String(index * 10 + at).padStart(7, '0')}`
      : `call_${index}_${at}`;
  return {
    ...thoughtMember(model, thought),
    tool_calls: calls.map((call, at) => ({
      id: idOf(at),
      type: 'function',
      function: call,
      // Google signs only the first of parallel calls.
      ...(thought !== null && model.startsWith('gemini-') && at === 0 ? google : {}),
    })),
  };
}

function anthropicReply({ model, index, schema, body }: Seen, answer: Answer): unknown {
  const { text, usage, finish, calls, thought } = answer;
  const tool = calls.length === 0 && schema !== null && 'tools' in body ? schema.name : null;
  const content =
    tool === null
      ? { type: 'text', text, citations: null }
      : { type: 'tool_use', id: `toolu_${index}`, name: tool, input: JSON.parse(text) as unknown };
  return {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...(thought === null
        ? []
        : [{ type: 'thinking', thinking: thought, signature: signatureOf(thought) }]),
      content,
      ...calls.map((call, at) => ({
        type: 'tool_use',
        id: `toolu_${index}_${at}`,
        name: call.name,
        input: parseExactly(call.arguments),
      })),
    ],
    container: null,
    stop_sequence: null,
    stop_reason: finish ?? (tool === null && calls.length === 0 ? 'end_turn' : 'tool_use'),
    ...used(usage, ({ input, output, read = 0, written = 0 }) => ({
      input_tokens: input - read - written,
      output_tokens: output,
      cache_creation_input_tokens: written,
      cache_read_input_tokens: read,
    })),
  };
}
