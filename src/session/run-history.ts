import { z } from 'zod';
import type { TryHistory } from '../judge/history.ts';
import { noiseNoteSchema, type NoiseNote } from '../result/result.ts';
import type { Store } from '../store/index.ts';
import type { Counted } from '../store/records.ts';
import { byCodeUnits } from '../text/order.ts';
import { sha256 } from './cached-complete.ts';

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

const noteSchema = z.object({ noise_version: z.literal(1), ...noiseNoteSchema.shape });

/**
 * The latest measurement of the gate's own false alarms that the stores know of; one that cannot be
 * read is none.
 */
export function lastNoise(stores: readonly Store[]): NoiseNote | null {
  const notes = stores.map((store) => readNote(store.note(NOISE))).filter((note) => note !== null);
  return notes.sort((a, b) => byCodeUnits(b.measured_at, a.measured_at))[0] ?? null;
}

function readNote(body: string | null): NoiseNote | null {
  if (body === null) return null;
  try {
    const { noise_version: _, ...note } = noteSchema.parse(JSON.parse(body));
    return note;
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
