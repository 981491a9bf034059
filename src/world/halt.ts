import type { Halt } from '../core/gate/halt.ts';

export interface HaltOptions {
  /** Milliseconds that the run may take; null: as long as it does. */
  timeoutMs: number | null;
  /** Where the signals come from; `process`. */
  process: Pick<NodeJS.EventEmitter, 'on' | 'off'> & { exit(code: number): void };
  log(line: string): void;
}

export interface Halting {
  /** Fires with a {@link Halt} as its reason. */
  signal: AbortSignal;
  halted(): Halt | null;
  /** Listens no longer. */
  release(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** As a shell reports a program that was ended by Ctrl-C. */
const INTERRUPTED = 130;

/**
 * Ends a run in time, or when it is told to: calls under way are let go, and what there is gets
 * judged and reported. The same signal a second time ends the program at once. (A runner that
 * cancels a job sends SIGINT, and SIGTERM 7.5 s later.)
 */
export function createHalting({ timeoutMs, process, log }: HaltOptions): Halting {
  const ending = new AbortController();
  const halt = (reason: Halt): void => {
    if (!ending.signal.aborted) ending.abort(reason);
  };
  const met = new Set<string>();
  const onSignal = (name: string): void => {
    if (met.has(name)) {
      process.exit(INTERRUPTED);
      return;
    }
    met.add(name);
    if (!ending.signal.aborted)
      log(
        `${name}: no further call is made; what there is will be reported. Once more ends at once.`,
      );
    halt({ title: 'Interrupted', why: `${name} came` });
  };
  const timer =
    timeoutMs === null
      ? null
      : setTimeout(() => {
          const minutes = timeoutMs / 60_000;
          halt({
            title: 'Time is up',
            why: `the run took longer than ${minutes === 1 ? '1 minute' : `${String(minutes)} minutes`} (timeout)`,
          });
        }, timeoutMs);
  timer?.unref();
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: ending.signal,
    halted: () => (ending.signal.aborted ? (ending.signal.reason as Halt) : null),
    release() {
      if (timer !== null) clearTimeout(timer);
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
