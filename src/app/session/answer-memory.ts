import type { Store } from '../../edges/store/index.ts';
import { textOf } from '../../types/answer.ts';
import type { Completion, OkCompletion, Request } from '../../types/model.ts';

export type RememberStore = (store: Store) => Store;

const MAX_REMEMBERED_CHARS = 50_000_000;

/**
 * For a process that evaluates again and again: remembers answers that a store had, and which ones
 * this process made. Those do not count as stored earlier.
 */
export function createAnswerMemory(): RememberStore {
  const made = new Set<string>();
  const answers = new Map<string, OkCompletion>();
  let letters = 0;
  const remember = (key: string, completion: OkCompletion) => {
    if (letters > MAX_REMEMBERED_CHARS) return;
    letters += textOf(completion).length;
    answers.set(key, completion);
  };
  const ofThisProcess = (key: string, completion: Completion): Completion => {
    if (completion.status !== 'ok') return completion;
    // Only answers read from the store (`reused`) were verified against their keys.
    if (!completion.reused) {
      made.add(key);
      return completion;
    }
    const { stored: _, ...own } = completion;
    const found = made.has(key) ? own : completion;
    remember(key, found);
    return found;
  };
  return (store) => ({
    ...store,
    wrap(complete, keyOf) {
      const read = store.wrap(complete, keyOf);
      return async (request: Request) => {
        const key = keyOf(request);
        if (request.anew === true) answers.delete(key);
        const known = answers.get(key);
        return known === undefined || request.usable?.(textOf(known)) === false
          ? ofThisProcess(key, await read(request))
          : known;
      };
    },
    has: (key) => answers.has(key) || store.has(key),
  });
}
