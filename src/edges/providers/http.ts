import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { member } from '../../types/plain.ts';
import { PROOF_HEADERS, isCredential, type Auth } from './auth.ts';
import { createDeadlines, stopAfterDrain, type Clock } from './clock.ts';
import { TransportError } from './fault.ts';
import { tunnelThrough } from './tunnel.ts';

export interface RequestBounds {
  /** Requests and the key go only to this origin. */
  base: URL;
  auth: Auth | null;
  headers?: Readonly<Record<string, string>>;
  passedHeaders?: readonly string[];
  query?: string | undefined;
  proxy?: URL | null | undefined;
  /**
   * Milliseconds until the last byte of the reply. For a download: the longest time without data.
   */
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
}

export interface BoundedFetch {
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  close(): void;
}

/** Drops the SDK's other headers, because the environment may set them. */
const SENT_HEADERS = ['accept', 'content-type'];

export interface OpenRequest {
  fail(error: TransportError): void;
  settle(): void;
  alive(): void;
}

export type TakeResponse = (response: Response | Promise<Response>) => void;

interface Receiving {
  keepAlive: boolean;
  /** Accepts packed replies. */
  packed: boolean;
  /** Never sees redirects. */
  receive(response: http.IncomingMessage, exchange: OpenRequest, resolve: TakeResponse): void;
}

/**
 * Global fetch follows proxy variables, so this uses node:http. Rejects only with
 * {@link TransportError}.
 */
export function createOutgoing(
  bounds: RequestBounds,
  { keepAlive, packed, receive }: Receiving,
): BoundedFetch {
  const secure = bounds.base.protocol === 'https:';
  const options = { keepAlive, rejectUnauthorized: true };
  const agent = secure ? new https.Agent(options) : new http.Agent(options);
  const tunnel = tunnelFor(agent, bounds);
  const startDeadline = createDeadlines(bounds.clock, bounds.timeoutMs);
  const underWay = new Set<OpenRequest['fail']>();
  const stop = () => underWay.forEach((fail) => fail(new TransportError('aborted')));
  const cancelDrain = stopAfterDrain(bounds, stop);
  return {
    async fetch(input, { headers, body, method = body ? 'POST' : 'GET' } = {}) {
      if (bounds.signal.aborted) throw new TransportError('aborted');
      const request = (secure ? https : http).request({
        ...routeTo(typeof input === 'object' && 'url' in input ? input.url : String(input), bounds),
        method,
        agent,
        headers: sentHeaders(bounds, headers, body, packed),
      });
      return await new Promise((resolve, reject) => {
        let received: http.IncomingMessage | null = null;
        const late = () => fail(new TransportError('late'));
        let disarm = startDeadline(late);
        const settle = () => {
          disarm();
          underWay.delete(fail);
        };
        const fail = (error: TransportError) => {
          settle();
          reject(error);
          received?.destroy(error);
          request.destroy();
        };
        const alive = () => {
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
        sendBody(request, body);
      });
    },
    close() {
      cancelDrain();
      stop();
      tunnel?.close();
      agent.destroy();
    },
  };
}

function connectionError(error: Error): TransportError {
  return new TransportError('connection', String(member(error, 'code') ?? 'unknown'));
}

function tunnelFor(agent: http.Agent, bounds: RequestBounds) {
  return agent instanceof https.Agent && bounds.proxy
    ? tunnelThrough(agent, bounds.proxy, bounds)
    : null;
}

function sendBody(request: http.ClientRequest, body: RequestInit['body']): void {
  if (body instanceof ReadableStream)
    pipeline(Readable.fromWeb(body), request).catch(() => undefined);
  else request.end(body ?? undefined);
}

function failOnSwitch(request: http.ClientRequest, fail: OpenRequest['fail']): void {
  const switched = () => fail(new TransportError('connection', 'status 101'));
  request.on('information', ({ statusCode }) => {
    if (statusCode === 101) switched();
  });
  request.on('upgrade', (_response, socket) => {
    socket.destroy();
    switched();
  });
}

function routeTo(address: string, { base, query }: RequestBounds) {
  const { origin, hostname, port, pathname, search } = new URL(address);
  if (origin !== base.origin) throw new TransportError('host');
  const asked = query === undefined ? search : `${search === '' ? '?' : `${search}&`}${query}`;
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname + asked };
}

function sentHeaders(
  { auth, headers: own, passedHeaders = [] }: RequestBounds,
  headers: RequestInit['headers'],
  body: RequestInit['body'],
  packed: boolean,
): Record<string, string> {
  const source = headers instanceof Headers ? headers : new Headers(headers);
  const sent: Record<string, string> = {
    'user-agent': 'evaldiff',
    'accept-encoding': packed ? 'gzip' : 'identity',
  };
  if (typeof body === 'string') sent['content-length'] = String(Buffer.byteLength(body));
  const proofs = isCredential(auth) ? PROOF_HEADERS : [];
  for (const name of [...SENT_HEADERS, ...passedHeaders, ...proofs]) {
    const value = source.get(name);
    if (value !== null) sent[name] = value;
  }
  Object.assign(sent, own);
  if (isCredential(auth)) {
    for (const [name, value] of Object.entries(auth.headers))
      sent[name] = sent[name] === undefined ? value : `${sent[name]},${value}`;
  } else if (auth !== null) sent[auth.header] = auth.value;
  return sent;
}
