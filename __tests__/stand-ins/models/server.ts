import http from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Api } from '../../../src/types/vendors/facts.ts';
import type { VendorName } from '../../../src/types/vendors/names.ts';
import { factsOf, perVendor } from '../../../src/types/vendors.ts';
import { bodyOf, listen } from '../loopback.ts';
import { createStoodBatches, vendorOfBatch, type BatchScript, type StoodBatch } from './batches.ts';
import { createStoodCache } from './prompt-cache.ts';
import { answerBody, refuse, reply } from './replies.ts';
import { refusedByModel } from './rules.ts';
import { readChat, readEmbedding, readModeration, readResponses, type Checked } from './wire.ts';

/**
 * A model server on loopback. It supports both vendors' batches (`batches.ts`), OpenAI's chat
 * completions (`/v1/chat/completions`), embeddings (`/v1/embeddings`) and moderations
 * (`/v1/moderations`), and Anthropic's messages (`/v1/messages`). It checks every request as the vendors do and answers as a script says,
 * including the faults of servers, proxies and attackers.
 */

/** A request that passed the vendor's checks. */
export interface Seen {
  vendor: Api;
  /** Counts from 0 over all requests to this server, including rejected ones. */
  index: number;
  model: string;
  /** Whether it requests an embedding; the only message is the text. */
  embedding: boolean;
  moderation?: boolean;
  /** For both vendors, the messages include the system prompt. */
  messages: { role: string; content: string }[];
  body: Record<string, unknown>;
  headers: http.IncomingHttpHeaders;
  /** The requested schema of the answer. */
  schema: { name: string; json: unknown } | null;
}

export interface Scripted {
  /** The answer; JSON text if there is a schema. Default: `ok`. */
  text?: string;
  /** Default: `[1, 0]`. */
  vector?: number[];
  /** Of a moderation, by category. From 0.5, the category is flagged. */
  scores?: Record<string, number>;
  /**
   * Null: no usage in the reply. Default: 10 in, 5 out. `read`, `written`: input tokens read from
   * or written to the vendor's cache.
   */
  usage?: { input: number; output: number; read?: number; written?: number } | null;
  finish?: string;
  /** Items of the Responses API before the message. */
  output?: unknown[];
  /** Tools that the model calls, after `text` if it is set. The ids are in the vendor's form. */
  calls?: { name: string; arguments: string }[];
  /** Thinking before the answer, signed or encrypted as the vendor does. */
  thought?: string;
  delayMs?: number;
  status?: number;
  headers?: Record<string, string>;
  /** Replaces the vendor's reply, or its error if the status is not 200. */
  body?: string | Buffer;
  error?: { message: string; code?: string; type?: string; param?: string };
  /**
   * `reset`: destroys the socket without a reply. `cut`: ends after half the body. `trickle`: sends
   * spaces forever. `silent`: sends nothing. `bomb`: 64 MiB of spaces in a small gzip. `endless`: a
   * body without end, at full speed.
   */
  fault?: 'reset' | 'cut' | 'trickle' | 'silent' | 'bomb' | 'endless';
}

export type Script = (request: Seen) => Scripted | Promise<Scripted>;

export interface ModelServer {
  /** Has no path, as Anthropic's SDK expects. */
  url: string;
  /** Ends with `/v1`, as OpenAI's SDK expects. */
  openaiUrl: string;
  requests: Seen[];
  /** The texts of all requests, for numbers that a double cannot represent. */
  raw: string[];
  refused: string[];
  batches: StoodBatch[];
  /** All requests, as `GET /v1/…`. */
  calls: string[];
  /** The most concurrent requests so far. */
  peak(): number;
  close(): Promise<void>;
}

export interface ServerOptions {
  answer?: Script;
  /** The required key. Undefined accepts any key or none. */
  key?: string;
  batches?: BatchScript;
  /** Counts the input tokens of direct calls and simulates the vendor's prompt cache. */
  caching?: boolean;
}

let packed: Buffer | null = null;
/** 64 MiB of spaces in 64 kB. */
const bomb = () => (packed ??= gzipSync(Buffer.alloc(64 * 1024 * 1024, ' ')));

const EMBEDDINGS = '/v1/embeddings';
const MODERATIONS = '/v1/moderations';
const RESPONSES = '/v1/responses';
const PATHS: Readonly<Record<string, Api>> = {
  '/v1/chat/completions': 'openai',
  [EMBEDDINGS]: 'openai',
  [MODERATIONS]: 'openai',
  [RESPONSES]: 'openai',
  '/v1/messages': 'anthropic',
};

