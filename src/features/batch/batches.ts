import { addressOf } from '../../edges/providers/address.ts';
import { STOPPED, fault } from '../../edges/providers/fault.ts';
import { whyRefused } from '../../edges/providers/hosted.ts';
import type { RequestTransport } from '../../edges/providers/index.ts';
import { billOfFault } from '../../edges/providers/paid-attempt.ts';
import { createRefusals } from '../../edges/providers/refusals.ts';
import { vendors } from '../../edges/providers/vendors/index.ts';
import { answerEndpoint } from '../../edges/providers/vendors/vendor.ts';
import type { Completion, HostedTarget, Request } from '../../types/model.ts';
import { createGatherer, createQuestions, type QueuedRequest } from './batch-queue.ts';
import { faultOutcome, type RequestOutcome } from './batch-results.ts';
import { createManagedServer } from './batch-server.ts';
import { createEarlier } from './open-batch.ts';
import {
  followBatch,
  sendBatch,
  batchCompletion,
  type BatchesOptions,
  type Batching,
  type VendorBatches,
} from './send-batch.ts';

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
  const stop = (): void => batching.questions.settleAll(faultOutcome(STOPPED));
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
