import type { GivenPace } from '../types/endpoints.ts';
import { pause, type Clock } from './clock.ts';

/** Keeps to the pace that a user set, for one model or server. */
export interface Pacer {
  /** Runs `work` once fewer than the allowed calls are under way. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Gives requests their turns, spread over the minute: who waits for it holds up nobody else. */
  turn(): Promise<void>;
  /** Resolves when a request that had its turn, and its slot, may be sent: the pace once more. */
  due(): Promise<void>;
  /** Keeps to this pace too, where it is slower: both sides of a comparison ask one server. */
  tighten(pace: GivenPace): void;
}

const MINUTE_MS = 60_000;

export function createPacer(clock: Clock, signal: AbortSignal): Pacer {
  const waiting: (() => void)[] = [];
  let atOnce = Number.POSITIVE_INFINITY;
  let spacingMs = 0;
  const inTurn = createSpacing(clock, signal);
  const sent = createSpacing(clock, signal);
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
    turn: () => inTurn(spacingMs),
    due: () => sent(spacingMs),
    tighten({ concurrency, requests_per_minute: perMinute }) {
      atOnce = Math.min(atOnce, concurrency ?? atOnce);
      if (perMinute !== null) spacingMs = Math.max(spacingMs, MINUTE_MS / perMinute);
    },
  };
}

/** Lets callers through one after the other, with so many milliseconds between them; 0: at once. */
function createSpacing(clock: Clock, signal: AbortSignal): (spacingMs: number) => Promise<void> {
  let free = 0;
  return async (spacingMs) => {
    if (spacingMs === 0) return;
    const now = clock.now();
    const at = Math.max(now, free);
    free = at + spacingMs;
    if (at > now) await pause(clock, at - now, signal);
  };
}

/** How many calls may be under way at once. */
export interface Pace {
  slots(): number;
  /**
   * An answer after `latencyMs`. `saturated`: every slot was in use, so that more of them would
   * have been.
   */
  answered(latencyMs: number, saturated: boolean): void;
  halve(): void;
}

/**
 * Two running means of latency: the quick one remembers about half a round of answers (at least
 * five), the slow one twenty times as many. Growing goes on while the quick one is at most this
 * many times the slow one.
 */
const QUICK_MEMORY = 5;

const SLOWER = 20;

const STILL_QUICK = 2;

/**
 * Additive increase, multiplicative decrease: from `start` the slots double per round of answers
 * until the first rate limit, then grow by one per round, and only while answers are not much
 * slower than they used to be; a rate limit halves them. Always between 1 and `max`.
 */
export function createPace({ start, max }: { start: number; max: number }): Pace {
  let limit = Math.max(1, Math.min(start, max));
  let doubling = true;
  let quickMs = 0;
  let slowMs = 0;
  return {
    slots: () => Math.floor(limit),
    answered(latencyMs, saturated) {
      const weight = 1 / Math.max(QUICK_MEMORY, limit / 2);
      quickMs = quickMs === 0 ? latencyMs : quickMs + weight * (latencyMs - quickMs);
      // The slow mean falls at once and rises slowly, so that lasting change is in the end
      // accepted.
      slowMs =
        slowMs === 0 || quickMs < slowMs
          ? quickMs
          : slowMs + (weight / SLOWER) * (quickMs - slowMs);
      if (saturated && quickMs <= STILL_QUICK * slowMs)
        limit = Math.min(Math.max(1, max), limit + (doubling ? 1 : 1 / limit));
    },
    halve() {
      doubling = false;
      limit = Math.max(1, limit / 2);
    },
  };
}
