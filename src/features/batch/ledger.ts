import type { Store } from '../../edges/store/index.ts';
import type { BatchLedger } from './open-batch.ts';

export function ledgerOf(openStores: () => Promise<readonly Store[]>): BatchLedger {
  /** If the store is not writable, this run continues, but later runs cannot resume the batch. */
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
