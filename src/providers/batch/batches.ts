import type { BatchRecord, Completion, Request, Target, WaitingBatches } from '../../types.ts';
import type { Activity } from '../activity.ts';
import { addressOf } from '../address.ts';
import type { Access } from '../address.ts';
import { createGatherer, createQuestions } from './gather.ts';
import type { Asked, Gatherer, Questions } from './gather.ts';
import { createEarlier } from './ledger.ts';
import type { BatchLedger, Earlier } from './ledger.ts';
import type { Outcome } from './results.ts';
import { numbers, openBatch, runBatch } from './open-batch.ts';
import type { OpenBatch } from './open-batch.ts';
import { createManagedServer, submit } from './server.ts';
import type { ManagedServer, ServerOptions } from './server.ts';
import { budgetFault, fault, STOPPED } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { createRefusals } from '../refusals.ts';
import type { Refusals } from '../refusals.ts';
import type { Ask, VendorName } from '../vendor.ts';
import { vendors } from '../vendors.ts';

export interface BatchOptions {
  ledger: BatchLedger;
  /**
   * Says when nobody is going to ask for more before an answer comes: what is gathered is then
   * sent.
   */
  activity: Activity;
  /** Resolves in the next turn of the event loop. */
  turn(): Promise<void>;
  /** Hexadecimal, of at most 64 letters; equal for requests that may share one answer. */
  requestKey(request: Request): string;
}

export interface BatchesOptions extends ServerOptions, Access {
  batches: BatchOptions;
  /**
   * Asked for each request before its batch is sent; false: it is not part of it and ends with kind
   * `budget`.
   */
  onAttempt(request: Request): boolean;
}

type HostedTarget = Extract<Target, { provider: VendorName }>;

export interface Batches {
  complete(request: Request, target: HostedTarget): Promise<Completion>;
  /** Batches that were sent and have not ended; null: there are none. */
  waiting(): WaitingBatches | null;
  /**
   * Waits for a batch that is just being created, for it is paid for, and, unless the run was ended
   * early, for results that are being fetched; lets go of all others.
   */
  close(): Promise<void>;
}

interface VendorBatches extends Gatherer {
  server: ManagedServer;
  refusals: Refusals;
  /**
   * Batches are sent one after the other, for each may be as large as what the machine can send in
   * minutes.
   */
  sending: Promise<void>;
}

/** What is under way, in one place. */
interface Desk {
  options: BatchesOptions;
  questions: Questions;
  earlier: Earlier;
  byVendor: Map<VendorName, VendorBatches>;
  /** Requests that a batch holds, of this run or an earlier one. */
  held: Map<string, OpenBatch>;
  underWay: Set<OpenBatch>;
  /** Batches whose results are just being fetched, and those that are followed at all. */
  finishing: Set<Promise<void>>;
  following: Set<Promise<void>>;
}

/**
 * Asks in batches: gathers requests until nobody has more to ask or a batch is full, sends them,
 * writes the batch down, waits for it, and matches results by key. A request that a batch of an
 * earlier run holds waits for that one and is not sent.
 */
export function createBatches(options: BatchesOptions): Batches {
  const {
    batches: { ledger, requestKey },
    clock,
  } = options;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const desk: Desk = {
    options: { ...options, signal },
    questions: createQuestions(),
    earlier: createEarlier(ledger, clock),
    byVendor: new Map(),
    held: new Map(),
    underWay: new Set(),
    finishing: new Set(),
    following: new Set(),
  };
  signal.addEventListener(
    'abort',
    () => {
      desk.questions.settleAll(faulty(STOPPED));
    },
    { once: true },
  );
  return {
    async complete(request, target) {
      const of = vendorOf(desk, target);
      if ('status' in of) return of;
      const {
        server: { vendor, log },
        refusals,
      } = of;
      const refused = vendor.refuses(request.parameters);
      if (refused !== null) return toCompletion(faulty(fault('request', refused)), vendor.name);
      await desk.earlier.loaded();
      for (;;) {
        const ask = refusals.without(request);
        const outcome = await resultOf(desk, of, { key: requestKey(request), ask, request });
        const learnt =
          outcome.status === 'fault' ? refusals.learn(outcome.fault, request, ask) : null;
        if (learnt === null) return toCompletion(outcome, vendor.name);
        if (learnt.first)
          log(`model ${request.target.model} refuses ${learnt.what}; asking without it`);
      }
    },
    waiting() {
      const left = [...desk.underWay].filter(({ open }) => open.size > 0);
      return left.length === 0
        ? null
        : {
            ids: left.map(({ id }) => id),
            requests: left.reduce((sum, { open }) => sum + open.size, 0),
          };
    },
    async close() {
      const of = [...desk.byVendor.values()];
      if (!signal.aborted) await Promise.all(desk.finishing);
      closing.abort();
      await Promise.all(of.map(({ sending }) => sending));
      for (const { server } of of) server.close();
      await Promise.all(desk.following);
    },
  };
}

function faulty(of: Fault): Outcome {
  return { status: 'fault', fault: of };
}

