import { setTimeout as sleep } from 'node:timers/promises';

export type Activity = ReturnType<typeof createActivity>;

/**
 * After one idle turn of the event loop, all computation is done. Two more turns are a safety
 * margin.
 */
const QUIET_TURNS = 3;

export function createActivity(turn: () => Promise<void>) {
  let underWay = 0;
  let begun = 0;
  let ended: (() => void)[] = [];
  const idle = (): Promise<void> =>
    underWay === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          ended.push(resolve);
        });
  return {
    async during<T>(work: () => Promise<T>): Promise<T> {
      underWay += 1;
      begun += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          for (const resolve of ended) resolve();
          ended = [];
        }
      }
    },
    async quiet(): Promise<void> {
      for (let calm = 0; calm < QUIET_TURNS;) {
        await idle();
        const before = begun;
        await turn();
        calm = underWay === 0 && begun === before ? calm + 1 : 0;
      }
    },
  };
}

export type Sleep = 'pause' | 'deadline' | 'head start' | 'silence' | 'end' | 'drain';

export interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal, what: Sleep): Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Milliseconds. GitHub's runner kills a cancelled job after ten seconds. */
const DRAIN_MS = 3000;

export function stopAfterDrain(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  stop: () => void,
): () => void {
  const closed = new AbortController();
  const drain = async () => {
    await pause(clock, DRAIN_MS, closed.signal, 'drain');
    if (!closed.signal.aborted) stop();
  };
  if (signal.aborted) void drain();
  else signal.addEventListener('abort', () => void drain(), { once: true, signal: closed.signal });
  return () => closed.abort();
}

export async function pause(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  what: Sleep = 'pause',
): Promise<void> {
  try {
    await clock.sleep(ms, signal, what);
  } catch {
    // The sleep was aborted; the caller checks the signal.
  }
}

/** Deadlines of equal length share one timer, because a timer per call is too expensive. */
export function createDeadlines(clock: Clock, ms: number) {
  const open = new Set<{ at: number; expired: () => void }>();
  let watching: AbortController | null = null;
  const watch = async (own: AbortController) => {
    // Starts a new iterator after each wait, because an old one would keep every deadline in
    // memory.
    for (let [oldest] = open; oldest !== undefined; [oldest] = open) {
      const wait = oldest.at - clock.now();
      if (wait <= 0) {
        open.delete(oldest);
        oldest.expired();
      } else {
        await pause(clock, wait, own.signal, 'deadline');
        if (own.signal.aborted) return;
      }
    }
    if (watching === own) watching = null;
  };
  const start = () => {
    watching = new AbortController();
    void watch(watching);
  };
  return (expired: () => void): (() => void) => {
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
