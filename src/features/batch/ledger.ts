import type { Store } from '../../edges/store/index.ts';
import type { BatchLedger } from './open-batch.ts';

/** Batches are read in all stores and written in the first. */
export function ledgerOf(openStores: () => Promise<readonly Store[]>): BatchLedger {
  /** A store that cannot be written costs the reuse of a batch, and never a run. */
  const writing = async <T>(work: (store: Store) => T, without: T): Promise<T> => {
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
    submitted: (batch) => writing((store) => store.addBatch(batch), false),
    keep: (key, target, completion) =>
      writing((store) => {
        store.keep(key, target, completion);
      }, undefined),
    ended: (id) =>
      writing((store) => {
        store.endBatch(id);
      }, undefined),
  };
}
