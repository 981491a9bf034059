import { stat } from 'node:fs/promises';
import type { Store } from '../../edges/store/index.ts';
import { textOf } from '../../types/answer.ts';
import type { Completion, Request, OkCompletion } from '../../types/model.ts';
import type { OpenStores } from './stores.ts';

export interface KeptStores {
  at(file: string, open: () => Promise<OpenStores>): Promise<OpenStores>;
  close(): Promise<void>;
}

interface KeptStore {
  file: string;
  mark: string | null;
  opened: OpenStores;
  stores: RememberingStore[];
}

export function createKeptStores(): KeptStores {
  let held: KeptStore | null = null;
  const close = async (): Promise<void> => {
    const last = held;
    held = null;
    await last?.opened.finish();
  };
  return {
    close,
    async at(file, open) {
      const isSame =
        held !== null &&
        held.file === file &&
        held.mark !== null &&
        held.mark === (await fileMark(file)) &&
        held.stores.every(({ isCurrent }) => isCurrent());
      if (!isSame) {
        await close();
        const opened = await open();
        const stores = opened.stores.map(remembering);
        held = { file, mark: await fileMark(file), opened, stores };
      }
      return { stores: held?.stores ?? [], finish: () => Promise.resolve() };
    },
  };
}

async function fileMark(file: string): Promise<string | null> {
  const found = await stat(file).catch(() => null);
  return found === null ? null : `${found.ino} ${found.birthtimeMs}`;
}

interface RememberingStore extends Store {
  isCurrent(): boolean;
}

const MAX_REMEMBERED_CHARS = 50_000_000;

function remembering(store: Store): RememberingStore {
  const made = new Set<string>();
  const answers = new Map<string, OkCompletion>();
  let letters = 0;
  let seen = store.version();
  const remembered = (key: string, { usable }: Request): Completion | null => {
    const known = answers.get(key);
    return known === undefined || usable?.(textOf(known)) === false ? null : known;
  };
  const remember = (key: string, completion: Completion): void => {
    // Only answers read from the store (`reused`) were verified against their keys.
    if (completion.status !== 'ok' || !completion.reused || letters > MAX_REMEMBERED_CHARS) return;
    letters += textOf(completion).length;
    answers.set(key, completion);
  };
  return {
    ...store,
    isCurrent() {
      const now = store.version();
      if (now !== seen) {
        answers.clear();
        letters = 0;
      }
      seen = now;
      return now !== null;
    },
    wrap(complete, keyOf) {
      const read = store.wrap(complete, keyOf);
      return async (request) => {
        const key = keyOf(request);
        if (request.anew === true) answers.delete(key);
        const known = remembered(key, request);
        if (known !== null) return known;
        const completion = ofThisRun(await read(request), made.has(key));
        if (completion.status === 'ok' && !completion.reused) made.add(key);
        remember(key, completion);
        return completion;
      };
    },
    has: (key) => answers.has(key) || store.has(key),
  };
}

function ofThisRun(completion: Completion, isMade: boolean): Completion {
  if (!isMade || completion.status !== 'ok') return completion;
  const { stored: _, ...own } = completion;
  return own;
}
