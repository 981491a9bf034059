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
