import { pause, type Clock } from '../../edges/providers/clock.ts';
import { fault, type Fault } from '../../edges/providers/fault.ts';
import { foreignLine, MAX_SAID_CHARS } from '../../edges/providers/sdk-fault.ts';
import type { BatchState } from '../../edges/providers/vendors/vendor.ts';
import type { Store } from '../../edges/store/index.ts';
import { count, DAY_MS } from '../../text/amounts.ts';
import type { BatchRecord, Completion, Target } from '../../types/model.ts';
import {
  faultOutcome,
  unansweredFault,
  readResults,
  type OpenBatch,
  type RequestOutcome,
  type ResultOptions,
} from './batch-results.ts';
import type { ManagedServer } from './batch-server.ts';

const POLL = { firstMs: 10_000, growth: 1.5, longestMs: 300_000 };

async function pollUntil(
  look: () => Promise<'done' | 'wait'>,
  { clock, signal, atOnce }: { clock: Clock; signal: AbortSignal; atOnce: boolean },
): Promise<void> {
  let ms = POLL.firstMs;
  for (let first = true; !signal.aborted; first = false) {
    if (!first || !atOnce) {
      await pause(clock, ms, signal);
      ms = Math.min(POLL.longestMs, ms * POLL.growth);
      if (signal.aborted) return;
    }
    if ((await look()) === 'done') return;
  }
}

interface BatchRunOptions extends ResultOptions {
  clock: Clock;
  signal: AbortSignal;
  forget(): Promise<void>;
  finishing(work: () => Promise<void>): Promise<void>;
}

/** After this many failed polls in a row (about 40 minutes), the requests fail. */
const MAX_FAILURES = 10;

const SAY_EVERY = 6;

/** `earlier`: another run created the batch. Its requests without a result are sent again. */
export function openBatch(
  { id, model, requests }: BatchRecord,
  server: ManagedServer,
  { earlier }: Pick<OpenBatch, 'earlier'>,
): OpenBatch {
  const schemas = new Map(requests.map(({ key, schema }) => [key, schema]));
  return { id, model, server, requests: schemas, open: new Set(schemas.keys()), earlier };
}

export async function runBatch(batch: OpenBatch, options: BatchRunOptions): Promise<void> {
  const { server, id } = batch;
  const { clock, signal } = options;
  const say = createTeller(batch);
  let failures = 0;
  await pollUntil(
    async () => {
      const looked = await server.call(
        (api) => api.state(id),
        'the reply to the batch status request cannot be read',
      );
      if (signal.aborted) return 'done';
      if (looked.status === 'fault') {
        if (looked.fault.status === 404)
          return await finish(() => forgetUnknown(batch, options), options);
        failures += 1;
        if (looked.fault.kind !== 'key' && failures < MAX_FAILURES) return 'wait';
        const failure = fetchableLater(looked.fault, id);
        return await finish(() => settleRest(batch, failure, options), options);
      }
      failures = 0;
      if (looked.value.status === 'waiting') {
        say(looked.value);
        return 'wait';
      }
      const state = looked.value;
      return await finish(
        () =>
          state.status === 'failed'
            ? failBatch(batch, state, options)
            : collect(batch, state, options),
        options,
      );
    },
    { clock, signal, atOnce: batch.earlier },
  );
}

async function finish(work: () => Promise<void>, { finishing }: BatchRunOptions): Promise<'done'> {
  await finishing(work);
  return 'done';
}

async function collect(
  batch: OpenBatch,
  state: Extract<BatchState, { status: 'ended' }>,
  options: BatchRunOptions,
): Promise<void> {
  const { server, id, requests, open } = batch;
  const read = await readResults(batch, state, options);
  if (options.signal.aborted && open.size > 0) return;
  if (read.status === 'fault' && read.fault.status !== 404)
    return settleRest(batch, fetchableLater(read.fault, id), options);
  if (read.status === 'ok' && read.value > 0)
    server.log(
      `batch ${id}: ${read.value} result lines are unreadable or match no request; they were ignored`,
    );
  const counts = `${count(requests.size - open.size)} of ${count(requests.size)}`;
  server.log(`batch ${id}: ended, ${counts} requests with a result`);
  await settleRest(
    batch,
    faultOutcome(read.status === 'fault' ? read.fault : unansweredFault(state.left)),
    options,
  );
  await options.forget();
}

