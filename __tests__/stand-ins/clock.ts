import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/edges/providers/clock.ts';

const BEGIN = Date.parse('2026-06-01');
const started = Date.now();
let skipped = 0;

/**
 * The clock of every command line and step here begins before any end of a model was near, and
 * jumps over pauses: only what bounds something else takes its time.
 */
export const clock: Clock = {
  now: () => BEGIN + Date.now() - started + skipped,
  async sleep(ms, signal, what) {
    if (what !== 'pause') return sleep(ms, undefined, { signal });
    skipped += ms;
    return setImmediate(undefined, { signal });
  },
};
