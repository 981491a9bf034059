import { MAX_REPLY_BYTES, fault, faultOfReply, type Fault } from '../../edges/providers/fault.ts';
import { httpFault } from '../../edges/providers/http-fault.ts';
import type { RetriedResult } from '../../edges/providers/retry.ts';
import { foreignLine, MAX_SAID_CHARS } from '../../edges/providers/sdk-fault.ts';
import type {
  BatchOutcome,
  BatchState,
  VendorOutput,
} from '../../edges/providers/vendors/vendor.ts';
import { MOST_LEVELS, isDeeper, member, parsedJson } from '../../types/plain.ts';
import type { ManagedServer } from './batch-server.ts';

export const MAX_RESULT_LINE_BYTES = MAX_REPLY_BYTES + 65_536;

const NEWLINE = 0x0a;

/** Yields undefined for a line that is invalid, too long or too deeply nested. */
export async function* jsonLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = () => {
    const line = size > MAX_RESULT_LINE_BYTES ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line === null ? undefined : parseResultLine(line);
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const value = take();
      if (value !== BLANK) yield value;
    }
    add(chunk.subarray(from));
  }
  const last = take();
  if (last !== BLANK) yield last;

  function add(part: Uint8Array): void {
    size += part.byteLength;
    if (size > MAX_RESULT_LINE_BYTES) parts = [];
    else if (part.byteLength > 0) parts.push(part);
  }
}

const BLANK = Symbol('blank');

function parseResultLine(line: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(line);
    const value = text.trim() === '' ? BLANK : parsedJson(text);
    return isDeeper(value, MOST_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
}

export type RequestOutcome =
  { status: 'ok'; value: VendorOutput } | { status: 'fault'; fault: Fault };

export function faultOutcome(of: Fault): RequestOutcome {
  return { status: 'fault', fault: of };
}

export interface OpenBatch {
  id: string;
  model: string;
  server: ManagedServer;
  /** Request key → name of the request's schema. */
  requests: ReadonlyMap<string, string | null>;
  open: Set<string>;
  earlier: boolean;
}

export interface ResultOptions {
  redact(text: string): string;
  settle(key: string, outcome: RequestOutcome): Promise<void>;
}

/** Reading stops if unknown lines outnumber requests by this much. */
const SPARE_LINES = 1000;

export function readResults(
  batch: OpenBatch,
  state: Extract<BatchState, { status: 'ended' }>,
  { settle, redact }: ResultOptions,
): Promise<RetriedResult<number>> {
  const { id, server, requests, open } = batch;
  return server.call(async (api) => {
    let strange = 0;
    for await (const stream of api.results(id, state)) {
      for await (const value of jsonLines(stream)) {
        const line = api.readLine(value);
        if (line === null || !requests.has(line.id)) strange += 1;
        // Ignores duplicates, because a restarted download repeats lines.
        else if (open.delete(line.id)) await settle(line.id, requestOutcome(batch, line, redact));
        if (strange > requests.size + SPARE_LINES) return strange;
      }
    }
    return strange;
  }, 'the batch results cannot be read');
}

export function unansweredFault(left: 'expired' | 'canceled' | null): Fault {
  switch (left) {
    case 'expired':
      return fault(
        'timeout',
        'the batch expired before this request was answered; run again to send it again',
      );
    case 'canceled':
      return fault(
        'server',
        'the batch was canceled before this request was answered; run again to send it again',
      );
    case null:
      return fault('reply', 'the batch has no result for this request');
  }
}

function requestOutcome(
  { server: { vendor }, model, requests }: OpenBatch,
  { id, outcome }: { id: string; outcome: BatchOutcome },
  redact: (text: string) => string,
): RequestOutcome {
  switch (outcome.kind) {
    case 'expired':
    case 'canceled':
      return faultOutcome(unansweredFault(outcome.kind));
    case 'error': {
      const { status, code } = outcome;
      const said = foreignLine(outcome.said, redact, MAX_SAID_CHARS);
      return faultOutcome(httpFault({ status, code, said, waitMs: null, shouldRetry: null }));
    }
    case 'reply': {
      const isResponse = member(outcome.data, 'object') === 'response';
      const endpoint = (isResponse ? vendor.responses : null) ?? vendor;
      const schema = requests.get(id) ?? null;
      const answer = endpoint.read(outcome.data, {
        model,
        parameters: null,
        schema: schema === null ? null : { name: schema, json: {} },
      });
      if (answer.kind === 'answer') return { status: 'ok', value: answer };
      const odd = fault('reply', `the reply in the batch is not a ${endpoint.replyName}`);
      return faultOutcome(answer.kind === 'odd' ? odd : faultOfReply(answer));
    }
  }
}