async function failBatch(
  batch: OpenBatch,
  { code, said }: Extract<BatchState, { status: 'failed' }>,
  options: BatchRunOptions,
): Promise<void> {
  const words = foreignLine(`${code} ${said}`.trim(), options.redact, MAX_SAID_CHARS);
  await settleRest(
    batch,
    faultOutcome(
      fault('request', `the batch was refused${words === '' ? '' : `: ${words}`}`, {
        detail: `${code} ${said}`,
      }),
    ),
    options,
  );
  await options.forget();
}

/** The vendor may not know the batch, for example because another account created it. */
async function forgetUnknown(batch: OpenBatch, options: BatchRunOptions): Promise<void> {
  const message = `the vendor does not know batch ${batch.id}; run again to send it again`;
  await settleRest(batch, faultOutcome(fault('reply', message)), options);
  await options.forget();
}

async function settleRest(
  { open }: OpenBatch,
  outcome: RequestOutcome,
  { settle }: BatchRunOptions,
): Promise<void> {
  for (const key of [...open]) {
    open.delete(key);
    await settle(key, outcome);
  }
}

function fetchableLater(found: Fault, id: string): RequestOutcome {
  return faultOutcome({
    ...found,
    message: `${found.message}; batch ${id} is recorded; run again to fetch its results`,
  });
}

function createTeller({
  id,
  server,
  requests,
}: OpenBatch): (state: { done: number; total: number }) => void {
  let told = -1;
  let looks = 0;
  return ({ done, total }) => {
    looks += 1;
    if (done === told && looks % SAY_EVERY !== 0) return;
    told = done;
    server.log(`batch ${id}: ${count(done)} of ${count(total === 0 ? requests.size : total)} done`);
  };
}

/** Later runs can resume batches, which are already paid for. Only `pending` may reject. */
export function ledgerOf(openStores: () => Promise<readonly Store[]>) {
  /** If the store is not writable, this run continues, but later runs cannot resume the batch. */
  const writing = async <T>(work: (store: Store) => T, without: T) => {
    try {
      const [store] = await openStores();
      return store === undefined ? without : work(store);
    } catch {
      return without;
    }
  };
  return {
    async pending() {
      const found = (await openStores()).flatMap((store) => store.batches());
      return [...new Map(found.map((batch) => [batch.id, batch])).values()];
    },
    submitted: (batch: BatchRecord) => writing((store) => store.addBatch(batch), false),
    /** Stores an answer that this run did not request. */
    keep: (key: string, target: Target, completion: Completion) =>
      writing((store) => {
        store.keep(key, target, completion);
      }, undefined),
    ended: (id: string) =>
      writing((store) => {
        store.endBatch(id);
      }, undefined),
  };
}

export type BatchLedger = ReturnType<typeof ledgerOf>;

/** Vendors keep results for 29 or 30 days. */
const RESULTS_KEPT_MS = 29 * DAY_MS;

export interface EarlierBatches {
  loaded(): Promise<void>;
  /** Returns each earlier batch only once. */
  holding(key: string, server: ManagedServer): OpenBatch | null;
}

export function createEarlier(ledger: BatchLedger, clock: Clock): EarlierBatches {
  const records = new Map<string, BatchRecord>();
  const load = async () => {
    for (const record of await ledger.pending()) {
      if (clock.now() - record.submitted_at > RESULTS_KEPT_MS) await ledger.ended(record.id);
      else for (const { key } of record.requests) records.set(`${record.vendor} ${key}`, record);
    }
  };
  let loading: Promise<void> | null = null;
  return {
    loaded: () => (loading ??= load()),
    holding(key, server) {
      const record = records.get(`${server.vendor.name} ${key}`);
      if (record === undefined) return null;
      for (const each of record.requests) records.delete(`${record.vendor} ${each.key}`);
      server.log(
        `batch ${record.id}: picked up, ${count(record.requests.length)} requests for ` +
          `${record.model} sent ${new Date(record.submitted_at).toISOString()}`,
      );
      return openBatch(record, server, { earlier: true });
    },
  };
}
