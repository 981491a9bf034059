import type { Activity } from '../../edges/providers/clock.ts';
import { answerCompletion, callCompletion } from '../../edges/providers/completion.ts';
import { budgetFault } from '../../edges/providers/fault.ts';
import type { CallOptions } from '../../edges/providers/hosted-server.ts';
import { reserveUntilAborted } from '../../edges/providers/paid-attempt.ts';
import type { Refusals } from '../../edges/providers/refusals.ts';
import { createFileSender } from '../../edges/providers/vendors/files.ts';
import { count } from '../../text/amounts.ts';
import type { BatchRecord, Completion, Request } from '../../types/model.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import type { QueuedRequest, Gatherer, Questions } from './batch-queue.ts';
import { faultOutcome, type OpenBatch, type RequestOutcome } from './batch-results.ts';
import { submit, type ManagedServer } from './batch-server.ts';
import { openBatch, runBatch, type BatchLedger, type EarlierBatches } from './open-batch.ts';

interface BatchOptions {
  ledger: BatchLedger;
  activity: Activity;
  turn(): Promise<void>;
  requestKey(request: Request): string;
}

export interface BatchesOptions extends CallOptions {
  batches: BatchOptions;
}

export interface VendorBatches extends Gatherer {
  server: ManagedServer;
  refusals: Refusals;
  /** The last upload of each model. Uploads run one by one, because each may take minutes. */
  sending: Map<string, Promise<void>>;
}

export interface Batching {
  options: BatchesOptions;
  questions: Questions;
  earlier: EarlierBatches;
  byVendor: Map<VendorName, VendorBatches>;
  held: Map<string, OpenBatch>;
  underWay: Set<OpenBatch>;
  finishing: Set<Promise<void>>;
  following: Set<Promise<void>>;
}

/** Sends as many of the requests as the budget has room for, and the others when it has again. */
export async function sendBatch(
  batching: Batching,
  server: ManagedServer,
  model: string,
  items: readonly QueuedRequest[],
): Promise<void> {
  const { questions, options } = batching;
  for (let rest = items; rest.length > 0;) {
    const holds = await reserveUntilAborted(
      rest.map(({ request, ask }) => ({ ...request, parameters: ask.parameters })),
      options,
    );
    if (holds === null) return;
    const allowed = rest.slice(0, holds.length);
    if (allowed.length === 0) {
      for (const { key } of rest) questions.settle(key, faultOutcome(budgetFault()));
      return;
    }
    for (const [index, hold] of holds.entries()) Object.assign(allowed[index] ?? {}, { hold });
    rest = rest.slice(holds.length);
    await sendAllowed(batching, server, model, allowed);
  }
}

async function sendAllowed(
  batching: Batching,
  server: ManagedServer,
  model: string,
  allowed: readonly QueuedRequest[],
): Promise<void> {
  const { questions, options } = batching;
  const { batches, clock, signal } = options;
  const files = createFileSender(options.readFile);
  const created = await submit(
    server,
    allowed.map(({ key, ask, endpoint }) => ({
      id: key,
      ...(endpoint.path === undefined ? {} : { path: endpoint.path }),
      body: async () => endpoint.body(await files.load(ask)),
    })),
    signal,
  );
  if (created.status === 'fault') {
    for (const { key } of allowed) questions.settle(key, created);
    return;
  }
  const requests = allowed.map(({ key, ask }) => ({ key, schema: ask.schema?.name ?? null }));
  const record: BatchRecord = {
    id: created.value,
    vendor: server.vendor.name,
    model,
    submitted_at: clock.now(),
    requests,
  };
  const kept = await batches.ledger.submitted(record);
  const lost = kept ? '' : '; it could not be stored, so no later run can fetch its results';
  server.log(`batch ${record.id}: sent ${count(allowed.length)} requests for ${model}${lost}`);
  followBatch(batching, openBatch(record, server, { earlier: false }));
}

export function followBatch(batching: Batching, batch: OpenBatch): void {
  const { questions, held, underWay, options } = batching;
  const { clock, signal, redact } = options;
  const { ledger, turn, activity } = options.batches;
  const { vendor } = batch.server;
  for (const key of batch.open) held.set(key, batch);
  underWay.add(batch);
  const following = runBatch(batch, {
    clock,
    signal,
    redact,
    async settle(key, outcome) {
      held.delete(key);
      if (questions.settle(key, outcome) || outcome.status === 'fault') return;
      await ledger.keep(
        key,
        { provider: vendor.name, endpoint: null, model: batch.model },
        batchCompletion(outcome, vendor.name, clock.now()),
      );
    },
    async forget() {
      underWay.delete(batch);
      // Callers store their answers in this turn of the event loop. Until then, the ledger keeps
      // the batch.
      await turn();
      await ledger.ended(batch.id);
    },
    // The next batch waits for requests that follow from results.
    finishing: (work) => trackWork(batching.finishing, activity.during(work)),
  });
  void trackWork(batching.following, following);
}

async function trackWork(set: Set<Promise<void>>, work: Promise<void>): Promise<void> {
  set.add(work);
  await work;
  set.delete(work);
}

export function batchCompletion(
  outcome: RequestOutcome,
  label: string,
  at: number | null = null,
): Completion {
  return outcome.status === 'ok'
    ? answerCompletion(outcome.value, null, at)
    : callCompletion({ ...outcome, sent: true, spent: outcome.fault.spent }, label);
}
