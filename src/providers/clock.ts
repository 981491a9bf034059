/** Time as the providers see it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after `ms`, or earlier (by resolving or rejecting) when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Sleeps without ever rejecting; the caller looks at the signal. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch {
    // An aborted sleep is over, like any other.
  }
}

/** Starts a deadline; the returned function takes it back. */
export type StartDeadline = (expired: () => void) => () => void;

/**
 * Deadlines of one length. However many are open, one sleep at a time looks after them: with equal
 * lengths they pass in the order in which they began, and a timer for every call would cost more
 * than the rest of the call.
 */
export function createDeadlines(clock: Clock, ms: number): StartDeadline {
  const open = new Set<{ at: number; expired: () => void }>();
  let watching: AbortController | null = null;
  const watch = async (own: AbortController): Promise<void> => {
    // Looked up anew after each pause: an iterator that is held would keep every deadline there
    // ever was.
    for (let [oldest] = open; oldest !== undefined; [oldest] = open) {
      const wait = oldest.at - clock.now();
      if (wait <= 0) {
        open.delete(oldest);
        oldest.expired();
      } else {
        await pause(clock, wait, own.signal);
        if (own.signal.aborted) return;
      }
    }
    if (watching === own) watching = null;
  };
  const start = (): void => {
    watching = new AbortController();
    void watch(watching);
  };
  return (expired) => {
    const entry = { at: clock.now() + ms, expired };
    open.add(entry);
    if (watching === null) start();
    return () => {
      open.delete(entry);
      if (open.size > 0) return;
      watching?.abort();
      watching = null;
    };
  };
}
