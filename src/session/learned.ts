import { z } from 'zod';
import type { BatchLedger } from '../providers/open-batch.ts';
import type { RefusalMemory } from '../providers/refusals.ts';
import type { Store } from '../store/index.ts';
import { sha256 } from './cached-complete.ts';

const form = z.enum(['schema', 'tool', 'plain']);

const noteSchema = z.strictObject({
  learned_version: z.literal(1),
  /** Milliseconds since 1970. */
  at: z.number(),
  parameters: z.record(z.string(), z.string().nullable()),
  forms: z.tuple([form], form),
});

/** Servers learn too: after so long a model is asked anew. */
const KEPT_MS = 30 * 86_400_000;

/**
 * What models refuse, as notes of the stores: read in all of them, written in the first. A store
 * that cannot be read or written costs a request, and never a run.
 */
export function refusalMemory(
  openStores: () => Promise<readonly Store[]>,
  now: () => number,
): RefusalMemory {
  return {
    async known(key) {
      for (const store of await openStores().catch(() => [])) {
        const note = readNote(store.note(nameOf(key)));
        if (note !== null && now() - note.at < KEPT_MS)
          return { parameters: note.parameters, forms: note.forms };
      }
      return null;
    },
    keep(key, { parameters, forms }) {
      const body = JSON.stringify({ learned_version: 1, at: now(), parameters, forms });
      openStores().then(
        ([store]) => store?.setNote(nameOf(key), body),
        () => undefined,
      );
    },
  };
}

function nameOf(key: string): string {
  return `refusals ${sha256(key).slice(0, 32)}`;
}

function readNote(body: string | null): z.infer<typeof noteSchema> | null {
  if (body === null) return null;
  try {
    return noteSchema.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

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
