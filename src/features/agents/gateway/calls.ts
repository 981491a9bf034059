import { TransportError, transportFault, type Fault } from '../../../edges/providers/fault.ts';
import { billOfFault } from '../../../edges/providers/paid-attempt.ts';
import { withRetries, type CallAttempt } from '../../../edges/providers/retry.ts';
import { sdkFault } from '../../../edges/providers/sdk-fault.ts';
import { headerMark } from '../../../edges/store/entry.ts';
import { canonicalJson } from '../../../kernel/suite/canonical-json.ts';
import { secretPattern } from '../../../text/redact.ts';
import { visibleLine } from '../../../text/visible.ts';
import type { ErrorKind } from '../../../types/model.ts';
import { parseMap } from '../../../types/plain.ts';
import { holdCall, takeTurn, targetOf, type Held, type RunLedger } from './ledger.ts';
import { noteReply, noteRequest, offersTools } from './record.ts';
import { readModelReply, type ReplyFacts } from './replies.ts';
import { errorBody, type WireRoute } from './routes.ts';
import type { Call, GatewayOptions, Refused, StoredReply, Upstream, TakeRoom } from './terms.ts';

export interface GatewayReply {
  status: number;
  type: string;
  body: string | AsyncIterable<string>;
  retryAfter?: string | null;
  close?(): void;
}

export interface CallTools extends Omit<GatewayOptions, 'listen' | 'token'> {
  /** An identical call waits for the first one, then uses its stored reply. */
  inFlight: Map<string, Promise<void>>;
  /** Keys of replies that a run of this comparison paid for. */
  made: Set<string>;
}

/** A call fails if no byte arrives for this long. */
export const UPSTREAM_SILENCE_MS = 600_000;

interface Exchange {
  run: RunLedger;
  call: Call;
  tools: CallTools;
  key: string;
  upstream: Upstream;
  end(isAnswered: boolean): void;
}

type GatewayServer = Exclude<Upstream['server'], { problem: string }>;

export async function answerCall(
  run: RunLedger,
  call: Call,
  tools: CallTools,
): Promise<GatewayReply> {
  const { route, model, body, betas } = call;
  run.terms.sees?.(call.sent);
  const upstream = tools.upstreams.find(route.wire, targetOf(run.terms, model));
  const question = tools.hash(
    canonicalJson([upstream.place, route.below, betas, run.normalise(body)]),
  );
  const times = run.sent.get(question) ?? 0;
  run.sent.set(question, times + 1);
  noteRequest(run.witness, run.terms.agent, call);
  const mark = headerMark(upstream.place);
  const key = `${tools.hash(canonicalJson([question, run.terms.try, times]))}${mark}`;
  const leave = await enter(key, tools.inFlight);
  let isOpen = true;
  const end = (isAnswered: boolean) => {
    // A retry of a failed call must get the same key.
    if (isOpen && !isAnswered && run.sent.get(question) === times + 1)
      run.sent.set(question, times);
    isOpen = false;
    leave();
  };
  const exchange: Exchange = { run, call, tools, key, upstream, end };
  try {
    const kept = run.terms.anew ? null : await tools.stored.find(key);
    if (hasEnded(exchange)) return refuseCall(exchange, RUN_ENDED);
    const hold = await takeHold(exchange, kept !== null);
    if ('why' in hold) return refuseCall(exchange, hold);
    return kept === null ? await sendHeld(exchange, hold) : replay(exchange, hold, kept);
  } catch (error) {
    end(false);
    throw error;
  }
}

async function enter(key: string, inFlight: Map<string, Promise<void>>): Promise<() => void> {
  for (let ahead = inFlight.get(key); ahead !== undefined; ahead = inFlight.get(key)) await ahead;
  const { promise, resolve } = Promise.withResolvers<void>();
  inFlight.set(key, promise);
  return () => {
    if (inFlight.get(key) === promise) inFlight.delete(key);
    resolve();
  };
}

function hasEnded({ run, call }: Exchange): boolean {
  return run.cut.signal.aborted || call.gone.aborted;
}

async function takeHold(exchange: Exchange, isReplayed: boolean): Promise<Held | Refused> {
  const { run, call, tools } = exchange;
  const isOver = takeTurn(run);
  if (isOver !== null) return isOver;
  const { server } = exchange.upstream;
  const which = `call ${run.counts.calls} of this run (${visibleLine(call.model)}, try ${run.terms.try + 1})`;
  let refused: Refused | null = null;
  if (!isReplayed && tools.offline)
    refused = { why: 'offline', message: `offline, and no reply is stored for ${which}` };
  else if (!isReplayed && 'problem' in server)
    refused = { why: 'upstream', kind: 'key', message: server.problem };
  const hold = refused ?? (await holdCall(run, call, tools.ledger(), isReplayed));
  if ('why' in hold) run.counts.calls -= 1;
  return hold;
}

