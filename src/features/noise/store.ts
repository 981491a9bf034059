import { z } from 'zod';
import { readNote } from '../../app/session/refusal-memory.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { KeptRecords } from '../../types/model.ts';
import { noiseNoteSchema, type NoiseNote } from './note.ts';

const NOISE_NOTE = 'noise';

const noiseSchema = z.object({ noise_version: z.literal(1), ...noiseNoteSchema.shape });

export function lastNoise(stores: readonly KeptRecords[]): NoiseNote | null {
  const notes = stores
    .map((store) => readNote(noiseSchema, store.note(NOISE_NOTE)))
    .filter((note) => note !== null)
    .sort((a, b) => byCodeUnits(b.measured_at, a.measured_at));
  const [latest] = notes;
  if (latest === undefined) return null;
  const { noise_version: _, ...note } = latest;
  return note;
}

export function keepNoise(
  stores: readonly KeptRecords[],
  { red, runs, low, high, measured_at }: NoiseNote,
): void {
  stores[0]?.setNote?.(
    NOISE_NOTE,
    JSON.stringify({ noise_version: 1, red, runs, low, high, measured_at }),
  );
}