export async function startModelServer(options: ServerOptions = {}): Promise<ModelServer> {
  const { answer = (): Scripted => ({}), key, batches = {}, caching = false } = options;
  const requests: Seen[] = [];
  const raw: string[] = [];
  const refused: string[] = [];
  const calls: string[] = [];
  const stood = createStoodBatches(batches, answer, refused);
  const cache = caching ? createStoodCache() : null;
  let [count, underWay, peak] = [0, 0, 0];

  const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const index = count++;
    const { method, url = '', headers } = request;
    const batch = vendorOfBatch(url);
    const vendor = batch ?? (method === 'POST' ? PATHS[url] : undefined);
    const bytes = await bodyOf(request);
    calls.push(`${method} ${url}`);
    raw.push(bytes.toString('utf8'));
    if (vendor === undefined) {
      const message = `Unknown request URL: ${method} ${url}`;
      return reply(response, 404, { error: { message, type: 'invalid_request_error' } });
    }
    const given = presented(vendor, request);
    if (key !== undefined && given !== key) {
      const message = `Incorrect API key provided: ${given}. ::error::no`;
      return refuse(response, vendor, { status: 401, message, code: 'invalid_api_key' });
    }
    if (batch !== null && (await stood.handle({ request, raw: bytes, response }))) return;
    const [embedding, moderation] = [url === EMBEDDINGS, url === MODERATIONS];
    const checked = check(vendor, batch === null ? bytes.toString('utf8') : '', request);
    const rule =
      'problem' in checked
        ? { status: 400, message: checked.problem }
        : embedding || moderation || url === RESPONSES
          ? null
          : refusedByModel(vendor, checked.body, headers);
    if ('problem' in checked || rule !== null) {
      const refusal = { status: 400, message: '', ...rule, type: 'invalid_request_error' };
      refused.push(refusal.message);
      return refuse(response, vendor, refusal);
    }
    const seen: Seen = { ...checked, embedding, moderation, vendor, index, headers };
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
    response.on('close', () => void underWay--);
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent)
        reply(response, 500, { error: { message: `stand-in: ${String(error)}` } });
    });
  });
  server.keepAliveTimeout = 30_000;
  const { url, close } = await listen(server);
  return {
    url,
    openaiUrl: `${url}/v1`,
    requests,
    raw,
    refused,
    calls,
    batches: stood.batches,
    peak: () => peak,
    close,
  };
}

/** Replaces every vendor's host by the stand-in, in the form that the vendor's SDK expects. */
export function vendorUrls({
  url,
  openaiUrl,
}: Pick<ModelServer, 'url' | 'openaiUrl'>): Record<VendorName, string> {
  return perVendor((vendor) => (factsOf(vendor).speaks === 'anthropic' ? url : openaiUrl));
}

function presented(vendor: Api, { headers }: http.IncomingMessage) {
  if (vendor === 'anthropic') return String(headers['x-api-key'] ?? '');
  return String(headers['api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '');
}

function check(vendor: Api, raw: string, { url, headers }: http.IncomingMessage): Checked {
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
  if (url === EMBEDDINGS) return readEmbedding(body);
  if (url === MODERATIONS) return readModeration(body);
  return url === RESPONSES ? readResponses(body) : readChat(vendor, body);
}

function send(response: http.ServerResponse, seen: Seen, scripted: Scripted) {
  const { status = 200, headers = {} } = scripted;
  const type = { 'content-type': 'application/json', ...headers };
  const body = scripted.body ?? JSON.stringify(answerBody(seen, scripted));
  switch (scripted.fault) {
    case 'reset':
      return void response.socket?.destroy();
    case 'silent':
      return;
    case 'cut':
      response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, Math.ceil(body.length / 2)), () => response.socket?.destroy());
      return;
    case 'trickle':
      response.writeHead(status, type);
      return forEver(response, Buffer.from(' '), 20);
    case 'endless':
      response.writeHead(status, type);
      return forEver(response, Buffer.alloc(65_536, ' '), 0);
    case 'bomb':
      response.writeHead(status, { ...type, 'content-encoding': 'gzip' }).end(bomb());
      return;
    case undefined:
      response.writeHead(status, type).end(body);
  }
}

function forEver(response: http.ServerResponse, chunk: Buffer, everyMs: number) {
  if (response.destroyed) return;
  const more = () => forEver(response, chunk, everyMs);
  response.write(chunk, () => (everyMs > 0 ? void setTimeout(more, everyMs) : setImmediate(more)));
}