const RUN_ENDED = 'this run has ended';

/** Repeats the call while the vendor refuses it because of its rate limit or load. */
async function sendHeld(exchange: Exchange, first: Held): Promise<GatewayReply> {
  const { run, call, tools, upstream } = exchange;
  const { server } = upstream;
  if ('problem' in server) return refuseCall(exchange, server.problem);
  let hold: Held | null = first;
  const attempt = async (): Promise<CallAttempt<GatewayReply>> => {
    const startedAt = tools.now();
    const made = await attemptCall(exchange, hold, server);
    hold = null;
    return 'retry' in made
      ? { status: 'fault', fault: made, sent: true }
      : { status: 'ok', value: made, latencyMs: tools.now() - startedAt, waitMs: 0 };
  };
  const result = await withRetries(attempt, server.retry);
  if (result.status === 'ok') return result.value;
  const { kind, message } = result.fault;
  first.failed();
  noteFailure(exchange, kind, message);
  // With the vendor's status, the agent would repeat the call again.
  return errorReply(call.route.wire, run.terms.refusal, message);
}

/** @param known null for a repetition, which is an attempt, but not a turn. */
async function attemptCall(
  exchange: Exchange,
  known: Held | null,
  server: GatewayServer,
): Promise<GatewayReply | Fault> {
  const { run, call } = exchange;
  const hold = known ?? (await takeHold(exchange, false));
  if ('why' in hold) return refuseCall(exchange, hold);
  if (hasEnded(exchange)) {
    hold.failed();
    return refuseCall(exchange, RUN_ENDED);
  }
  run.counts.attempts += 1;
  if (known === null) run.counts.repeats += 1;
  try {
    return await sendReply(exchange, hold, server);
  } catch (error) {
    const isKnown = error instanceof TransportError;
    const found = isKnown ? transportFault(error, UPSTREAM_SILENCE_MS) : null;
    hold.failed(found === null ? 'unknown' : billOfFault(found));
    if (found === null) throw error;
    noteFailure(exchange, found.kind, found.message);
    return errorReply(call.route.wire, 502, found.message);
  }
}

function refuseCall({ run, call, end }: Exchange, refused: Refused | string): GatewayReply {
  end(false);
  const isWhole = typeof refused !== 'string';
  if (isWhole) run.refused.push(refused);
  return errorReply(call.route.wire, run.terms.refusal, isWhole ? refused.message : refused);
}

export function errorReply(wire: WireRoute['wire'], status: number, message: string): GatewayReply {
  const body = errorBody(wire, status, `evaldiff: ${message}`);
  return { status, type: 'application/json', body };
}

function noteFailure({ run, call, end }: Exchange, kind: ErrorKind, message: string): void {
  end(false);
  run.refused.push({ why: 'upstream', kind, message });
  if (call.model === run.terms.target.model) run.failure = { kind, message };
}

function replay(exchange: Exchange, hold: Held, kept: StoredReply): GatewayReply {
  const { run, call, tools, key, end } = exchange;
  const facts = readModelReply(call.route.does, kept.type, kept.body);
  if (facts !== null) noteReply(run.witness, call, facts, tools.made.has(key) ? 'other' : 'stored');
  hold.replayed(facts?.metered ?? { usage: null });
  noteServed(run, call, kept);
  end(true);
  return endAtDecision(exchange, facts) ?? { status: 200, type: kept.type, body: kept.body };
}

