import { createHash } from 'node:crypto';
import { requestKey } from '../../../../src/app/session/request-key.ts';
import { createActivity, type Activity } from '../../../../src/edges/providers/clock.ts';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import type { Providers, ProviderOptions } from '../../../../src/edges/providers/index.ts';
import { createBatches } from '../../../../src/features/batch/batches.ts';
import type { BatchLedger } from '../../../../src/features/batch/open-batch.ts';
import type { BatchRecord, Completion, Request } from '../../../../src/types/model.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { startModelServer, vendorUrls } from '../../../stand-ins/models/server.ts';
import type { ModelServer, ServerOptions } from '../../../stand-ins/models/server.ts';
import {
  KEY,
  options,
  requestTo,
  says,
  testClock,
  type TestClock,
} from '../../../unit/edges/providers/providers-setting.ts';

export const keyOf = (request: Request): string =>
  requestKey(request, (text) => createHash('sha256').update(text).digest('hex'));
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A batch ledger in memory that records all events in order. */
export interface TestLedger extends BatchLedger {
  records: Map<string, BatchRecord>;
  kept: Map<string, Completion>;
  events: string[];
}

export function testLedger(): TestLedger {
  const records = new Map<string, BatchRecord>();
  const kept = new Map<string, Completion>();
  const events: string[] = [];
  return {
    records,
    kept,
    events,
    pending: async () => [...records.values()],
    async submitted(batch) {
      events.push(`submitted ${batch.id} of ${batch.requests.length}`);
      records.set(batch.id, structuredClone(batch));
      return true;
    },
    async keep(key, _, completion) {
      kept.set(key, completion);
    },
    async ended(id) {
      events.push(`ended ${id}`);
      records.delete(id);
    },
  };
}

export interface BatchSetting {
  vendor: VendorName;
  server: ModelServer;
  ledger: TestLedger;
  clock: TestClock;
  log: string[];
  providers: Providers;
  activity: Activity;
  halt: AbortController;
  request(content: string, changes?: Partial<Request> & { model?: string }): Request;
  ask(content: string, changes?: Partial<Request> & { model?: string }): Promise<Completion>;
  /** Another run with the same ledger and server. */
  again(overrides?: Partial<ProviderOptions>): BatchSetting;
  close(): Promise<void>;
}

export async function setUpBatches(
  vendor: VendorName,
  served: ServerOptions = {},
  overrides: Partial<ProviderOptions> = {},
): Promise<BatchSetting> {
  return settingOf(
    vendor,
    await startModelServer({ key: KEY, ...served }),
    testLedger(),
    overrides,
  );
}

function settingOf(
  vendor: VendorName,
  server: ModelServer,
  ledger: TestLedger,
  overrides: Partial<ProviderOptions>,
): BatchSetting {
  const clock = testClock();
  const log: string[] = [];
  const activity = createActivity(turn);
  const halt = new AbortController();
  const providers = createProviders(
    options({
      clock,
      log: (line) => log.push(line),
      vendorUrls: vendorUrls(server),
      signal: halt.signal,
      transport: {
        activity,
        open: (given) =>
          createBatches({ ...given, batches: { ledger, activity, turn, requestKey: keyOf } }),
      },
      ...overrides,
    }),
  );
  const request: BatchSetting['request'] = (content, { model = 'model-1', ...changes } = {}) =>
    requestTo(vendor, {
      messages: says(content),
      target: { provider: vendor, endpoint: null, model, transport: 'batch' },
      ...changes,
    });
  return {
    vendor,
    server,
    ledger,
    clock,
    log,
    providers,
    activity,
    halt,
    request,
    ask: (content, changes) => providers.complete(request(content, changes)),
    again: (more = {}) => settingOf(vendor, server, ledger, { ...overrides, ...more }),
    async close() {
      await providers.close();
      await server.close();
    },
  };
}
