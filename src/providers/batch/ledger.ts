import type { BatchRecord, Completion, Target } from '../../types.ts';
import { numbers, openBatch } from './open-batch.ts';
import type { OpenBatch } from './open-batch.ts';
import type { ManagedServer } from './server.ts';
import type { Clock } from '../clock.ts';

/**
 * Where batches are written down, so that a later run picks them up instead of paying again. Only
 * `pending` may reject.
 */
export interface BatchLedger {
  /** Batches whose results nobody has fetched. */
  pending(): Promise<BatchRecord[]>;
  /** Writes one down before it is waited for. False when that was not possible. */
  submitted(batch: BatchRecord): Promise<boolean>;
  /** Keeps an answer that this run did not ask for. */
  keep(key: string, target: Target, completion: Completion): Promise<void>;
  /** Its results have been fetched, or there are none. */
  ended(id: string): Promise<void>;
}

/** Vendors keep results for 29 and 30 days. */
const KEPT_MS = 29 * 24 * 60 * 60 * 1000;

/** What earlier runs left with the vendors. */
export interface Earlier {
  /** Looks it up, once. */
  loaded(): Promise<void>;
  /** The earlier run's batch that holds a request, given once: it is followed from then on. */
  holding(key: string, server: ManagedServer): OpenBatch | null;
}

/**
 * What the ledger holds of earlier runs; batches older than the vendors keep results for are
 * forgotten.
 */
export function createEarlier(ledger: BatchLedger, clock: Clock): Earlier {
  const records = new Map<string, BatchRecord>();
  const load = async (): Promise<void> => {
    for (const record of await ledger.pending()) {
      if (clock.now() - record.submitted_at > KEPT_MS) await ledger.ended(record.id);
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
        `batch ${record.id}: picked up, ${numbers(record.requests.length)} requests for ${record.model} sent ${new Date(record.submitted_at).toISOString()}`,
      );
      return openBatch(record, server, { earlier: true });
    },
  };
}
