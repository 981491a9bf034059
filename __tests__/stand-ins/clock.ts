import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/edges/providers/clock.ts';

const BEGIN = Date.parse('2026-06-01');
const started = Date.now();
let skipped = 0;

/**
 * The clock of command lines and steps in tests. It starts before any model is close to retirement,
 * and skips pauses. Timeouts take their real time.
 */
export const clock: Clock = {
  now: () => BEGIN + Date.now() - started + skipped,
  async sleep(ms, signal, what) {
    if (what !== 'pause') return sleep(ms, undefined, { signal });
    skipped += ms;
    return setImmediate(undefined, { signal });
  },
};
