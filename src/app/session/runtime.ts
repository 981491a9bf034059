// Old versions of Node lack named exports of `node:module`. They must still load this file, which
// reports that they are too old.
import module from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { makeFolders } from '../../edges/store/make-folders.ts';
import { machineOf, userFolder } from './store-place.ts';

export const VERSION = '1.0.0';

/**
 * With these flags, a run of 100,000 tries needs less than 100 MB instead of 400 MB.
 *
 * Call this after all modules are loaded, when the heap's young generation has reached 8 MB. At a
 * smaller size, each start would be 10 % slower. At a larger one, a long run would need 90 MB more
 * (benchmarks/sweep.ts).
 */
export function keepHeapSmall(): void {
  // Node recompiles its own modules after flags change, so load the largest one, `fetch`, before.
  Reflect.get(globalThis, 'Response');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=30'])
    setFlagsFromString(flag);
}

/** Makes starts 20 % faster. Not in CI, because outsiders may have written the cache there. */
export function keepCompiled(env: NodeJS.ProcessEnv): void {
  if (env['CI'] || env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const folder = join(userFolder(machineOf(env)), 'compiled');
  try {
    makeFolders(folder);
    module.enableCompileCache(folder);
  } catch {}
}

const OLDEST = [22, 13] as const;

/** Call this first. A Node that is too old would end without a message or with a stack trace. */
export function whyTooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return (
    `evaldiff needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}. Nothing ` +
    'was judged. Install a newer Node.'
  );
}
