import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { SharedCallSettings } from '../../../../src/edges/providers/retry.ts';
import { openGateway } from '../../../../src/features/agents/gateway/index.ts';
import type {
  Gateway,
  GatewayOptions,
  RunTerms,
  RunTicket,
  StoredReplies,
  StoredReply,
} from '../../../../src/features/agents/gateway/terms.ts';
import { openUpstreams } from '../../../../src/features/agents/gateway/upstreams.ts';
import { createLedger } from '../../../../src/money/ledger.ts';
import { createRedactor } from '../../../../src/text/redact.ts';
import type { JsonMap } from '../../../../src/types/plain.ts';
import type { Price } from '../../../../src/types/price.ts';
import { perVendor } from '../../../../src/types/vendors.ts';
import { afterThisTest, untilTestEnds } from '../../../stand-ins/after-test.ts';
import { eventText, type Said, type WireCase } from '../../../stand-ins/agents/wires.ts';
import { bodyOf, listen } from '../../../stand-ins/loopback.ts';
import { KEY, START, testClock } from '../../../unit/edges/providers/providers-setting.ts';

export interface VendorRequest {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: JsonMap;
}

export interface Vendor {
  url: string;
  requests: VendorRequest[];
}

type Handler = (request: VendorRequest, response: http.ServerResponse) => unknown;

export async function startVendor(handle: Handler): Promise<Vendor> {
  const requests: VendorRequest[] = [];
  const server = http.createServer((incoming, response) => {
    void bodyOf(incoming).then((body) => {
      const { url: path = '', headers } = incoming;
      const request = { path, headers, body: JSON.parse(body.toString() || '{}') as JsonMap };
      requests.push(request);
      return handle(request, response);
    });
  });
  const { url } = await untilTestEnds(listen(server));
  return { url, requests };
}

/** Answers each request with the number of requests so far, streamed if requested. */
export function numbered(wire: WireCase, say: (count: number) => Said = String): Handler {
  let count = 0;
  return ({ path, body }, response) => {
    count += 1;
    const isStreamed = body['stream'] === true || path.includes('alt=sse');
    response.setHeader('content-type', isStreamed ? 'text/event-stream' : 'application/json');
    response.end(
      isStreamed
        ? eventText(wire.events(say(count), 'm-1-2026')).join('')
        : JSON.stringify(wire.reply(say(count), 'm-1-2026')),
    );
  };
}

export function memoryStore(): StoredReplies & { kept: Map<string, StoredReply> } {
  const kept = new Map<string, StoredReply>();
  return {
    kept,
    find: (key) => Promise.resolve(kept.get(key) ?? null),
    keep(key, reply) {
      kept.set(key, reply);
      return Promise.resolve();
    },
  };
}

/** $1 per million tokens; a tenth of that for cached tokens. */
const price: Price = (_, { input_tokens, output_tokens }, cached) =>
  (input_tokens - 0.9 * (cached?.read ?? 0) + output_tokens) / 1e6;

/** A ledger without caps, for gateways that only count. */
export function unlimited(of: Price): GatewayOptions['ledger'] {
  const ledger = createLedger({ maxCalls: null, maxCost: null }, of);
  return () => ledger;
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A gateway in front of the vendor, whose key is {@link KEY}. */
export async function startGateway(
  vendor: Pick<Vendor, 'url'>,
  overrides: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const upstreams = openUpstreams({
    keys: perVendor(() => KEY),
    endpoints: new Map(),
    vendorUrls: {
      anthropic: vendor.url,
      openai: `${vendor.url}/v1`,
      gemini: `${vendor.url}/v1beta/openai`,
    },
    ...testCalls(),
  });
  const gateway = await openGateway({
    upstreams,
    ledger: unlimited(price),
    stored: memoryStore(),
    offline: false,
    hash: sha256,
    token: () => randomBytes(24).toString('hex'),
    now: () => START,
    redact: createRedactor([KEY]),
    listen: { port: 0 },
    ...overrides,
  });
  afterThisTest(gateway.close);
  return gateway;
}

export function testCalls(): SharedCallSettings {
  const signal = new AbortController().signal;
  return { maxTries: 5, clock: testClock(), signal, random: () => 0, log: () => undefined };
}

export function termsFor(wire: WireCase, overrides: Partial<RunTerms> = {}): RunTerms {
  return {
    agent: 'command',
    target: { provider: wire.wire, endpoint: null, model: 'm-1' },
    models: [],
    allow: [],
    network: 'off',
    wires: [wire.wire],
    try: 0,
    limits: { turns: 20, usd: 1 },
    refusal: 400,
    firstDecisionOnly: false,
    anew: false,
    canary: null,
    ...overrides,
  };
}

export interface Got {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  pieces: string[];
  isCut: boolean;
}

export interface Sent {
  path?: string;
  method?: string;
  headers?: http.OutgoingHttpHeaders;
  body?: JsonMap | string;
  onPiece?(text: string): void;
}

/** Sends a request without resolving its path. */
export function sendTo(address: string, sent: Sent): Promise<Got> {
  const { path = '/', method = 'POST', headers = {}, body = '', onPiece } = sent;
  const place = address.startsWith('http')
    ? { host: '127.0.0.1', port: new URL(address).port }
    : { socketPath: address };
  return new Promise((resolve, reject) => {
    const request = http.request({ ...place, path, method, headers, agent: false }, (response) => {
      const pieces: string[] = [];
      const got = (isCut: boolean): void =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: pieces.join(''),
          pieces,
          isCut,
        });
      response.on('data', (chunk: Buffer) => {
        pieces.push(chunk.toString());
        onPiece?.(pieces.join(''));
      });
      response.on('end', () => got(false));
      response.on('error', () => got(true));
    });
    request.on('error', reject);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    request.end(method === 'POST' ? text : undefined);
  });
}

/** Sends a question with the run's token, as an agent does. */
export function ask(
  gateway: Gateway,
  wire: WireCase,
  ticket: Pick<RunTicket, 'token'>,
  text = 'hello',
  { body = {}, headers, ...more }: Omit<Sent, 'body'> & { body?: JsonMap } = {},
): Promise<Got> {
  return sendTo(gateway.address, {
    path: wire.path,
    headers: { ...wire.auth(ticket.token), ...headers },
    body: wire.body(text, body),
    ...more,
  });
}

/** Sends a question and requests a stream. Gemini's API requests that in the path. */
export function askStream(
  gateway: Gateway,
  wire: WireCase,
  ticket: Pick<RunTicket, 'token'>,
  text = 'hello',
  { body = {}, ...more }: Parameters<typeof ask>[4] = {},
): Promise<Got> {
  return wire.wire === 'gemini'
    ? ask(gateway, wire, ticket, text, {
        ...more,
        body,
        path: '/v1beta/models/m-1:streamGenerateContent?alt=sse',
      })
    : ask(gateway, wire, ticket, text, { ...more, body: { ...body, stream: true } });
}
