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
  const take = (): unknown => {
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

/** Reading stops if unknown lines outnumber requests by this much. */
const SPARE_LINES = 1000;

interface ResultReading {
  server: ManagedServer;
  redact(text: string): string;
  model: string;
  requests: ReadonlyMap<string, string | null>;
  open: Set<string>;
  settle(key: string, outcome: RequestOutcome): Promise<void>;
}

export function readResults(
  id: string,
  state: Extract<BatchState, { status: 'ended' }>,
  reading: ResultReading,
): Promise<RetriedResult<number>> {
  return reading.server.call(async (api) => {
    let strange = 0;
    for await (const stream of api.results(id, state)) {
      for await (const value of jsonLines(stream)) {
        const line = api.readLine(value);
        if (line === null || !reading.requests.has(line.id)) strange += 1;
        // Ignores duplicates, because a restarted download repeats lines.
        else if (reading.open.delete(line.id))
          await reading.settle(
            line.id,
            requestOutcome(line.outcome, reading.requests.get(line.id) ?? null, reading),
          );
        if (strange > reading.requests.size + SPARE_LINES) return strange;
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
  outcome: BatchOutcome,
  schema: string | null,
  { server: { vendor }, model, redact }: ResultReading,
): RequestOutcome {
  switch (outcome.kind) {
    case 'expired':
    case 'canceled':
      return { status: 'fault', fault: unansweredFault(outcome.kind) };
    case 'error': {
      const { status, code, said } = outcome;
      return {
        status: 'fault',
        fault: httpFault({
          status,
          code,
          said: foreignLine(said, redact, MAX_SAID_CHARS),
          waitMs: null,
          shouldRetry: null,
        }),
      };
    }
    case 'reply': {
      const isResponse = member(outcome.data, 'object') === 'response';
      const endpoint = (isResponse ? vendor.responses : null) ?? vendor;
      const answer = endpoint.read(outcome.data, {
        model,
        parameters: null,
        schema: schema === null ? null : { name: schema, json: {} },
      });
      if (answer.kind === 'answer') return { status: 'ok', value: answer };
      const odd = fault('reply', `the reply in the batch is not a ${endpoint.replyName}`);
      return { status: 'fault', fault: answer.kind === 'odd' ? odd : faultOfReply(answer) };
    }
  }
}
