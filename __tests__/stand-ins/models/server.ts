import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import type { Api } from '../../../src/types/vendors/facts.ts';
import { factsOf, perVendor, type VendorName } from '../../../src/types/vendors.ts';
import { createStoodBatches, vendorOfBatch, type BatchScript, type StoodBatch } from './batches.ts';
import { createStoodCache } from './prompt-cache.ts';
import { refusedByModel, type ModelRefusal } from './rules.ts';
import { anthropicRequest, embeddingRequest, openaiRequest, responsesRequest } from './wire.ts';

/**
 * A model server on loopback that speaks both vendors' batches (`batches.ts`), OpenAI's chat
 * completions (`/v1/chat/completions`) and embeddings (`/v1/embeddings`), and Anthropic's messages
 * (`/v1/messages`). It checks every request as the vendors do and answers as a script says, with
 * every misbehaviour that a server, a proxy or an attacker has to offer.
 */

/** A request that passed the vendor's rules. */
export interface Seen {
  vendor: Api;
  /** Counts from 0 over all requests to this server, refused ones included. */
  index: number;
  model: string;
  /** A vector is asked for; the one message is its text. */
  embedding: boolean;
  /** With the system prompt in front, whichever vendor's. */
  messages: { role: string; content: string }[];
  /** The body as it came. */
  body: Record<string, unknown>;
  headers: http.IncomingHttpHeaders;
  /** The answer's schema, where one was asked for. */
  schema: { name: string; json: unknown } | null;
}

export interface Scripted {
  /** What the model says; with a schema the JSON text of the answer. Default: `ok`. */
  text?: string;
  /** The vector, where one is asked for. Default: `[1, 0]`. */
  vector?: number[];
  /**
   * Null: the reply carries none. Default: 10 in, 5 out. `read`, `written`: what of the input went
   * through the vendor's cache.
   */
  usage?: { input: number; output: number; read?: number; written?: number } | null;
  finish?: string;
  delayMs?: number;
  status?: number;
  headers?: Record<string, string>;
  /** Replaces the vendor's reply, or its error for a status other than 200. */
  body?: string | Buffer;
  /** The vendor's error message and code for a status other than 200. */
  error?: { message: string; code?: string; type?: string; param?: string };
  /**
   * `reset`: the socket is destroyed without a reply. `cut`: half the body, then the end.
   * `trickle`: blanks without end. `silent`: nothing, ever. `bomb`: 64 MiB of blanks in a small
   * gzip. `endless`: a body without end, as fast as it goes.
   */
  fault?: 'reset' | 'cut' | 'trickle' | 'silent' | 'bomb' | 'endless';
}

export type Script = (request: Seen) => Scripted | Promise<Scripted>;

export interface ModelServer {
  /** Without a path, as Anthropic's SDK takes it. */
  url: string;
  /** With `/v1`, as OpenAI's SDK takes it. */
  openaiUrl: string;
  requests: Seen[];
  /** Requests that broke the vendor's rules, with the vendor's message. */
  refused: string[];
  /** Batches that were begun. */
  batches: StoodBatch[];
  /** Every request that came, as `GET /v1/…`. */
  calls: string[];
  /** Most requests that were under way at once. */
  peak(): number;
  close(): Promise<void>;
}

export interface ServerOptions {
  answer?: Script;
  /** The key that is asked for; undefined: any, or none. */
  key?: string;
  batches?: BatchScript;
  /** Counts the input of direct calls, and what of it the vendor's prompt cache holds. */
  caching?: boolean;
}

