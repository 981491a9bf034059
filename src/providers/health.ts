import type { Fault } from './fault.ts';

/** Whether a server still answers anybody. */
export interface Health {
  /** The round that attempts started now belong to. */
  round(): number;
  signOfLife(now: number): void;
  /**
   * True for the first failure of a round: what many calls in flight meet at once counts once.
   * `unwaited`: the server asks for a longer wait than anybody gives it.
   */
  strike(round: number, fault: Fault, now: number, unwaited?: boolean): boolean;
  /** The last fault, once the server has been given up; null while it has not. */
  down(): Fault | null;
}

/**
 * Rounds that ask for too long a wait until a server is given up: one may be about another model
 * than the next one asks.
 */
const UNWAITED_ROUNDS = 2;

/**
 * A server is given up after `rounds` rounds of failures that lasted `afterMs` without one answer
 * in between. Without this, every call of a long queue would spend all its tries on a server that
 * limits for ever.
 */
export function createHealth(giveUp: { rounds: number; afterMs: number }, now: number): Health {
  let round = 0;
  let failed = 0;
  let lastSign = now;
  let down: Fault | null = null;
  return {
    round: () => round,
    signOfLife(at) {
      failed = 0;
      down = null;
      lastSign = at;
    },
    strike(of, fault, at, unwaited = false) {
      if (of !== round) return false;
      round++;
      failed++;
      if (
        unwaited
          ? failed >= UNWAITED_ROUNDS
          : failed >= giveUp.rounds && at - lastSign >= giveUp.afterMs
      )
        down = fault;
      return true;
    },
    down: () => down,
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
