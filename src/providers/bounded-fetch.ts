import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { createDeadlines } from './clock.ts';
import type { Clock, StartDeadline } from './clock.ts';
import { MAX_REPLY_BYTES, MAX_REPLY_DEPTH, TransportError } from './fault.ts';
import { deeperThan } from './json-depth.ts';

export interface Bounds {
  /** The only origin that requests, and with them the key, may go to. */
  base: URL;
  /** Header that carries the key; null for servers without one. */
  auth: { header: string; value: string } | null;
  /** From sending to the last byte of the reply, in milliseconds. */
  timeoutMs: number;
  clock: Clock;
  /** Ends whatever is under way. */
  signal: AbortSignal;
}

export interface BoundedFetch {
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  close(): void;
}

/** Nothing else leaves: not what the environment tells an SDK to add, and not what a parameter could be turned into. */
const SENT_HEADERS = ['accept', 'content-type', 'anthropic-version'];
/** What comes in and is of use here; each further header would cost time on every call. */
const READ_HEADERS = /^(content-type|retry-after(-ms)?|x-should-retry|request-id|x-request-id|(x|anthropic)-ratelimit-[a-z-]+)$/;

/**
 * A `fetch` for the vendors' SDKs that keeps what theirs does not: one host, a deadline over the whole reply, a cap on
 * its decoded size and depth, no redirects, no proxy from the environment, and the key added here and nowhere else.
 * It resolves with the reply wholly in memory, so what an SDK does with it afterwards can neither hang nor grow.
 * It stands on node:http rather than on the global fetch because that one obeys proxy variables.
 *
 * Rejects with {@link TransportError} only.
 */
export function createBoundedFetch(bounds: Bounds): BoundedFetch {
  const secure = bounds.base.protocol === 'https:';
  const agent = secure ? new https.Agent({ keepAlive: true, rejectUnauthorized: true }) : new http.Agent({ keepAlive: true });
  const startDeadline = createDeadlines(bounds.clock, bounds.timeoutMs);
  const underWay = new Set<(error: TransportError) => void>();
  const stop = (): void => { for (const fail of underWay) fail(new TransportError('aborted')); };
  bounds.signal.addEventListener('abort', stop, { once: true });

  const routeTo = createRoutes(bounds.base);
  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const route = routeTo(typeof input === 'string' || input instanceof URL ? String(input) : input.url);
    if (bounds.signal.aborted) throw new TransportError('aborted');
    const body = sendable(init.body);
    const request = (secure ? https : http).request({ ...route, method: init.method ?? 'POST', agent, headers: sentHeaders(bounds, init.headers, body) });
    const received = await exchange(request, body, startDeadline, underWay);
    return await toResponse(received);
  };
  return {
    fetch,
    close() {
      bounds.signal.removeEventListener('abort', stop);
      stop();
      agent.destroy();
    },
  };
}

/** What a request carries: text, a stream of bytes (a batch, which is larger than should be in memory), or nothing. */
type Body = string | ReadableStream<Uint8Array> | null;

function sendable(body: RequestInit['body']): Body {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof ReadableStream) return body;
  throw new TransportError('connection', 'only text is sent');
}

export interface Route { hostname: string; port: string; path: string }

/** Where an address leads, if it is of the same origin as `base`. The last one is remembered: calls differ in their bodies. */
export function createRoutes(base: URL): (address: string) => Route {
  let last: { address: string; route: Route } | null = null;
  return (address) => {
    if (last?.address === address) return last.route;
    const { origin, hostname, port, pathname, search } = new URL(address);
    if (origin !== base.origin) throw new TransportError('host');
    // Brackets belong to the writing of an IPv6 address, not to the address.
    const route = { hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname + search };
    last = { address, route };
    return route;
  };
}

export function sentHeaders({ auth }: Pick<Bounds, 'auth'>, given: RequestInit['headers'], body: Body): Record<string, string> {
  const source = given instanceof Headers ? given : new Headers(given);
  const sent: Record<string, string> = { 'user-agent': 'evaldiff', 'accept-encoding': 'gzip' };
  if (typeof body === 'string') sent['content-length'] = String(Buffer.byteLength(body));
  for (const name of SENT_HEADERS) {
    const value = source.get(name);
    if (value !== null) sent[name] = value;
  }
  if (auth !== null) sent[auth.header] = auth.value;
  return sent;
}

export interface Received { status: number; headers: http.IncomingHttpHeaders; body: Buffer }

function exchange(request: http.ClientRequest, body: Body, startDeadline: StartDeadline, underWay: Set<(error: TransportError) => void>): Promise<Received> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      disarm();
      underWay.delete(fail);
    };
    const fail = (error: TransportError): void => {
      settle();
      reject(error);
      request.destroy();
    };
    const disarm = startDeadline(() => fail(new TransportError('late')));
    underWay.add(fail);
    request.on('error', (error) => fail(connectionError(error)));
    request.on('response', (response) => {
      const status = response.statusCode ?? 0;
      if (status >= 300 && status < 400) return fail(new TransportError('redirect'));
      collect(response, fail, (received) => {
        settle();
        resolve({ status, headers: response.headers, body: received });
      });
    });
    if (body instanceof ReadableStream) {
      // A server may answer, or hang up, before all of it was sent; the request then says how it ended.
      pipeline(Readable.fromWeb(body), request).catch(() => undefined);
    } else request.end(body ?? undefined);
  });
}

export function collect(response: http.IncomingMessage, fail: (error: TransportError) => void, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size > MAX_REPLY_BYTES) fail(new TransportError('too-large'));
    else chunks.push(chunk);
  });
  // A body that ends too early is an error, never an `end`.
  response.on('error', () => fail(new TransportError('cut')));
  response.on('end', () => { if (size <= MAX_REPLY_BYTES) done(Buffer.concat(chunks)); });
}

export function connectionError(error: Error): TransportError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  return new TransportError('connection', code);
}

type Unpack = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;
const UNPACK = new Map<string, Unpack>([
  ['gzip', promisify(gunzip) as Unpack], ['x-gzip', promisify(gunzip) as Unpack],
  ['deflate', promisify(inflate) as Unpack], ['br', promisify(brotliDecompress) as Unpack],
]);

async function unpacked({ headers, body }: Received): Promise<Buffer> {
  const encoding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity' || body.byteLength === 0) return body;
  const unpack = UNPACK.get(encoding);
  if (unpack === undefined) throw new TransportError('encoding');
  try {
    return await unpack(body, { maxOutputLength: MAX_REPLY_BYTES });
  } catch (error) {
    const tooLarge = typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw new TransportError(tooLarge ? 'too-large' : 'encoding');
  }
}

export async function toResponse(received: Received): Promise<Response> {
  const body = await unpacked(received);
  if (deeperThan(body, MAX_REPLY_DEPTH)) throw new TransportError('too-deep');
  // Response takes no status outside this range, and a server can send any three digits.
  if (received.status < 200 || received.status > 599) throw new TransportError('connection', `status ${received.status}`);
  const headers = new Headers();
  for (const [name, value] of Object.entries(received.headers)) {
    if (value !== undefined && READ_HEADERS.test(name)) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.set('content-length', String(body.byteLength));
  const empty = received.status === 204 || received.status === 205;
  return new Response(empty ? null : body.toString('utf8'), { status: received.status, headers });
}
