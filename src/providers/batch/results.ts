import { jsonLines } from './lines.ts';
import type { ManagedServer } from './server.ts';
import type { BatchOutcome, BatchState } from './vendor.ts';
import { fault, httpFault } from '../fault.ts';
import type { Fault } from '../fault.ts';
import type { Tried } from '../retry.ts';
import { foreignLine } from '../sdk-fault.ts';
import type { Said } from '../vendor.ts';

/** What came of one request. */
export type Outcome = { status: 'ok'; value: Said } | { status: 'fault'; fault: Fault };

/** Lines beyond one for each request: after so many, the rest is not read. */
const SPARE_LINES = 1000;
/** Of what a vendor says about an error, this much is shown. */
const SAID = 300;

export interface Reading {
  server: ManagedServer;
  redact(text: string): string;
  /** Requests of the batch: the name of the schema that each one's answer was asked in. */
  requests: ReadonlyMap<string, string | null>;
  /** Requests without a result so far; those that get one are taken out. */
  open: Set<string>;
  /** Told of each request's result, in the vendor's order. */
  settle(key: string, outcome: Outcome): Promise<void>;
}

/**
 * Reads the results of a batch that has ended; the number of lines that were nobody's or could not
 * be read.
 */
export function readResults(
  id: string,
  state: Extract<BatchState, { status: 'ended' }>,
  reading: Reading,
): Promise<Tried<number>> {
  return reading.server.call(async (api) => {
    let strange = 0;
    for await (const stream of api.results(id, state)) {
      for await (const value of jsonLines(stream)) {
        const line = api.readLine(value);
        if (line === null || !reading.requests.has(line.id)) strange += 1;
        // A second line for a request, or the same one of a download that was begun anew, says
        // nothing new.
        else if (reading.open.delete(line.id))
          await reading.settle(
            line.id,
            outcomeOf(line.outcome, reading.requests.get(line.id) ?? null, reading),
          );
        if (strange > reading.requests.size + SPARE_LINES) return strange;
      }
    }
    return strange;
  }, 'the results of the batch cannot be read');
}

/** Why a request of a batch that has ended is without a result. */
export function leftOver(left: 'expired' | 'canceled' | null): Fault {
  switch (left) {
    case 'expired':
      return fault(
        'timeout',
        'the batch expired before this request was answered; run again to ask for it',
      );
    case 'canceled':
      return fault(
        'server',
        'the batch was canceled before this request was answered; run again to ask for it',
      );
    case null:
      return fault('reply', 'the batch has no result for this request');
  }
}

function outcomeOf(
  outcome: BatchOutcome,
  schema: string | null,
  { server: { vendor }, redact }: Reading,
): Outcome {
  switch (outcome.kind) {
    case 'expired':
    case 'canceled':
      return { status: 'fault', fault: leftOver(outcome.kind) };
    case 'error': {
      const { status, code, said } = outcome;
      return {
        status: 'fault',
        fault: httpFault({
          status,
          code,
          said: foreignLine(said, redact, SAID),
          waitMs: null,
          shouldRetry: null,
        }),
      };
    }
    case 'reply': {
      // Of a schema only the name counts when an answer is read.
      const ask = {
        model: '',
        parameters: {},
        messages: [],
        schema: schema === null ? null : { name: schema, json: {} },
      };
      const answer = vendor.read(outcome.data, ask);
      if (answer === null)
        return {
          status: 'fault',
          fault: fault('reply', `the reply in the batch is not a ${vendor.replyName}`),
        };
      if (answer.kind === 'withheld')
        return {
          status: 'fault',
          fault: fault('filtered', 'the answer was withheld by the content filter'),
        };
      return { status: 'ok', value: answer };
    }
  }
}
