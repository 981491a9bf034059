import { setTimeout as sleep } from 'node:timers/promises';
/** What a run is busy with at the moment, apart from waiting for batches. */
export interface Activity {
  /** Counts `work` as under way until it has ended. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Resolves once nothing has been under way for some turns of the event loop: by then everything
   * that could ask for more has done so.
   */
  quiet(): Promise<void>;
}

/** Steps that only compute are over within one turn; one more for what waits for those. */
const QUIET_TURNS = 3;

/** @param turn resolves in the next turn of the event loop. */
export function createActivity(turn: () => Promise<void>): Activity {
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
    async during(work) {
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
    async quiet() {
      for (let calm = 0; calm < QUIET_TURNS;) {
        await idle();
        const before = begun;
        await turn();
        calm = underWay === 0 && begun === before ? calm + 1 : 0;
      }
    },
  };
}

/**
 * What a sleep is for: a pause before the next step, or a bound on something that should be over
 * sooner – a call, whoever goes ahead of others, a program's first word, its end.
 */
export type Sleep = 'pause' | 'deadline' | 'head start' | 'silence' | 'end' | 'drain';

/** Time as the providers see it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after `ms`, or earlier (by resolving or rejecting) when the signal fires. */
  sleep(ms: number, signal: AbortSignal, what: Sleep): Promise<void>;
}

/** The machine's time. */
export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/**
 * Milliseconds that calls under way may take once a run is told to end: they are paid for. A runner
 * that cancels a job ends it ten seconds after its first signal, and the reports take some of them.
 */
const DRAIN_MS = 3000;

/** Calls `stop` a while after `signal` fires, unless the function that it returns is called before. */
export function stopAfterDrain(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  stop: () => void,
): () => void {
  const closed = new AbortController();
  const drain = async (): Promise<void> => {
    await pause(clock, DRAIN_MS, closed.signal, 'drain');
    if (!closed.signal.aborted) stop();
  };
  if (signal.aborted) void drain();
  else signal.addEventListener('abort', () => void drain(), { once: true, signal: closed.signal });
  return () => closed.abort();
}

/** Sleeps without ever rejecting; the caller looks at the signal. */
export async function pause(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  what: Sleep = 'pause',
): Promise<void> {
  try {
    await clock.sleep(ms, signal, what);
  } catch {
    // An aborted sleep is over, like any other.
  }
}

/** Starts a deadline; the returned function takes it back. */
type StartDeadline = (expired: () => void) => () => void;

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
        await pause(clock, wait, own.signal, 'deadline');
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
