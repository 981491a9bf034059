import type { MeteredUsage, Requests } from '../../types/model.ts';
import { pause, type Clock } from './clock.ts';
import { STOPPED, type Fault } from './fault.ts';
import type { Admission, Limiter, SlotOutcome } from './limit.ts';
import type { Pacer } from './pace.ts';

export type CallAttempt<T> =
  | { status: 'ok'; value: T; latencyMs: number; waitMs: number }
  | { status: 'fault'; fault: Fault; sent: boolean };

export type RetriedResult<T> = Requests &
  (
    | { status: 'ok'; value: T; latencyMs: number }
    | {
        status: 'fault';
        fault: Fault;
        sent: boolean;
        /**
         * The fault of the previous attempt, if the end of the run or the budget prevented a retry.
         */
        before?: Fault | null;
      }
  );

export interface SharedCallSettings {
  maxTries: number;
  clock: Clock;
  signal: AbortSignal;
  random(): number;
  log(line: string): void;
}

export interface RetryOptions extends SharedCallSettings {
  limiter: Limiter;
  pacers?: readonly Pick<Pacer, 'turn' | 'due'>[];
}

/** If a server asks for a longer wait, the call fails immediately. */
const MAX_WAIT_MS = 300_000;

/** Longest pause that a successful reply can request. */
const MAX_REST_MS = 60_000;

const FIRST_PAUSE_MS = { later: 500, limited: 4000 } as const;

const MAX_PAUSE_MS = { later: 30_000, limited: 60_000 } as const;

/**
 * Backoff is exponential with jitter, unless the server names a time. `attempt` must not reject.
 */
export async function withRetries<T>(
  attempt: () => Promise<CallAttempt<T>>,
  options: RetryOptions,
): Promise<RetriedResult<T>> {
  const { limiter, clock, signal } = options;
  let attempts = 0;
  const spent: MeteredUsage[] = [];
  let last: Fault | null = null;
  const failed = (fault: Fault, before: Fault | null = null): RetriedResult<T> => ({
    status: 'fault',
    fault,
    sent: attempts > 0,
    attempts,
    before,
    spent,
  });
  for (let tries = 1; ; tries++) {
    const entry = await admission(tries > 1, options);
    if (entry.status === 'aborted') return failed(endedAfter(STOPPED, last), last);
    if (entry.status === 'down') {
      const { fault } = entry;
      return failed(fault.retry === 'never' ? fault : exhaustion(fault, options.maxTries, limiter));
    }
    const result = await attempt();
    if (result.status === 'ok') {
      limiter.release(entry.ticket, {
        kind: 'answered',
        latencyMs: result.latencyMs,
        waitMs: Math.min(result.waitMs, MAX_REST_MS),
      });
      const { value, latencyMs } = result;
      return { status: 'ok', value, latencyMs, attempts: attempts + 1, spent };
    }
    if (result.sent) attempts += 1;
    spent.push(...result.fault.spent);
    if (result.fault.kind === 'budget') {
      limiter.release(entry.ticket, { kind: 'unsent' });
      return failed(endedAfter(result.fault, last), last);
    }
    const found = lastTry(result.fault, last);
    const waitMs = pauseMs(found, tries, options);
    const fault = boundedWait(found, waitMs);
    last = fault;
    const { down, first } = limiter.release(
      entry.ticket,
      slotOutcome({ fault: found, sent: result.sent }, fault, waitMs),
    );
    const end = finalFault(fault, down, tries, options);
    if (end !== null) return failed(end);
    if (fault.retry === 'limited') {
      if (first)
        options.log(
          `rate limited; waiting ${Math.ceil(waitMs / 1000)} s, ` +
            `then sending at most ${limiter.stats().limit} requests at a time`,
        );
    } else await pause(clock, waitMs, signal);
  }
}

async function admission(
  again: boolean,
  { limiter, pacers = [] }: RetryOptions,
): Promise<Admission> {
  for (const pacer of pacers) await pacer.turn();
  for (let repeated = again; ; repeated = true) {
    const entry = await limiter.acquire(repeated);
    if (entry.status !== 'go') return entry;
    for (const pacer of pacers) await pacer.due();
    if (!limiter.isPaused()) return entry;
    limiter.release(entry.ticket, { kind: 'unsent' });
  }
}

function finalFault(
  fault: Fault,
  down: Fault | null,
  tries: number,
  { maxTries, limiter }: RetryOptions,
): Fault | null {
  if (down?.scope === 'server') return down;
  if (fault.retry === 'never') return fault;
  return down === null && tries < maxTries ? null : exhaustion(fault, tries, limiter);
}

function lastTry(fault: Fault, before: Fault | null): Fault {
  return fault.retry === 'once' && before?.retry === 'once'
    ? { ...fault, retry: 'never', message: `${fault.message}, also after a second request` }
    : fault;
}

function boundedWait(fault: Fault, waitMs: number): Fault {
  if (fault.retry === 'never' || waitMs <= MAX_WAIT_MS) return fault;
  return {
    ...fault,
    retry: 'never',
    message:
      `${fault.message}; the server asks for a wait of ${String(Math.round(waitMs / 1000))} s ` +
      `(limit: ${MAX_WAIT_MS / 1000} s); run again later`,
  };
}

function slotOutcome(
  { fault, sent }: { fault: Fault; sent: boolean },
  bounded: Fault,
  waitMs: number,
): SlotOutcome {
  if (!sent) return { kind: 'unsent' };
  const unwaited = bounded !== fault;
  if (fault.retry === 'limited')
    return { kind: 'limited', waitMs: unwaited ? 0 : waitMs, unwaited, fault: bounded };
  return fault.retry !== 'never' ||
    fault.kind === 'network' ||
    fault.kind === 'timeout' ||
    fault.scope === 'server'
    ? { kind: 'failed', fault }
    : { kind: 'refused' };
}

function pauseMs(fault: Fault, tries: number, { random }: RetryOptions): number {
  if (fault.retry === 'never') return 0;
  if (fault.waitMs !== null && fault.waitMs > 0)
    return fault.waitMs + Math.ceil(random() * Math.min(1000, fault.waitMs / 10));
  const pace = fault.retry === 'limited' ? 'limited' : 'later';
  const grown = Math.min(MAX_PAUSE_MS[pace], FIRST_PAUSE_MS[pace] * 2 ** (tries - 1));
  return Math.ceil(grown * (0.5 + random() / 2));
}

function endedAfter(end: Fault, last: Fault | null): Fault {
  return last === null ? end : { ...end, message: `${end.message}; before that: ${last.message}` };
}

function exhaustion(fault: Fault, tries: number, limiter: Limiter): Fault {
  const after = `after ${tries} ${tries === 1 ? 'try' : 'tries'}`;
  const { answered, calls } = limiter.stats();
  const message =
    fault.kind === 'rate-limit'
      ? `still rate limited ${after}; ${answered} of ${calls} calls done (${fault.message})`
      : `${fault.message}, ${after}`;
  return { ...fault, message };
}
