import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { estimateTokens } from '../../../text/estimated-tokens.ts';
import { shorten, visibleLine } from '../../../text/visible.ts';
import { isDeeper, MOST_LEVELS, parseMap } from '../../../types/plain.ts';
import type { Wire } from '../rows/agent-row.ts';
import { canarySpotter } from '../workspace/canary.ts';
import { answerCall, errorReply, type CallTools, type GatewayReply } from './calls.ts';
import { refusedContent } from './grammar.ts';
import { openRun, runRecord, type RunLedger } from './ledger.ts';
import { normaliserFor } from './normalise.ts';
import { withoutData } from './output-limit.ts';
import { likelyWire, routeOf, type ModelRoute } from './routes.ts';
import type { Call, Gateway, GatewayOptions, Refused, RunTerms, TakeRoom } from './terms.ts';

const MAX_BODY_BYTES = 20 * 1024 * 1024;

/** Of one run, for all open requests and their replies. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

const MAX_OPEN_REQUESTS = 64;

const MAX_CONNECTIONS = 1024;

/** Anyone on the machine may connect, but only a run's token gives access. */
const SOCKET_MODE = 0o666;

/**
 * Agents get only a token. The gateway adds the API key and sends each key only to its own server.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { hash, listen } = options;
  const tools: CallTools = { ...options, inFlight: new Map(), made: new Set() };
  // Keyed by hash, so that lookup time reveals nothing about a token.
  const runs = new Map<string, RunLedger>();
  const server = http.createServer((request, response) => {
    const found = new Set(tokensOf(request).flatMap((token) => runs.get(hash(token)) ?? []));
    const [run] = found.size === 1 ? found : [];
    void respond(request, response, { run, tools });
  });
  server.maxConnections = MAX_CONNECTIONS;
  if ('socket' in listen) server.listen(listen.socket);
  else server.listen(listen.port, '127.0.0.1');
  await once(server, 'listening');
  server.on('error', () => undefined);
  if ('socket' in listen) chmodSync(listen.socket, SOCKET_MODE);
  return {
    address:
      'socket' in listen
        ? listen.socket
        : `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open(terms) {
      const token = options.token();
      const run = openRun(terms);
      runs.set(hash(token), run);
      return {
        token,
        cut: run.cut.signal,
        known(values) {
          run.normalise = normaliserFor(run.terms.agent, values);
        },
        end() {
          runs.delete(hash(token));
          endRun(run);
          return runRecord(run, hash);
        },
      };
    },
    async close() {
      for (const run of runs.values()) endRun(run);
      runs.clear();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      options.upstreams.close();
      await closed;
    },
  };
}

function endRun(run: RunLedger): void {
  run.cut.abort();
  for (const cancel of run.open) cancel();
  run.open.clear();
}

/** Each CLI sends the gateway's token where its vendor expects an API key. */
function tokensOf({ headers, url = '' }: http.IncomingMessage): string[] {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
  const query = /[?&]key=([\w-]+)/.exec(url)?.[1];
  return [bearer, headers['x-api-key'], headers['x-goog-api-key'], query].filter(
    (token) => typeof token === 'string',
  );
}

interface GatewaySession {
  run: RunLedger | undefined;
  tools: CallTools;
}

async function respond(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { run, tools }: GatewaySession,
): Promise<void> {
  let reply: GatewayReply | null = null;
  const cancel = () => {
    reply?.close?.();
    response.destroy();
  };
  run?.open.add(cancel);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let held = 0;
  const take = (bytes: number) => {
    held += bytes;
    if (run !== undefined) run.heldBytes += bytes;
    return (run?.heldBytes ?? 0) <= MAX_HELD_BYTES;
  };
  try {
    reply = await answer(request, { run, tools, gone: gone.signal, take }).catch(
      (error: unknown) => {
        const message = `internal error: ${visibleLine(tools.redact(String(error)))}`;
        run?.refused.push({ why: 'request', message });
        return errorReply(likelyWire(request.url ?? ''), 500, message);
      },
    );
    if (response.destroyed) return;
    response.writeHead(reply.status, {
      'content-type': reply.type,
      ...(reply.status >= 400 && {
        'x-should-retry': String(reply.status === 429 || reply.status >= 500),
      }),
      ...(reply.retryAfter ? { 'retry-after': reply.retryAfter } : {}),
    });
    response.flushHeaders();
    const { body } = reply;
    await pipeline(typeof body === 'string' ? [body] : Readable.from(body), response);
  } catch {
    response.destroy();
  } finally {
    reply?.close?.();
    run?.open.delete(cancel);
    take(-held);
    // An unread body would block the connection.
    request.resume();
  }
}

