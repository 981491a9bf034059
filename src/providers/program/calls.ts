import { createDeadlines } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { fault } from '../fault.ts';
import type { Fault } from '../fault.ts';
import { failure, stray, understood } from './line.ts';
import type { Attempt } from '../retry.ts';
import type { Said } from '../vendor.ts';

/** The calls that a program has yet to answer. */
export interface Calls {
  /** Opens a call. `late` is called when the deadline ended it. */
  open(late: () => void): { id: string; result: Promise<Attempt<Said>> };
  /**
   * Takes a line that the program wrote; true when it answers an open call. What is nobody's counts
   * against the oldest call; the answer to a call that was given up only comes too late.
   */
  hear(line: string): boolean;
  settleAll(reason: Fault): void;
}

export function createCalls({
  clock,
  timeoutMs,
  redact,
}: {
  clock: Clock;
  timeoutMs: number;
  redact(text: string): string;
}): Calls {
  const open = new Map<string, (result: Attempt<Said>) => void>();
  const startDeadline = createDeadlines(clock, timeoutMs);
  let last = 0;
  const settle = (id: string, result: Attempt<Said>): void => open.get(id)?.(result);
  return {
    open(late) {
      const id = String(++last);
      const started = clock.now();
      const disarm = startDeadline(() => {
        settle(id, failure(fault('timeout', `no answer after ${timeoutMs / 1000} s`)));
        late();
      });
      const result = new Promise<Attempt<Said>>((resolve) => {
        open.set(id, (attempt) => {
          disarm();
          open.delete(id);
          resolve(
            attempt.status === 'ok' ? { ...attempt, latencyMs: clock.now() - started } : attempt,
          );
        });
      });
      return { id, result };
    },
    hear(line) {
      const { id, result } = understood(line, redact);
      if (id !== null && open.has(id)) {
        settle(id, result);
        return true;
      }
      const late = id !== null && /^[1-9]\d{0,15}$/.test(id) && Number(id) <= last;
      if (!late) settle(open.keys().next().value ?? '', failure(stray(line, redact)));
      return false;
    },
    settleAll(reason) {
      for (const id of [...open.keys()]) settle(id, failure(reason));
    },
  };
}