/** A vendor's own server, or why it cannot be asked. */
function vendorOf(desk: Desk, target: HostedTarget): VendorBatches | Completion {
  const { byVendor, questions, options } = desk;
  const known = byVendor.get(target.provider);
  if (known !== undefined) return known;
  const vendor = vendors[target.provider];
  const address = addressOf({ ...target, endpoint: null }, options);
  if ('message' in address) return { status: 'error', kind: 'key', message: address.message };
  if (vendor.batches === null || target.endpoint !== null)
    return toCompletion(faulty(fault('request', 'answers no batches')), vendor.name);
  const server = createManagedServer(vendor, vendor.batches, address, options);
  const gatherer = createGatherer({
    activity: options.batches.activity,
    server,
    waiting: questions.size,
    send: (model, items) => {
      made.sending = made.sending.then(() => send(desk, server, model, items));
    },
  });
  const made: VendorBatches = {
    ...gatherer,
    server,
    refusals: createRefusals(),
    sending: Promise.resolve(),
  };
  byVendor.set(target.provider, made);
  return made;
}

/** The result of one question: of a batch that holds it, or of the next one. */
function resultOf(
  desk: Desk,
  of: VendorBatches,
  question: { key: string; ask: Ask; request: Request },
): Promise<Outcome> {
  const { questions, held, earlier, options } = desk;
  if (options.signal.aborted) return Promise.resolve(faulty(STOPPED));
  return new Promise((settle) => {
    const one: Asked = { ...question, settle };
    if (!questions.add(one) || held.has(one.key)) return;
    const batch = earlier.holding(one.key, of.server);
    if (batch === null) gather(desk, of, one);
    else follow(desk, batch);
  });
}

function gather({ questions }: Desk, of: VendorBatches, one: Asked): void {
  const refused = of.add(one);
  if (refused !== null)
    questions.settle(
      one.key,
      faulty(
        fault(
          'request',
          `the request takes ${numbers(refused.tooLarge)} bytes, more than a batch may hold`,
        ),
      ),
    );
}

async function send(
  desk: Desk,
  server: ManagedServer,
  model: string,
  items: readonly Asked[],
): Promise<void> {
  const {
    questions,
    options: {
      batches: { ledger },
      clock,
      signal,
      onAttempt,
    },
  } = desk;
  if (signal.aborted) return;
  const allowed = items.filter(
    ({ key, request }) => onAttempt(request) || !questions.settle(key, faulty(budgetFault())),
  );
  if (allowed.length === 0) return;
  const created = await submit(
    server,
    allowed.map(({ key, ask }) => ({ id: key, body: () => server.vendor.body(ask) })),
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
  const kept = await ledger.submitted(record);
  server.log(
    `batch ${record.id}: sent ${numbers(allowed.length)} requests for ${model}${kept ? '' : '; it could not be written down, so no later run can pick it up'}`,
  );
  follow(desk, openBatch(record, server, { earlier: false }));
}

/** Waits for a batch in the background. */
function follow(desk: Desk, batch: OpenBatch): void {
  const {
    questions,
    held,
    underWay,
    options: {
      batches: { ledger, turn, activity },
      clock,
      signal,
      redact,
    },
  } = desk;
  const {
    server: { vendor },
  } = batch;
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
        toCompletion(outcome, vendor.name),
      );
    },
    async forget() {
      underWay.delete(batch);
      // Those who asked write their answers within this turn; only then may the batch be forgotten.
      await turn();
      await ledger.ended(batch.id);
    },
    lost: () => lose(desk, batch),
    // Whoever gets a result may ask for more at once, and is waited for until all have theirs.
    finishing: (work) => during(desk.finishing, activity.during(work)),
  });
  void during(desk.following, following);
}

async function during(set: Set<Promise<void>>, work: Promise<void>): Promise<void> {
  set.add(work);
  await work;
  set.delete(work);
}

/** Of another account, or gone: what an earlier run's batch held is sent anew. */
async function lose(desk: Desk, batch: OpenBatch): Promise<void> {
  const {
    questions,
    held,
    underWay,
    byVendor,
    options: {
      batches: { ledger },
    },
  } = desk;
  const { id, earlier, server, open } = batch;
  server.log(
    `batch ${id}: the vendor does not know it (any more)${earlier ? '; what is still wanted of it is asked anew' : ''}`,
  );
  underWay.delete(batch);
  await ledger.ended(id);
  for (const key of open) {
    held.delete(key);
    const [one, of] = [questions.first(key), byVendor.get(server.vendor.name)];
    if (earlier && one !== null && of !== undefined) gather(desk, of, one);
    else questions.settle(key, faulty(fault('reply', `the vendor does not know batch ${id}`)));
  }
}

function toCompletion(outcome: Outcome, label: string): Completion {
  if (outcome.status === 'fault')
    return {
      status: 'error',
      kind: outcome.fault.kind,
      message: `${label}: ${outcome.fault.message}`,
    };
  const { output, finish_reason, tool_calls, usage } = outcome.value;
  return {
    status: 'ok',
    output,
    finish_reason,
    tool_calls,
    usage,
    latency_ms: null,
    reused: false,
  };
}
