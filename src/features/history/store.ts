import { z } from 'zod';
import { sha256 } from '../../app/session/cached-complete.ts';
import type { RefusalMemory } from '../../edges/providers/refusals.ts';
import type { Store } from '../../edges/store/index.ts';
import type { Counted } from '../../edges/store/records.ts';
import { noiseNoteSchema, type NoiseNote } from '../../kernel/result/pieces.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { BatchLedger } from '../batch/open-batch.ts';
import type { TryHistory } from './tries.ts';

const NOISE = 'noise';

/** Of a key's hash: enough that two questions never meet, and short in the file. */
const KEY_LETTERS = 32;

/**
 * The history that lies in stores. What several of them know is not added up, for one may have
 * begun as a copy of another.
 */
export function storedHistory(stores: readonly Store[]): TryHistory {
  return {
    known(keys) {
      const hashed = new Map(keys.map((key) => [hashOf(key), key]));
      const found = new Map<string, Counted>();
      for (const store of stores) {
        for (const [hash, counts] of store.outcomes([...hashed.keys()])) {
          const key = hashed.get(hash) ?? hash;
          if ((found.get(key)?.tries ?? 0) < counts.tries) found.set(key, counts);
        }
      }
      return found;
    },
    add(rows) {
      stores[0]?.addOutcomes(rows.map(({ key, ...counts }) => ({ key: hashOf(key), ...counts })));
    },
  };
}

function hashOf(key: string): string {
  return sha256(key).slice(0, KEY_LETTERS);
}

const noiseSchema = z.object({ noise_version: z.literal(1), ...noiseNoteSchema.shape });

/**
 * The latest measurement of the gate's own false alarms that the stores know of; one that cannot be
 * read is none.
 */
export function lastNoise(stores: readonly Store[]): NoiseNote | null {
  const notes = stores
    .map((store) => readNote(noiseSchema, store.note(NOISE)))
    .filter((note) => note !== null)
    .sort((a, b) => byCodeUnits(b.measured_at, a.measured_at));
  const [latest] = notes;
  if (latest === undefined) return null;
  const { noise_version: _, ...note } = latest;
  return note;
}

/** Null where there is no such note, or one of another form. */
function readNote<T>(schema: z.ZodType<T>, body: string | null): T | null {
  if (body === null) return null;
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

/**
 * Replaces the last measurement in the first store; does nothing where there is none or it may not
 * be written.
 */
export function keepNoise(
  stores: readonly Store[],
  { red, runs, low, high, measured_at }: NoiseNote,
): void {
  stores[0]?.setNote(
    NOISE,
    JSON.stringify({ noise_version: 1, red, runs, low, high, measured_at }),
  );
}

const form = z.enum(['schema', 'tool', 'plain']);

const refusalSchema = z.strictObject({
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
        const note = readNote(refusalSchema, store.note(refusalName(key)));
        if (note !== null && now() - note.at < KEPT_MS)
          return { parameters: note.parameters, forms: note.forms };
      }
      return null;
    },
    keep(key, { parameters, forms }) {
      const body = JSON.stringify({ learned_version: 1, at: now(), parameters, forms });
      openStores().then(
        ([store]) => store?.setNote(refusalName(key), body),
        () => undefined,
      );
    },
  };
}

function refusalName(key: string): string {
  return `refusals ${sha256(key).slice(0, 32)}`;
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