async function sendReply(
  exchange: Exchange,
  hold: Held,
  { url, fetch }: GatewayServer,
): Promise<GatewayReply | Fault> {
  const { run, call, tools } = exchange;
  const response = await fetch(`${url}/${call.route.below}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(call.betas !== '' && { 'anthropic-beta': call.betas }),
    },
    body: hold.sent,
  });
  const type = response.headers.get('content-type') || 'application/json';
  if (!response.ok) return await passError(exchange, hold, response, type);
  let facts: ReplyFacts | null = null;
  const relay = relayOf(response, {
    secrets: tools.upstreams.secrets(),
    take: call.take,
    async finish(text) {
      facts = readModelReply(call.route.does, type, text);
      if (facts === null) return 'the reply ended before it was complete';
      hold.paid(facts.metered);
      const stored = { type, body: text, model: facts.model, at: tools.now() };
      noteServed(run, call, stored);
      noteReply(run.witness, call, facts, 'own');
      tools.made.add(exchange.key);
      await tools.stored.keep(exchange.key, stored, targetOf(run.terms, call.model));
      exchange.end(true);
      return null;
    },
    fail: (kind, message) => noteFailure(exchange, kind, message),
    closed() {
      hold.lost();
      exchange.end(false);
    },
  });
  if (!run.terms.firstDecisionOnly || !offersTools(call)) return { status: 200, type, ...relay };
  await relay.drain();
  return (
    endAtDecision(exchange, facts) ?? errorReply(call.route.wire, 502, 'the reply is incomplete')
  );
}

/** Returns the fault if the call is to be repeated, or else the vendor's error. */
async function passError(
  exchange: Exchange,
  hold: Held,
  response: Response,
  type: string,
): Promise<GatewayReply | Fault> {
  const { redact, now } = exchange.tools;
  const body = redact(await response.text());
  hold.failed();
  const { status, headers } = response;
  const error = { status, headers, error: parseMap(body) };
  const found = sdkFault(error, { now: now(), timeoutMs: UPSTREAM_SILENCE_MS, redact });
  if (found.retry === 'limited') return found;
  noteFailure(exchange, found.kind, found.message);
  return { status, type, body, retryAfter: headers.get('retry-after') };
}

function noteServed(run: RunLedger, call: Call, reply: StoredReply): void {
  if (call.model !== run.terms.target.model) return;
  run.failure = null;
  if (reply.model !== null) Object.assign(run.served, { model: reply.model, at: reply.at });
}

/** Withholds the reply that ends a trigger test, so that the agent cannot act on it. */
function endAtDecision(exchange: Exchange, facts: ReplyFacts | null): GatewayReply | null {
  const { run, call } = exchange;
  if (facts === null || !run.terms.firstDecisionOnly || !offersTools(call)) return null;
  run.isDecided = true;
  run.cut.abort();
  return refuseCall(exchange, 'this run ends after its first decision');
}

const MAX_REPLY_CHARS = 20_000_000;

interface RelayOptions {
  secrets: readonly string[];
  take: TakeRoom;
  finish(text: string): Promise<string | null>;
  fail(kind: ErrorKind, message: string): void;
  closed(): void;
}

function relayOf(response: Response, options: RelayOptions) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const guard = keyGuard(options.secrets);
  let text = '';
  let isClosed = false;
  const lose = (kind: ErrorKind, message: string) => {
    if (!isClosed) options.fail(kind, message);
    throw new Error(message);
  };
  const hasRoom = (piece: string) => options.take(piece.length) && text.length <= MAX_REPLY_CHARS;
  async function* read(): AsyncGenerator<string> {
    for (let isOver = reader === undefined; !isOver;) {
      const next = await reader?.read().catch(() => lose('network', 'the reply was cut off'));
      isOver = next?.done !== false;
      const piece = guard(next?.value ?? null) ?? lose('reply', 'the reply contained the API key');
      text += piece;
      if (!hasRoom(piece)) return lose('reply', 'the reply is too large');
      if (isOver) {
        const flaw = isClosed ? null : await options.finish(text);
        if (flaw !== null) return lose('reply', flaw);
      }
      if (piece !== '') yield piece;
    }
  }
  const body = read();
  const close = () => {
    isClosed = true;
    options.closed();
    reader?.cancel().catch(() => undefined);
  };
  return {
    body,
    close,
    async drain() {
      try {
        while ((await body.next()).done !== true);
      } catch {
        // `fail` has already recorded the error.
      } finally {
        close();
      }
    },
  };
}

/** In characters, at most: several backslashes, and `&amp;amp;amp;#x0000073;`. */
const MAX_ESCAPED = 32;

/**
 * Returns null if the streamed text contains a secret in any form. Holds back the end of an
 * incomplete line, because a secret may begin there. Pass null last.
 */
function keyGuard(secrets: readonly string[]): (piece: string | null) => string | null {
  const pattern = secretPattern(secrets);
  const most = MAX_ESCAPED * Math.max(0, ...secrets.map((secret) => secret.length));
  let held = '';
  return (piece) => {
    const text = held + (piece ?? '');
    if (pattern !== null && text.search(pattern) >= 0) return null;
    const line = text.length - text.lastIndexOf('\n') - 1;
    const end = text.length - (piece === null ? 0 : Math.min(line, most));
    held = text.slice(end);
    return text.slice(0, end);
  };
}
