import type { GivenPace } from '../types/endpoints.ts';
import { pause, type Clock } from './clock.ts';

/** Keeps to the pace that a user set, for one model or server. */
export interface Pacer {
  /** Runs `work` once fewer than the allowed calls are under way. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when the next request may be sent: they are spread over the minute. */
  turn(): Promise<void>;
  /** Keeps to this pace too, where it is slower: both sides of a comparison ask one server. */
  tighten(pace: GivenPace): void;
}

const MINUTE_MS = 60_000;

export function createPacer(clock: Clock, signal: AbortSignal): Pacer {
  const waiting: (() => void)[] = [];
  let atOnce = Number.POSITIVE_INFINITY;
  let spacingMs = 0;
  let free = 0;
  let busy = 0;
  return {
    async run(work) {
      if (busy >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) busy -= 1;
        else next();
      }
    },
    async turn() {
      if (spacingMs === 0) return;
      const now = clock.now();
      const at = Math.max(now, free);
      free = at + spacingMs;
      if (at > now) await pause(clock, at - now, signal);
    },
    tighten({ concurrency, requests_per_minute: perMinute }) {
      atOnce = Math.min(atOnce, concurrency ?? atOnce);
      if (perMinute !== null) spacingMs = Math.max(spacingMs, MINUTE_MS / perMinute);
    },
  };
}