async function answer(
  request: http.IncomingMessage,
  { run, tools, ...more }: GatewaySession & Pick<Call, 'gone' | 'take'>,
): Promise<GatewayReply> {
  const { method = '', url = '' } = request;
  const wire = likelyWire(url);
  if (run === undefined) return errorReply(wire, 401, 'the token does not belong to a run');
  const route = routeOf(method, url, run.terms.wires);
  if (route?.does === 'models') return listModels(run);
  if (route?.does === 'count') return await estimatedTokens(request, route, more.take);
  const call =
    route === null
      ? refusedRequest(404, 'path', 'an agent may not send this request')
      : await readModelCall(request, route, { run, ...more });
  if (!('refused' in call)) return await answerCall(run, call, tools);
  const { status, refused } = call;
  run.refused.push(refused);
  if (refused.why === 'canary') run.isCanarySeen = true;
  // The run is an error, so it makes no further calls.
  if (refused.why === 'content') run.cut.abort();
  return errorReply(wire, status, refused.message);
}

interface RefusedRequest {
  status: number;
  refused: Refused;
}

function refusedRequest(
  status: number,
  why: Exclude<Refused['why'], 'upstream'>,
  message: string,
): RefusedRequest {
  return { status, refused: { why, message } };
}

async function readModelCall(
  request: http.IncomingMessage,
  route: ModelRoute,
  { run, gone, take }: { run: RunLedger } & Pick<Call, 'gone' | 'take'>,
): Promise<Call | RefusedRequest> {
  const { terms } = run;
  if (run.open.size > MAX_OPEN_REQUESTS)
    return refusedRequest(
      429,
      'request',
      `the run has more than ${MAX_OPEN_REQUESTS} open requests`,
    );
  if (!['', 'identity'].includes(request.headers['content-encoding'] ?? ''))
    return refusedRequest(415, 'request', 'the request must not be compressed');
  const text = await readRequestBody(request, take);
  if (text === null) return refusedRequest(413, 'request', TOO_LARGE);
  const parsed = parsedCall(route, request, text);
  const sent = typeof parsed === 'string' ? '' : parsed.sent;
  const spots = canarySpotter(terms.canary);
  if (spots(text) || spots(sent))
    return refusedRequest(terms.refusal, 'canary', 'the request contains an API key');
  if (typeof parsed === 'string') return refusedRequest(400, 'request', parsed);
  const call = { ...parsed, gone, take };
  const content = refusedModel(call, terms) ?? refusedContent(call, terms);
  return content === null ? call : refusedRequest(terms.refusal, 'content', content);
}

const TOO_LARGE = 'the request is larger than 20 MiB, or the open requests are larger than 64 MiB';

function refusedModel({ model }: Call, { target, models }: RunTerms): string | null {
  if (model === target.model || models.includes(model)) return null;
  const shown = shorten(visibleLine(model), MAX_MODEL_CHARS);
  return (
    `a request names the model "${shown}", and the suite names ${target.model}; to allow the ` +
    `model, write \`models: [${shown}]\` in the suite`
  );
}

const MAX_MODEL_CHARS = 100;

async function readRequestBody(
  request: http.IncomingMessage,
  take: TakeRoom,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const { byteLength } = chunk as Buffer;
    size += byteLength;
    if (!take(byteLength) || size > MAX_BODY_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function parsedCall(
  route: ModelRoute,
  { headers }: http.IncomingMessage,
  text: string,
): Omit<Call, 'gone' | 'take'> | string {
  const body = parseMap(text);
  if (body === null) return 'the request is not a JSON object';
  if (isDeeper(body, MOST_LEVELS)) return `the request is nested deeper than ${MOST_LEVELS} levels`;
  const model = route.model ?? body['model'];
  if (typeof model !== 'string' || model === '') return 'the request does not name a model';
  const betas = route.wire === 'anthropic' ? String(headers['anthropic-beta'] ?? '') : '';
  return { route, model, body, sent: JSON.stringify(body), betas };
}

/** Estimates, because the vendor's count would differ only a little. */
async function estimatedTokens(
  request: http.IncomingMessage,
  { wire }: { wire: Wire },
  take: TakeRoom,
): Promise<GatewayReply> {
  const text = await readRequestBody(request, take);
  if (text === null) return errorReply(wire, 413, TOO_LARGE);
  const tokens = Math.ceil(estimateTokens(withoutData(text)));
  const body = JSON.stringify(
    wire === 'gemini' ? { totalTokens: tokens } : { input_tokens: tokens },
  );
  return { status: 200, type: 'application/json', body };
}

/**
 * Lists only the suite's model, because a vendor's list changes weekly. codex reads `models`, other
 * CLIs `data`.
 */
function listModels({ terms }: RunLedger): GatewayReply {
  const data = [{ id: terms.target.model, object: 'model', created: 0, owned_by: 'evaldiff' }];
  const body = JSON.stringify({ object: 'list', data, models: [] });
  return { status: 200, type: 'application/json', body };
}
