import { pause, type Clock } from './clock.ts';

/**
 * Servers refuse at once and take their time to answer. Who has waited for so many milliseconds
 * behind a request that may be refused is let go.
 */
const HEAD_START_MS = 2000;

/** Lets one request of a kind go ahead, so that what it finds out is not found out by a wave. */
export interface Opening {
  /**
   * The right to go ahead, to be given back once it is over. Null after having waited for whoever
   * was ahead: what was found out has to be looked at anew.
   */
  lead(names: readonly string[]): Promise<(() => void) | null>;
}

export function createOpening(clock: Clock, signal: AbortSignal): Opening {
  /** Who is ahead, by name; null: that is over. */
  const ahead = new Map<string, Promise<void> | null>();
  return {
    async lead(names) {
      for (const name of names) {
        const before = ahead.get(name) ?? null;
        if (before === null) continue;
        await before;
        return null;
      }
      const fresh = names.filter((name) => !ahead.has(name));
      if (fresh.length === 0) return () => undefined;
      const over = new AbortController();
      const either = AbortSignal.any([signal, over.signal]);
      const waited = pause(clock, HEAD_START_MS, either, 'head start').then(() => {
        for (const name of fresh) ahead.set(name, null);
      });
      for (const name of fresh) ahead.set(name, waited);
      return () => {
        over.abort();
      };
    },
  };
}
