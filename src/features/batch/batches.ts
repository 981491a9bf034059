import { addressOf } from '../../edges/providers/address.ts';
import type { Activity } from '../../edges/providers/clock.ts';
import { answerCompletion, callCompletion } from '../../edges/providers/completion.ts';
import { STOPPED, fault, budgetFault } from '../../edges/providers/fault.ts';
import type { CallOptions } from '../../edges/providers/hosted-server.ts';
import { whyRefused } from '../../edges/providers/hosted.ts';
import type { RequestTransport } from '../../edges/providers/index.ts';
import { billOfFault, reserveUntilAborted } from '../../edges/providers/paid-attempt.ts';
import { createRefusals, type Refusals } from '../../edges/providers/refusals.ts';
import { createFileSender, fileBytes } from '../../edges/providers/vendors/files.ts';
import { vendors } from '../../edges/providers/vendors/index.ts';
import {
  answerEndpoint,
  type AnswerEndpoint,
  type Ask,
  type BatchLimits,
} from '../../edges/providers/vendors/vendor.ts';
import { count } from '../../text/amounts.ts';
import type { Hold } from '../../types/hold.ts';
import type { Completion, HostedTarget, Request, BatchRecord } from '../../types/model.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { faultOutcome, type RequestOutcome, type OpenBatch } from './batch-results.ts';
import { createManagedServer, submit, type ManagedServer } from './batch-server.ts';
import {
  createEarlier,
  openBatch,
  runBatch,
  type BatchLedger,
  type EarlierBatches,
} from './open-batch.ts';

export function createBatches(options: BatchesOptions): RequestTransport {
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const batching: Batching = {
    options: { ...options, signal },
    questions: createQuestions(),
    earlier: createEarlier(options.batches.ledger, options.clock),
    byVendor: new Map(),
    held: new Map(),
    underWay: new Set(),
    finishing: new Set(),
    following: new Set(),
  };
  const stop = () => batching.questions.settleAll(faultOutcome(STOPPED));
  signal.addEventListener('abort', stop, { once: true });
  return {
    async complete(request, target) {
      const of = vendorBatches(batching, target);
      return 'status' in of ? of : answerInBatch(batching, of, request, target);
    },
    waiting() {
      const left = [...batching.underWay].filter(({ open }) => open.size > 0);
      return left.length === 0
        ? null
        : {
            ids: left.map(({ id }) => id),
            requests: left.reduce((sum, { open }) => sum + open.size, 0),
          };
    },
    async close() {
      const of = [...batching.byVendor.values()];
      if (!signal.aborted) await Promise.all(batching.finishing);
      closing.abort();
      await Promise.all(of.flatMap(({ sending }) => [...sending.values()]));
      for (const { server } of of) server.close();
      await Promise.all(batching.following);
    },
  };
}

async function answerInBatch(
  batching: Batching,
  of: VendorBatches,
  request: Request,
  target: HostedTarget,
): Promise<Completion> {
  const { server, refusals } = of;
  const { vendor, log } = server;
  const refused = vendor.refuses(request.parameters) ?? whyRefused(request, target);
  if (refused !== null)
    return batchCompletion(faultOutcome(fault('request', refused)), vendor.name);
  await batching.earlier.loaded();
  const key = batching.options.batches.requestKey(request);
  await refusals.recall(target);
  const endpoint = answerEndpoint(vendor, target, request.parameters);
  for (;;) {
    const ask = refusals.without(request);
    const outcome = await resultOf(batching, of, { key, ask, endpoint, request });
    const learnt = outcome.status === 'fault' ? refusals.learn(outcome.fault, request, ask) : null;
    if (learnt === null) return batchCompletion(outcome, vendor.name, batching.options.clock.now());
    if (learnt.first)
      log(`model ${request.target.model} rejects ${learnt.what}; retrying without it`);
  }
}

function vendorBatches(batching: Batching, target: HostedTarget): VendorBatches | Completion {
  const { byVendor, questions, options } = batching;
  const known = byVendor.get(target.provider);
  if (known !== undefined) return known;
  const vendor = vendors[target.provider];
  const address = addressOf({ ...target, endpoint: null }, options);
  if ('message' in address) return { status: 'error', kind: 'key', message: address.message };
  if (vendor.batches === null || target.endpoint !== null)
    return batchCompletion(faultOutcome(fault('request', 'answers no batches')), vendor.name);
  const server = createManagedServer(vendor, vendor.batches, address, options);
  const gatherer = createGatherer({
    activity: options.batches.activity,
    server,
    waiting: questions.size,
    send: (model, items) => {
      const before = made.sending.get(model) ?? Promise.resolve();
      made.sending.set(
        model,
        before.then(() => sendBatch(batching, server, model, items)),
      );
    },
  });
  const made: VendorBatches = {
    ...gatherer,
    server,
    refusals: createRefusals(address.base.href, options.memory),
    sending: new Map(),
  };
  byVendor.set(target.provider, made);
  return made;
}

