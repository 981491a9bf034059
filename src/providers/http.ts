import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeadlines, stopAfterDrain, type Clock } from './clock.ts';
import { MAX_REPLY_BYTES, TransportError } from './fault.ts';
import type { Received } from './reply.ts';
import { tunnelThrough } from './tunnel.ts';

export interface RequestBounds {
  /** The only origin that requests, and with them the key, may go to. */
  base: URL;
  /** Header that carries the key; null for servers without one. */
  auth: { header: string; value: string } | null;
  /** Headers of every request. */
  headers?: Readonly<Record<string, string>>;
  /** A part of every address, after its `?`. */
  query?: string | undefined;
  /** Through which an https origin is reached; plain http is next door. Absent: directly. */
  proxy?: URL | null | undefined;
  /**
   * How long a request may take, in milliseconds: to the last byte of its reply, or of a download's
   * silence.
   */
  timeoutMs: number;
  clock: Clock;
  /** Ends whatever is under way. */
  signal: AbortSignal;
}

export interface BoundedFetch {
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  close(): void;
}

/**
 * Nothing else of an SDK's leaves: not what the environment tells it to add, and not what a
 * parameter could be turned into.
 */
const SENT_HEADERS = ['accept', 'content-type'];

/**
 * What a request carries: text, a stream of bytes (a batch, which is larger than should be in
 * memory), or nothing.
 */
export type Body = string | ReadableStream<Uint8Array> | null;

interface Sent {
  method: string;
  headers: RequestInit['headers'];
  body: Body;
  /** Whether the reply may come packed. */ packed: boolean;
}

/** A request under way. */
export interface OpenRequest {
  /** It is over, and whoever waits for it is told why. */
  fail(error: TransportError): void;
  /** It is over. */
  settle(): void;
  /** Its time begins anew. */
  alive(): void;
}

/** Requests to one origin. */
interface Outgoing {
  /**
   * Sends a request and hands its reply, which is not a redirect, to `receive`; what that resolves
   * with is the result. Rejects with {@link TransportError} only.
   */
  send<T>(
    input: string | URL | Request,
    sent: Sent,
    receive: (
      response: http.IncomingMessage,
      exchange: OpenRequest,
      resolve: (value: T | Promise<T>) => void,
    ) => void,
  ): Promise<T>;
  /** Ends whatever is under way. */
  close(): void;
}

/**
 * One host, one key, no proxy from the environment, and a deadline on everything. It stands on
 * node:http rather than on the global fetch because that one obeys proxy variables.
 */
export function createOutgoing(
  bounds: RequestBounds,
  { keepAlive }: { keepAlive: boolean },
): Outgoing {
  const secure = bounds.base.protocol === 'https:';
  const options = { keepAlive, rejectUnauthorized: true };
  const agent = secure ? new https.Agent(options) : new http.Agent(options);
  const tunnel = tunnelFor(agent, bounds);
  const startDeadline = createDeadlines(bounds.clock, bounds.timeoutMs);
  const routeTo = createRoutes(bounds);
  const underWay = new Set<OpenRequest['fail']>();
  const stop = (): void => underWay.forEach((fail) => fail(new TransportError('aborted')));
  const letGo = stopAfterDrain(bounds, stop);
  return {
    async send(input, sent, receive) {
      if (bounds.signal.aborted) throw new TransportError('aborted');
      const request = (secure ? https : http).request({
        ...routeTo(addressIn(input)),
        method: sent.method,
        agent,
        headers: sentHeaders(bounds, sent),
      });
      return await new Promise((resolve, reject) => {
        let received: http.IncomingMessage | null = null;
        const late = (): void => fail(new TransportError('late'));
        let disarm = startDeadline(late);
        const settle = (): void => {
          disarm();
          underWay.delete(fail);
        };
        const fail = (error: TransportError): void => {
          settle();
          reject(error);
          received?.destroy(error);
          request.destroy();
        };
        const alive = (): void => {
          disarm();
          disarm = startDeadline(late);
        };
        underWay.add(fail);
        failOnSwitch(request, fail);
        request.on('error', (error) => fail(connectionError(error)));
        request.on('response', (response) => {
          const status = response.statusCode ?? 0;
          if (status >= 300 && status < 400) return fail(new TransportError('redirect'));
          received = response;
          receive(response, { fail, settle, alive }, resolve);
        });
        put(request, sent.body);
      });
    },
    close() {
      letGo();
      stop();
      tunnel?.close();
      agent.destroy();
    },
  };
}

/** Next door is reached without a proxy. */
function tunnelFor(agent: http.Agent, bounds: RequestBounds): { close(): void } | null {
  return agent instanceof https.Agent && bounds.proxy
    ? tunnelThrough(agent, bounds.proxy, bounds)
    : null;
}

function addressIn(input: string | URL | Request): string {
  return typeof input === 'string' || input instanceof URL ? String(input) : input.url;
}

/** A server that wants to speak something else would leave us waiting for a reply. */
function failOnSwitch(request: http.ClientRequest, fail: OpenRequest['fail']): void {
  const switched = (): void => fail(new TransportError('connection', 'status 101'));
  request.on('information', ({ statusCode }) => {
    if (statusCode === 101) switched();
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    switched();
  });
}

function put(request: http.ClientRequest, body: Body): void {
  // A server may answer, or hang up, before all of a stream was sent; the request then says how it
  // ended.
  if (body instanceof ReadableStream)
    pipeline(Readable.fromWeb(body), request).catch(() => undefined);
  else request.end(body ?? undefined);
}

interface Route {
  hostname: string;
  port: string;
  path: string;
}

/**
 * Where an address leads, if it is of the same origin as `base`. The last one is remembered: calls
 * differ in their bodies.
 */
function createRoutes({
  base,
  query,
}: Pick<RequestBounds, 'base' | 'query'>): (address: string) => Route {
  let last: { address: string; route: Route } | null = null;
  return (address) => {
    if (last?.address === address) return last.route;
    const { origin, hostname, port, pathname, search } = new URL(address);
    if (origin !== base.origin) throw new TransportError('host');
    // Brackets belong to the writing of an IPv6 address, not to the address.
    const asked = query === undefined ? search : `${search === '' ? '?' : `${search}&`}${query}`;
    const route = { hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname + asked };
    last = { address, route };
    return route;
  };
}

function sentHeaders(
  { auth, headers: own }: RequestBounds,
  { headers, body, packed }: Sent,
): Record<string, string> {
  const source = headers instanceof Headers ? headers : new Headers(headers);
  const sent: Record<string, string> = {
    'user-agent': 'evaldiff',
    'accept-encoding': packed ? 'gzip' : 'identity',
  };
  if (typeof body === 'string') sent['content-length'] = String(Buffer.byteLength(body));
  for (const name of SENT_HEADERS) {
    const value = source.get(name);
    if (value !== null) sent[name] = value;
  }
  Object.assign(sent, own);
  if (auth !== null) sent[auth.header] = auth.value;
  return sent;
}

function connectionError(error: Error): TransportError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  return new TransportError('connection', code);
}

/** Reads a reply to its end, within its bound, and ends the exchange with it. */
export function collectReply(
  response: http.IncomingMessage,
  { fail, settle }: OpenRequest,
  done: (received: Received) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (size > MAX_REPLY_BYTES) fail(new TransportError('too-large'));
    else chunks.push(chunk);
  });
  // A body that ends too early is an error, never an `end`.
  response.on('error', () => fail(new TransportError('cut')));
  response.on('end', () => {
    if (size > MAX_REPLY_BYTES) return;
    settle();
    done({
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: Buffer.concat(chunks),
    });
  });
}
