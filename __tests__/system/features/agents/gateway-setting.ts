import { createHash, randomBytes } from 'node:crypto';
import http from 'node:http';
import type { SharedCallSettings } from '../../../../src/edges/providers/retry.ts';
import { openGateway } from '../../../../src/features/agents/gateway/index.ts';
import type {
  Gateway,
  GatewayOptions,
  RunTerms,
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
import { replyOf, type Said, type WireCase } from '../../../stand-ins/agents/wires.ts';
import { bodyOf, listen } from '../../../stand-ins/loopback.ts';
import { KEY, START, testClock } from '../../../unit/edges/providers/providers-setting.ts';

interface VendorRequest {
  path: string;
  headers: http.IncomingHttpHeaders;
  body: JsonMap;
}

export interface Vendor {
  url: string;
  requests: VendorRequest[];
}

export type Handler = (request: VendorRequest, response: http.ServerResponse) => unknown;

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

/** Sends a JSON body, or a stream if the request asks for one. */
export function sendReply(
  { path, body }: VendorRequest,
  response: http.ServerResponse,
  { json, events }: ReturnType<typeof replyOf>,
): void {
  const isStreamed = body['stream'] === true || path.includes('alt=sse');
  response.setHeader('content-type', isStreamed ? 'text/event-stream' : 'application/json');
  response.end(isStreamed ? events.join('') : json);
}

/** Answers each request with the number of requests so far. */
export function numbered(wire: WireCase, say: (count: number) => Said = String): Handler {
  let count = 0;
  return (request, response) => {
    count += 1;
    sendReply(request, response, replyOf(wire, say(count), { model: 'm-1-2026' }));
  };
}

/** Answers after this number of errors. */
export function failing(wire: WireCase, times: number, status: number, body: object): Handler {
  const answered = numbered(wire);
  let left = times;
  return (request, response) => {
    if (left === 0) return answered(request, response);
    left -= 1;
    response.writeHead(status, { 'content-type': 'application/json' });
    return response.end(JSON.stringify(body));
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
    hash: (text) => createHash('sha256').update(text).digest('hex'),
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

/** A run of an agent, which sends questions with its token. */
export function openRun(gateway: Gateway, wire: WireCase, terms: Partial<RunTerms> = {}) {
  const ticket = gateway.open({
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
    ...terms,
  });
  return { ...ticket, ...questions(gateway, wire, ticket.token) };
}

interface Given extends Partial<GatewayOptions> {
  vendor?: Handler;
  terms?: Partial<RunTerms>;
}

/** A run with its own gateway. The vendor numbers its replies unless told otherwise. */
export async function startRun(wire: WireCase, { vendor, terms, ...options }: Given = {}) {
  const { url, requests } = await startVendor(vendor ?? numbered(wire));
  const gateway = await startGateway({ url }, options);
  return { ...openRun(gateway, wire, terms), gateway, requests };
}

export const SENDS = ['ask', 'stream'] as const;

interface Got {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
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
function sendTo(address: string, sent: Sent): Promise<Got> {
  const { path = '/', method = 'POST', headers = {}, body = '', onPiece } = sent;
  const place = address.startsWith('http')
    ? { host: '127.0.0.1', port: new URL(address).port }
    : { socketPath: address };
  return new Promise((resolve, reject) => {
    const request = http.request({ ...place, path, method, headers, agent: false }, (response) => {
      let text = '';
      const got = (isCut: boolean) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, isCut });
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        onPiece?.(text);
      });
      response.on('end', () => got(false));
      response.on('error', () => got(true));
    });
    request.on('error', reject);
    const whole = typeof body === 'string' ? body : JSON.stringify(body);
    request.end(method === 'POST' ? whole : undefined);
  });
}

/** Sends questions with a token, as an agent does. Gemini's API requests streams in the path. */
export function questions({ address }: Gateway, wire: WireCase, token: string) {
  const ask = (text = 'hello', { body, headers, ...more }: Sent = {}): Promise<Got> =>
    sendTo(address, {
      path: wire.path,
      headers: { ...wire.auth(token), ...headers },
      body: typeof body === 'string' ? body : wire.body(text, body),
      ...more,
    });
  const stream = (
    text?: string,
    { body, ...more }: Omit<Sent, 'body'> & { body?: JsonMap } = {},
  ) =>
    wire.api === 'gemini'
      ? ask(text, {
          path: '/v1beta/models/m-1:streamGenerateContent?alt=sse',
          body: { ...body },
          ...more,
        })
      : ask(text, { body: { ...body, stream: true }, ...more });
  return { ask, stream };
}
