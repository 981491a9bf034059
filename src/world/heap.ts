import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the garbage of a long run small beside what is in use: a run's own data stays below 100 MB at 100,000 tries, while
 * Node's usual settings let four times that pile up before it is collected. Called by the entries before any work; slower
 * by less than can be measured (benchmarks/memory.ts).
 */
export function keepHeapSmall(): void {
  // Young objects: no more than 8 MB a half, not growing. Old ones: collected at 1.4 times what survived last.
  for (const flag of ['--semi-space-growth-factor=1', '--max-semi-space-size=8', '--heap-growing-percent=40']) setFlagsFromString(flag);
}
