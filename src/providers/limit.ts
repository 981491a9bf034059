import { type Clock, pause } from './clock.ts';
import type { Fault } from './fault.ts';
import { createPace } from './pace.ts';

/** A door that a server can have shut for a while. */
interface Door {
  shut(): boolean;
  /** Shut for `ms` from now at least. */
  rest(ms: number): void;
}

/** `opened` is called when the door opens again; not when the signal ended the wait. */
function createDoor(clock: Clock, signal: AbortSignal, opened: () => void): Door {
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

interface Queue<T> {
  /** `ahead`: before all that were not added so. */
  add(item: T, ahead: boolean): void;
  take(): T | undefined;
  size(): number;
}

/**
 * Two lines of waiting, one before the other; first in, first out in each. Constant time per item
 * on average.
 */
export function createQueue<T extends object>(): Queue<T> {
  const first = createLine<T>();
  const second = createLine<T>();
  return {
    add: (item, ahead) => (ahead ? first : second).add(item),
    take: () => first.take() ?? second.take(),
    size: () => first.size() + second.size(),
  };
}

/** Dead places at the front before it is worth moving the rest. */
const SLACK = 1024;

function createLine<T extends object>(): {
  add(item: T): void;
  take(): T | undefined;
  size(): number;
} {
  let items: T[] = [];
  let head = 0;
  return {
    add(item) {
      items.push(item);
    },
    take() {
      const item = items[head];
      if (item === undefined) return undefined;
      head++;
      if (head === items.length || (head > SLACK && head * 2 > items.length)) {
        items = items.slice(head);
        head = 0;
      }
      return item;
    },
    size: () => items.length - head,
  };
}

/** How an attempt that held a slot ended, as far as the limiter learns from it. */
export type SlotOutcome =
  | {
      kind: 'answered';
      latencyMs: number;
      /** Rest the server asked for although it answered; 0: none. */ waitMs: number;
    }
  /** The server is there, but did not want this request. */
  | { kind: 'refused' }
  /** `unwaited`: the server asks for a longer wait than anybody gives it. */
  | { kind: 'limited'; waitMs: number; unwaited?: boolean; fault: Fault }
  | { kind: 'failed'; fault: Fault }
  /** Never sent. */
  | { kind: 'unsent' };

export type Admission =
  | { status: 'go'; ticket: Ticket }
  | { status: 'aborted' }
  /** Nothing has been answered for so long that waiting calls are given up. */
  | { status: 'down'; fault: Fault };

interface Ticket {
  round: number;
}

export interface LimiterStats {
  /** Calls that came in, that were answered, and attempts made for them. */
  calls: number;
  answered: number;
  attempts: number;
  /** Attempts that met a rate limit. */
  limited: number;
  queued: number;
  in_flight: number;
  /** Slots open now. */
  limit: number;
}

export interface Limiter {
  /** Waits for a slot. `again` for the repetition of a call, which goes before new ones. */
  acquire(again: boolean): Promise<Admission>;
  /**
   * Gives the slot back. `down`: the server is given up. `first`: this failure is the first of its
   * round, and the others in flight will only say the same.
   */
  release(ticket: Ticket, outcome: SlotOutcome): { down: boolean; first: boolean };
  /** Whether the server wants to be left alone at the moment. */
  shut(): boolean;
  stats(): LimiterStats;
}

/**
 * A server is given up when nothing was answered for this long over as many rounds as a call has
 * tries.
 */
export const GIVE_UP_AFTER_MS = 60_000;

export interface LimiterOptions {
  concurrency: { start: number; max: number };
  /**
   * Rounds of failures without any answer, and how long they must last in milliseconds, until
   * waiting calls are given up.
   */
  giveUp: { rounds: number; afterMs: number };
  clock: Clock;
  signal: AbortSignal;
}

/** Ends the waiting of everybody in the queue. */
function tellAll(queue: Queue<(entry: Admission) => void>, entry: Admission): void {
  for (let next = queue.take(); next !== undefined; next = queue.take()) next(entry);
}

/**
 * Slots for the calls to one server: as many as {@link createPace} allows, closed for everybody
 * while the server asks for a pause, and emptied when {@link createHealth} gives the server up.
 * Waiting calls are served in their order, repetitions first. Constant time per call.
 */
export function createLimiter({ concurrency, giveUp, clock, signal }: LimiterOptions): Limiter {
  const counts = { calls: 0, answered: 0, attempts: 0, limited: 0 };
  const [queue, pace] = [createQueue<(entry: Admission) => void>(), createPace(concurrency)];
  let health: Health | null = null;
  let busy = 0;

  // Created with the first call, for time before it is not time without an answer.
  const healthNow = (): Health => (health ??= createHealth(giveUp, clock.now()));
  const pump = (): void => {
    while (!door.shut() && busy < pace.slots()) {
      const next = queue.take();
      if (next === undefined) return;
      busy++;
      counts.attempts++;
      next({ status: 'go', ticket: { round: healthNow().round() } });
    }
  };
  const door = createDoor(clock, signal, pump);
  const learn = ({ round }: Ticket, outcome: SlotOutcome): boolean => {
    const [current, now] = [healthNow(), clock.now()];
    if (outcome.kind === 'failed') return current.strike(round, outcome.fault, now);
    if (outcome.kind === 'limited') {
      counts.limited++;
      door.rest(outcome.waitMs);
      const first = current.strike(round, outcome.fault, now, outcome.unwaited);
      if (first) pace.halve();
      return first;
    }
    if (outcome.kind === 'unsent') counts.attempts--;
    else current.signOfLife(now);
    if (outcome.kind === 'answered') {
      counts.answered++;
      pace.answered(outcome.latencyMs, busy >= pace.slots());
      door.rest(outcome.waitMs);
    }
    return false;
  };
  signal.addEventListener('abort', () => tellAll(queue, { status: 'aborted' }), { once: true });

  return {
    acquire(again) {
      if (signal.aborted) return Promise.resolve({ status: 'aborted' });
      if (!again) counts.calls++;
      const fault = healthNow().down();
      // One call at a time looks whether a server that was given up is back.
      if (fault !== null && (busy > 0 || door.shut()))
        return Promise.resolve({ status: 'down', fault });
      return new Promise((resolve) => {
        queue.add(resolve, again);
        pump();
      });
    },
    release(ticket, outcome) {
      const first = learn(ticket, outcome);
      busy--;
      const fault = healthNow().down();
      if (fault !== null) tellAll(queue, { status: 'down', fault });
      pump();
      return { down: fault !== null, first };
    },
    shut: () => door.shut(),
    stats: () => ({ ...counts, queued: queue.size(), in_flight: busy, limit: pace.slots() }),
  };
}

/** Whether a server still answers anybody. */
interface Health {
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
function createHealth(giveUp: { rounds: number; afterMs: number }, now: number): Health {
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
