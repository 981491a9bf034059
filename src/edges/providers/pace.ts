import type { GivenPace } from '../../types/endpoints.ts';
import { pause, type Clock } from './clock.ts';

export type Pacer = ReturnType<typeof createPacer>;

const MINUTE_MS = 60_000;

/** Runs pieces of work, at most `most` of them at once. The others wait in order. */
export function createSlots(most: number) {
  const waiting: (() => void)[] = [];
  let limit = most;
  let busy = 0;
  return {
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else busy += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) busy -= 1;
        else next();
      }
    },
    tighten(to: number): void {
      limit = Math.min(limit, to);
    },
  };
}

export function createPacer(clock: Clock, signal: AbortSignal) {
  const slots = createSlots(Number.POSITIVE_INFINITY);
  let spacingMs = 0;
  const inTurn = createSpacing(clock, signal);
  const sent = createSpacing(clock, signal);
  return {
    run: slots.run,
    turn: () => inTurn(spacingMs),
    due: () => sent(spacingMs),
    tighten({ concurrency, requests_per_minute: perMinute }: GivenPace): void {
      if (concurrency !== null) slots.tighten(concurrency);
      if (perMinute !== null) spacingMs = Math.max(spacingMs, MINUTE_MS / perMinute);
    },
  };
}

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

/**
 * Concurrency grows while recent latency (a running mean over QUICK_MEMORY answers) is at most
 * STILL_QUICK times the long-term mean.
 */
const QUICK_MEMORY = 5;

const SLOWER = 20;

const STILL_QUICK = 2;

/**
 * AIMD: slots double per round of answers until the first rate limit, then grow by one per round
 * while latency is stable. A rate limit halves them.
 */
export function createPace({ start, max }: { start: number; max: number }) {
  let limit = Math.max(1, Math.min(start, max));
  let doubling = true;
  let quickMs = 0;
  let slowMs = 0;
  return {
    slots: () => Math.floor(limit),
    answered(latencyMs: number, saturated: boolean): void {
      const weight = 1 / Math.max(QUICK_MEMORY, limit / 2);
      quickMs = quickMs === 0 ? latencyMs : quickMs + weight * (latencyMs - quickMs);
      slowMs =
        slowMs === 0 || quickMs < slowMs
          ? quickMs
          : slowMs + (weight / SLOWER) * (quickMs - slowMs);
      if (saturated && quickMs <= STILL_QUICK * slowMs)
        limit = Math.min(Math.max(1, max), limit + (doubling ? 1 : 1 / limit));
    },
    halve(): void {
      doubling = false;
      limit = Math.max(1, limit / 2);
    },
  };
}