function resultOf(
  batching: Batching,
  of: VendorBatches,
  question: Omit<QueuedRequest, 'settle'>,
): Promise<RequestOutcome> {
  const { questions, held, earlier, options } = batching;
  if (options.signal.aborted) return Promise.resolve(faultOutcome(STOPPED));
  return new Promise((settle) => {
    const waiting: QueuedRequest = {
      ...question,
      settle(outcome) {
        waiting.hold?.settle(outcome.status === 'ok' ? outcome.value : billOfFault(outcome.fault));
        settle(outcome);
      },
    };
    if (!questions.add(waiting) || held.has(waiting.key)) return;
    const batch = earlier.holding(waiting.key, of.server);
    if (batch === null) of.add(waiting);
    else followBatch(batching, batch);
  });
}

interface BatchOptions {
  ledger: BatchLedger;
  activity: Activity;
  turn(): Promise<void>;
  requestKey(request: Request): string;
}

interface BatchesOptions extends CallOptions {
  batches: BatchOptions;
}

interface VendorBatches extends Gatherer {
  server: ManagedServer;
  refusals: Refusals;
  /** The last upload of each model. Uploads run one by one, because each may take minutes. */
  sending: Map<string, Promise<void>>;
}

interface Batching {
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
async function sendBatch(
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

function followBatch(batching: Batching, batch: OpenBatch): void {
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

function batchCompletion(
  outcome: RequestOutcome,
  label: string,
  at: number | null = null,
): Completion {
  return outcome.status === 'ok'
    ? answerCompletion(outcome.value, null, at)
    : callCompletion({ ...outcome, sent: true, spent: outcome.fault.spent }, label);
}

export function createPacker<T>(limits: BatchLimits) {
  let items: T[] = [];
  let size = 0;
  const take = (): readonly T[] => {
    const taken = items;
    items = [];
    size = 0;
    return taken;
  };
  return {
    /** Returns a batch once it is full, else null. An item that is too large is sent alone. */
    add(item: T, bytes: number): readonly T[] | null {
      const full = items.length > 0 && size + bytes > limits.bytes ? take() : null;
      items.push(item);
      size += bytes;
      if (full !== null) return full;
      return items.length >= limits.requests ? take() : null;
    },
    take,
  };
}

export interface QueuedRequest {
  key: string;
  request: Request;
  ask: Ask;
  endpoint: AnswerEndpoint;
  /** Absent until the request is sent. */
  hold?: Hold;
  settle(outcome: RequestOutcome): void;
}

interface Questions {
  /** Returns false if a request with this key is already waiting. */
  add(question: QueuedRequest): boolean;
  /** Returns false if no request was waiting for the key. */
  settle(key: string, outcome: RequestOutcome): boolean;
  settleAll(outcome: RequestOutcome): void;
  size(): number;
}

function createQuestions(): Questions {
  const asked = new Map<string, QueuedRequest[]>();
  const settle = (key: string, outcome: RequestOutcome) => {
    const waiting = asked.get(key);
    asked.delete(key);
    for (const question of waiting ?? []) question.settle(outcome);
    return waiting !== undefined;
  };
  return {
    settle,
    add(question) {
      const others = asked.get(question.key);
      if (others === undefined) asked.set(question.key, [question]);
      else others.push(question);
      return others === undefined;
    },
    settleAll(outcome) {
      for (const key of [...asked.keys()]) settle(key, outcome);
    },
    size: () => asked.size,
  };
}

interface Gatherer {
  add(question: QueuedRequest): void;
}

interface GatherOptions {
  activity: Activity;
  server: ManagedServer;
  /** Number of waiting requests at all vendors. While it grows, incomplete batches wait. */
  waiting(): number;
  /** OpenAI requires one model per batch. */
  send(model: string, items: readonly QueuedRequest[]): void;
}

export function createGatherer({ activity, server, waiting, send }: GatherOptions): Gatherer {
  const { api } = server;
  const packers = new Map<
    string,
    { model: string; packer: ReturnType<typeof createPacker<QueuedRequest>> }
  >();
  let gathering = false;
  const sendWhenQuiet = async () => {
    gathering = true;
    for (let before = -1; before !== waiting();) {
      before = waiting();
      await activity.quiet();
    }
    gathering = false;
    for (const { model, packer } of packers.values()) {
      const items = packer.take();
      if (items.length > 0) send(model, items);
    }
  };
  return {
    add(question) {
      const { model } = question.request.target;
      const { key, ask, endpoint } = question;
      const { path } = endpoint;
      const kind = `${path ?? ''} ${model}`;
      const found = packers.get(kind) ?? { model, packer: createPacker<QueuedRequest>(api.limits) };
      const { packer } = found;
      packers.set(kind, found);
      const bytes = api.bytes(key, JSON.stringify(endpoint.body(ask)), path) + fileBytes(ask);
      const full = packer.add(question, bytes);
      if (full !== null) send(model, full);
      if (!gathering) void sendWhenQuiet();
    },
  };
}
