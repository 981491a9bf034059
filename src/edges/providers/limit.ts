import { type Clock, pause } from './clock.ts';
import type { Fault } from './fault.ts';
import { createPace } from './pace.ts';

/** Backoff requested by a server. */
function createBackoff(clock: Clock, signal: AbortSignal, ended: () => void) {
  let until = 0;
  let waiting = false;
  const wait = () => {
    const left = until - clock.now();
    if (left <= 0) {
      waiting = false;
      ended();
      return;
    }
    waiting = true;
    void pause(clock, left, signal).then(() => {
      if (!signal.aborted) wait();
    });
  };
  return {
    isActive: () => until > clock.now(),
    extend(ms: number): void {
      if (ms <= 0) return;
      until = Math.max(until, clock.now() + ms);
      if (!waiting) wait();
    },
  };
}

export type SlotOutcome =
  | { kind: 'answered'; latencyMs: number; waitMs: number }
  | { kind: 'refused' }
  | { kind: 'limited'; waitMs: number; unwaited?: boolean; fault: Fault }
  | { kind: 'failed'; fault: Fault }
  | { kind: 'unsent' };

export type Admission =
  { status: 'go'; ticket: Ticket } | { status: 'aborted' } | { status: 'down'; fault: Fault };

interface Ticket {
  round: number;
}

export type Limiter = ReturnType<typeof createLimiter>;

const GIVE_UP_AFTER_MS = 60_000;

export interface LimiterOptions {
  concurrency: { start: number; max: number };
  /**
   * Gives up on the server after this many failures in a row, if they took at least a minute.
   * Calls in flight that fail together (a round) count once.
   */
  maxTries: number;
  clock: Clock;
  signal: AbortSignal;
}

type QueuedCall = (entry: Admission) => void;

/** Calls that wait for a slot, the oldest first. Retries go ahead of new calls. */
function createQueue() {
  const retries: QueuedCall[] = [];
  const calls: QueuedCall[] = [];
  const take = () => retries.shift() ?? calls.shift();
  return {
    take,
    add: (resolve: QueuedCall, again: boolean) => (again ? retries : calls).push(resolve),
    settle(entry: Admission): void {
      for (let next = take(); next !== undefined; next = take()) next(entry);
    },
  };
}

export function createLimiter({ concurrency, maxTries, clock, signal }: LimiterOptions) {
  const counts = { calls: 0, answered: 0 };
  const waiting = createQueue();
  const pace = createPace(concurrency);
  let health: ReturnType<typeof createHealth> | null = null;
  let busy = 0;

  // Created at the first call, so that earlier time does not count as downtime.
  const healthNow = () => (health ??= createHealth(maxTries, clock.now()));
  const pump = () => {
    while (!backoff.isActive() && busy < pace.slots()) {
      const resolve = waiting.take();
      if (resolve === undefined) return;
      busy++;
      resolve({ status: 'go', ticket: { round: healthNow().round() } });
    }
  };
  const backoff = createBackoff(clock, signal, pump);
  const learn = ({ round }: Ticket, outcome: SlotOutcome) => {
    const current = healthNow();
    const now = clock.now();
    if (outcome.kind === 'failed') return current.recordFailure(round, outcome.fault, now);
    if (outcome.kind === 'limited') {
      backoff.extend(outcome.waitMs);
      const first = current.recordFailure(round, outcome.fault, now, outcome.unwaited);
      if (first) pace.halve();
      return first;
    }
    if (outcome.kind !== 'unsent') current.recordAnswer(now);
    if (outcome.kind === 'answered') {
      counts.answered++;
      pace.answered(outcome.latencyMs, busy >= pace.slots());
      backoff.extend(outcome.waitMs);
    }
    return false;
  };
  signal.addEventListener('abort', () => waiting.settle({ status: 'aborted' }), { once: true });

  return {
    /** Waits for a slot. Retries (`again`) go ahead of new calls. */
    acquire(again: boolean): Promise<Admission> {
      if (signal.aborted) return Promise.resolve({ status: 'aborted' });
      if (!again) counts.calls++;
      const fault = healthNow().down();
      // After evaldiff gave up on a server, one call at a time tests whether the server is back.
      if (fault !== null && (fault.scope === 'server' || busy > 0 || backoff.isActive()))
        return Promise.resolve({ status: 'down', fault });
      return new Promise((resolve) => {
        waiting.add(resolve, again);
        pump();
      });
    },
    /**
     * `down`: the fault that ends all calls to the server. `first`: false if another call in flight
     * failed before this one.
     */
    release(ticket: Ticket, outcome: SlotOutcome): { down: Fault | null; first: boolean } {
      const first = learn(ticket, outcome);
      busy--;
      const fault = healthNow().down();
      if (fault !== null) waiting.settle({ status: 'down', fault });
      pump();
      return { down: fault, first };
    },
    isPaused: () => backoff.isActive(),
    stats: () => ({ ...counts, limit: pace.slots() }),
  };
}

const UNWAITED_ROUNDS = 2;

/** Limit of failed connections in a row. Calls that fail together count once. */
const MOST_UNREACHED = 3;

/** After a fault of scope `server`, the server counts as down for the rest of the run. */
function createHealth(maxTries: number, now: number) {
  let round = 0;
  let failures = 0;
  let unreached = 0;
  let lastAnswer = now;
  let down: Fault | null = null;
  return {
    round: () => round,
    recordAnswer(at: number): void {
      failures = 0;
      unreached = 0;
      if (down?.scope !== 'server') down = null;
      lastAnswer = at;
    },
    /** Returns true only for the first of the calls in flight that fail together (a round). */
    recordFailure(of: number, fault: Fault, at: number, unwaited = false): boolean {
      if (down?.scope === 'server') return false;
      if (fault.scope === 'server') down = fault;
      if (of !== round) return false;
      round++;
      failures++;
      unreached = fault.unreached === true ? unreached + 1 : 0;
      const isOver = unwaited
        ? failures >= UNWAITED_ROUNDS
        : failures >= maxTries && at - lastAnswer >= GIVE_UP_AFTER_MS;
      if (unreached >= MOST_UNREACHED)
        down = {
          ...fault,
          retry: 'never',
          scope: 'server',
          message:
            `${MOST_UNREACHED} connections in a row failed, so no further requests were sent: ` +
            fault.message,
        };
      else if (isOver) down = fault;
      return true;
    },
    down: () => down,
  };
}
