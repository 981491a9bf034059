import {
  createActivity,
  type Activity,
  type BatchLedger,
  type Providers,
} from '../providers/index.ts';
import type { Store } from '../store/index.ts';
import type { Halt } from '../core/gate/halt.ts';

/**
 * The stores as the place where batches are written down: read in all of them, written in the
 * first.
 */
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

/** Resolves in the next turn of the event loop, when all that only computes has been done. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export function activityOfRun(): Activity {
  return createActivity(nextTurn);
}

/** Why the run ends before its plan is done, with what it leaves at the vendors. */
export function haltWith(halt: Halt | null, providers: Pick<Providers, 'waiting'>): Halt | null {
  const waiting = halt === null ? null : providers.waiting();
  return halt === null || waiting === null ? halt : { ...halt, waiting };
}
