import { z } from 'zod';
import type { RefusalMemory } from '../../edges/providers/refusals.ts';
import type { Store } from '../../edges/store/index.ts';
import { DAY_MS } from '../../text/amounts.ts';
import { sha256 } from './cached-complete.ts';

export function readNote<T>(schema: z.ZodType<T>, body: string | null): T | null {
  if (body === null) return null;
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

const formSchema = z.enum(['schema', 'tool', 'plain']);

const refusalSchema = z.strictObject({
  learned_version: z.literal(1),
  at: z.number(),
  parameters: z.record(z.string(), z.string().nullable()),
  forms: z.tuple([formSchema], formSchema),
});

/** After this time, refused parameters are tried again, because servers change. */
const KEPT_MS = 30 * DAY_MS;

/** If the store fails, one extra request shows what the model refuses. */
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
