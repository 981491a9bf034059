import { pause } from '../clock.ts';
import type { Clock } from '../clock.ts';

/**
 * Between two looks at a batch: the first, how much longer each following one is, and the longest,
 * in milliseconds.
 */
const POLL = { firstMs: 10_000, growth: 1.5, longestMs: 300_000 };

/**
 * Calls `look` after ever longer pauses until it says that it is done, or the signal ends it; `at
 * once` for the first look without a pause.
 */
export async function pollUntil(
  look: () => Promise<'done' | 'wait'>,
  { clock, signal, atOnce }: { clock: Clock; signal: AbortSignal; atOnce: boolean },
): Promise<void> {
  let ms = POLL.firstMs;
  for (let first = true; !signal.aborted; first = false) {
    if (!first || !atOnce) {
      await pause(clock, ms, signal);
      ms = Math.min(POLL.longestMs, ms * POLL.growth);
      if (signal.aborted) return;
    }
    if ((await look()) === 'done') return;
  }
}
