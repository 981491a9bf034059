import { pause } from '../clock.ts';
import type { Clock } from '../clock.ts';

/** A door that a server can have shut for a while. */
export interface Door {
  shut(): boolean;
  /** Shut for `ms` from now at least. */
  rest(ms: number): void;
}

/** `opened` is called when the door opens again; not when the signal ended the wait. */
export function createDoor(clock: Clock, signal: AbortSignal, opened: () => void): Door {
  let until = 0;
  let waiting = false;
  const wait = (): void => {
    const left = until - clock.now();
    if (left <= 0) {
      waiting = false;
      opened();
      return;
    }
    waiting = true;
    void pause(clock, left, signal).then(() => {
      if (!signal.aborted) wait();
    });
  };
  return {
    shut: () => until > clock.now(),
    rest(ms) {
      if (ms <= 0) return;
      until = Math.max(until, clock.now() + ms);
      if (!waiting) wait();
    },
  };
}
