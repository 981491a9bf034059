import type { KeptRecords } from '../../types/model.ts';
import type { TryHistory } from './tries.ts';

const KEY_LETTERS = 32;

/**
 * Takes a key's counts from the store with the most tries. Does not add them up, because stores may
 * be copies.
 */
export function storedHistory(
  stores: readonly KeptRecords[],
  hash: (text: string) => string,
): TryHistory {
  const hashOf = (key: string): string => hash(key).slice(0, KEY_LETTERS);
  const add = stores[0]?.addOutcomes;
  return {
    known(keys) {
      const hashed = new Map(keys.map((key) => [hashOf(key), key]));
      const found = new Map<string, { passes: number; tries: number }>();
      for (const store of stores) {
        for (const [hash, counts] of store.outcomes([...hashed.keys()])) {
          const key = hashed.get(hash) ?? hash;
          if ((found.get(key)?.tries ?? 0) < counts.tries) found.set(key, counts);
        }
      }
      return found;
    },
    add:
      add === undefined
        ? null
        : (rows) => {
            add(rows.map(({ key, ...counts }) => ({ key: hashOf(key), ...counts })));
          },
  };
}