let packed: Buffer | null = null;
/** 64 MiB of blanks in 64 kB. */
const bomb = (): Buffer => (packed ??= gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')));

export async function startModelServer({
  answer = () => ({}),
  key,
  batches = {},
  caching = false,
}: ServerOptions = {}): Promise<ModelServer> {
  const requests: Seen[] = [];
  const refused: string[] = [];
  const sockets = new Set<Socket>();
  const calls: string[] = [];
  const stood = createStoodBatches(
    batches,
    {
      check: (vendor, body) => read(vendor, body as Record<string, unknown>),
      answer,
      replyBody,
      errorBody,
      reply: (response, status, body, headers) => {
        reply(response, status, body, headers);
      },
    },
    refused,
  );
  const cache = caching ? createStoodCache() : null;
  let count = 0;
  let underWay = 0;
  let peak = 0;

  const handle = async (
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> => {
    const index = count++;
    const batch = vendorOfBatch(request.url);
    const vendor = batch ?? vendorOf(request);
    const bytes = await bodyOf(request);
    const raw = batch === null ? bytes.toString('utf8') : '';
    calls.push(`${request.method} ${request.url}`);
    if (vendor === null)
      return reply(response, 404, {
        error: {
          message: `Unknown request URL: ${request.method} ${request.url}`,
          type: 'invalid_request_error',
        },
      });
    if (key !== undefined && presented(vendor, request) !== key) {
      return reply(
        response,
        401,
        errorBody(
          vendor,
          {
            message: `Incorrect API key provided: ${presented(vendor, request)}. ::error::no`,
            code: 'invalid_api_key',
          },
          401,
        ),
      );
    }
    if (batch !== null && (await stood.handle(request, bytes, response))) return;
    const embedding = request.url === EMBEDDINGS;
    const responses = request.url === RESPONSES;
    const checked = check(vendor, raw, request.headers, { embedding, responses });
    if ('problem' in checked) {
      refused.push(checked.problem);
      return refuse(response, vendor, { status: 400, message: checked.problem });
    }
    const rule =
      embedding || responses ? null : refusedByModel(vendor, checked.body, request.headers);
    if (rule !== null) {
      refused.push(rule.message);
      return refuse(response, vendor, rule);
    }
    const seen: Seen = { ...checked, embedding, vendor, index, headers: request.headers };
    requests.push(seen);
    const cached = cache?.arrive(seen);
    const scripted = await answer(seen);
    if ((scripted.delayMs ?? 0) > 0)
      await new Promise((resolve) => setTimeout(resolve, scripted.delayMs));
    cached?.answered();
    const usage = cached === undefined ? {} : { usage: { output: 5, ...cached.counted } };
    send(response, seen, { ...scripted, ...usage });
  };
  const server = http.createServer((request, response) => {
    peak = Math.max(peak, ++underWay);
    response.on('close', () => {
      underWay--;
    });
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent)
        reply(response, 500, { error: { message: `stand-in: ${String(error)}` } });
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    openaiUrl: `${url}/v1`,
    requests,
    refused,
    calls,
    batches: stood.batches,
    peak: () => peak,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** The stand-in in the place of every vendor's host, in the form that the vendor's SDK takes. */
export function vendorUrls({
  url,
  openaiUrl,
}: Pick<ModelServer, 'url' | 'openaiUrl'>): Record<VendorName, string> {
  return perVendor((vendor) => (factsOf(vendor).speaks === 'anthropic' ? url : openaiUrl));
}

const EMBEDDINGS = '/v1/embeddings';

const RESPONSES = '/v1/responses';

function vendorOf({ method, url }: http.IncomingMessage): Api | null {
  if (method !== 'POST') return null;
  return url === '/v1/chat/completions' || url === EMBEDDINGS || url === RESPONSES
    ? 'openai'
    : url === '/v1/messages'
      ? 'anthropic'
      : null;
}

function presented(vendor: Api, { headers }: http.IncomingMessage): string {
  if (vendor === 'anthropic') return String(headers['x-api-key'] ?? '');
  return String(headers['api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '');
}

async function bodyOf(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function refuse(
  response: http.ServerResponse,
  vendor: Api,
  { status, ...error }: ModelRefusal,
): void {
  reply(response, status, errorBody(vendor, { ...error, type: 'invalid_request_error' }, status));
}

type Checked = Pick<Seen, 'model' | 'messages' | 'body' | 'schema'> | { problem: string };

function check(
  vendor: Api,
  raw: string,
  headers: http.IncomingHttpHeaders,
  { embedding, responses }: { embedding: boolean; responses: boolean },
): Checked {
  if (headers['content-type']?.startsWith('application/json') !== true)
    return { problem: 'content-type must be application/json' };
  if (vendor === 'anthropic' && headers['anthropic-version'] === undefined)
    return { problem: 'anthropic-version: header is required' };
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(raw) as Record<string, unknown>;
  } catch {
    return { problem: 'We could not parse the JSON body of your request.' };
  }
  if (embedding) {
    const parsed = embeddingRequest.safeParse(body);
    return parsed.success
      ? {
          model: parsed.data.model,
          body,
          schema: null,
          messages: [parsed.data.input].flat().map((content) => ({ role: 'user', content })),
        }
      : { problem: problemText(vendor, parsed.error) };
  }
  return responses ? readResponses(body) : read(vendor, body);
}

function readResponses(body: Record<string, unknown>): Checked {
  const parsed = responsesRequest.safeParse(body);
  if (!parsed.success) return { problem: problemText('openai', parsed.error) };
  const { model, input, text } = parsed.data;
  const format = text?.format;
  return {
    model,
    body,
    schema: format === undefined ? null : { name: format.name, json: format.schema },
    messages: input,
  };
}

function read(vendor: Api, body: Record<string, unknown>): Checked {
  if (vendor === 'openai') {
    const parsed = openaiRequest.safeParse(body);
    return parsed.success
      ? readOpenai(body, parsed.data)
      : { problem: problemText(vendor, parsed.error) };
  }
  const parsed = anthropicRequest.safeParse(body);
  return parsed.success
    ? readAnthropic(body, parsed.data)
    : { problem: problemText(vendor, parsed.error) };
}

function problemText(vendor: Api, error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'invalid request';
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys' && path === '') {
    const [name] = issue.keys;
    return vendor === 'openai'
      ? `Unrecognized request argument supplied: ${name}`
      : `${name}: Extra inputs are not permitted`;
  }
  return `${path}: ${issue.message}`;
}

function plain(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function readOpenai(
  body: Record<string, unknown>,
  {
    model,
    messages,
    response_format: format,
    tools,
    tool_choice: choice,
  }: z.infer<typeof openaiRequest>,
): Checked {
  const schema =
    format?.type === 'json_schema'
      ? { name: format.json_schema.name, json: format.json_schema.schema }
      : forcedFunction(tools ?? [], choice);
  return {
    model,
    body,
    schema,
    messages: messages.map(({ role, content }) => ({ role, content: plain(content) })),
  };
}

function forcedFunction(tools: readonly object[], choice: unknown): Seen['schema'] {
  const wanted = z.object({ function: z.object({ name: z.string() }) }).safeParse(choice);
  const known = z.array(
    z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) }),
  );
  const found = known
    .parse(tools)
    .find((tool) => tool.function.name === wanted.data?.function.name)?.function;
  return found === undefined ? null : { name: found.name, json: found.parameters };
}

function readAnthropic(
  body: Record<string, unknown>,
  {
    model,
    messages,
    system,
    tools,
    tool_choice: choice,
    output_config: output,
  }: z.infer<typeof anthropicRequest>,
): Checked {
  const forced =
    choice?.type === 'tool' ? (tools ?? []).find(({ name }) => name === choice.name) : undefined;
  const front = system === undefined ? [] : [{ role: 'system', content: plain(system) }];
  return {
    model,
    body,
    schema:
      forced === undefined
        ? output?.format === undefined
          ? null
          : { name: 'output_config', json: output.format.schema }
        : { name: forced.name, json: forced.input_schema },
    messages: [
      ...front,
      ...messages.map(({ role, content }) => ({ role, content: plain(content) })),
    ],
  };
}

function send(response: http.ServerResponse, seen: Seen, scripted: Scripted): void {
  const { status = 200, headers = {} } = scripted;
  if (scripted.fault === 'reset') return void response.socket?.destroy();
  if (scripted.fault === 'silent') return;
  const body =
    scripted.body ??
    JSON.stringify(
      status === 200
        ? replyBody(seen, scripted)
        : errorBody(seen.vendor, scripted.error ?? { message: `scripted ${status}` }, status),
    );
  const type = { 'content-type': 'application/json', ...headers };
  switch (scripted.fault) {
    case 'cut':
      response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
      return;
    case 'trickle':
      return forEver(response, status, type, Buffer.from(' '), 20);
    case 'endless':
      return forEver(response, status, type, Buffer.alloc(65_536, ' '), 0);
    case 'bomb':
      response.writeHead(status, { ...type, 'content-encoding': 'gzip' });
      response.end(bomb());
      return;
    case undefined:
      response.writeHead(status, type);
      response.end(body);
  }
}

function forEver(
  response: http.ServerResponse,
  status: number,
  headers: Record<string, string>,
  chunk: Buffer,
  everyMs: number,
): void {
  response.writeHead(status, headers);
  const more = (): void => {
    if (response.destroyed) return;
    response.write(chunk, () =>
      everyMs > 0 ? void setTimeout(more, everyMs) : setImmediate(more),
    );
  };
  more();
}

function reply(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

function errorBody(
  vendor: Api,
  { message, code, type, param }: NonNullable<Scripted['error']>,
  status: number,
): unknown {
  if (vendor === 'openai')
    return {
      error: {
        message,
        type: type ?? 'invalid_request_error',
        param: param ?? null,
        code: code ?? null,
      },
    };
  return {
    type: 'error',
    error: { type: type ?? code ?? ANTHROPIC_TYPES[status] ?? 'api_error', message },
    request_id: 'req_1',
  };
}

function replyBody(
  seen: Seen,
  { text = 'ok', usage = { input: 10, output: 5 }, finish, vector = [1, 0] }: Scripted,
): unknown {
  if ('input' in seen.body && !seen.embedding) return responsesReply(seen, text, usage, finish);
  if (seen.embedding) return embeddingReply(seen, vector, usage);
  return seen.vendor === 'openai'
    ? openaiReply(seen, text, usage, finish)
    : anthropicReply(seen, text, usage, finish);
}

type Usage = Scripted['usage'];

function responsesReply(
  { model, index }: Seen,
  text: string,
  usage: Usage,
  finish?: string,
): unknown {
  return {
    id: `resp_${index}`,
    object: 'response',
    model,
    error: null,
    status: finish === undefined ? 'completed' : 'incomplete',
    incomplete_details: finish === undefined ? null : { reason: finish },
    output: [
      { type: 'reasoning', id: `rs_${index}`, summary: [] },
      {
        type: 'message',
        id: `msg_${index}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    ...(usage
      ? {
          usage: {
            input_tokens: usage.input,
            input_tokens_details: cacheDetails(usage),
            output_tokens: usage.output,
          },
        }
      : {}),
  };
}

function cacheDetails({ read = 0, written = 0 }: NonNullable<Usage>): unknown {
  return { cached_tokens: read, cache_write_tokens: written };
}

function embeddingReply({ model, messages }: Seen, embedding: number[], usage: Usage): unknown {
  return {
    object: 'list',
    model,
    data: messages.map((_, index) => ({ object: 'embedding', index, embedding })),
    ...(usage ? { usage: { prompt_tokens: usage.input, total_tokens: usage.input } } : {}),
  };
}

function openaiReply(
  { model, index, schema, body }: Seen,
  text: string,
  usage: Usage,
  finish = 'stop',
): unknown {
  const forced =
    schema === null || 'response_format' in body
      ? {}
      : {
          content: null,
          tool_calls: [
            {
              id: `call_${index}`,
              type: 'function',
              function: { name: schema.name, arguments: text },
            },
          ],
        };
  return {
    id: `chatcmpl-${index}`,
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    service_tier: 'default',
    system_fingerprint: null,
    choices: [
      {
        index: 0,
        finish_reason: finish,
        logprobs: null,
        message: { role: 'assistant', content: text, refusal: null, annotations: [], ...forced },
      },
    ],
    ...(usage
      ? {
          usage: {
            prompt_tokens: usage.input,
            prompt_tokens_details: cacheDetails(usage),
            completion_tokens: usage.output,
            total_tokens: usage.input + usage.output,
          },
        }
      : {}),
  };
}

function anthropicReply(
  { model, index, schema, body }: Seen,
  text: string,
  usage: Usage,
  finish?: string,
): unknown {
  const content =
    schema === null || !('tools' in body)
      ? [{ type: 'text', text, citations: null }]
      : [
          {
            type: 'tool_use',
            id: `toolu_${index}`,
            name: schema.name,
            input: JSON.parse(text) as unknown,
          },
        ];
  return {
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    container: null,
    stop_sequence: null,
    stop_reason: finish ?? (schema === null || !('tools' in body) ? 'end_turn' : 'tool_use'),
    ...(usage
      ? {
          usage: {
            input_tokens: usage.input - (usage.read ?? 0) - (usage.written ?? 0),
            output_tokens: usage.output,
            cache_creation_input_tokens: usage.written ?? 0,
            cache_read_input_tokens: usage.read ?? 0,
          },
        }
      : {}),
  };
}
