import type { Fault } from '../fault.ts';

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
