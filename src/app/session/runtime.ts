// Old versions of Node lack named exports here, but must load this file to report that they are too
// old.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { makeFolders } from './make-folders.ts';
import { userFolder } from './store-place.ts';

export const VERSION = '1.0.0';

/**
 * With these flags, a run of 100,000 tries needs less than 100 MB, a quarter of what Node needs by
 * default.
 *
 * Call this after all modules are loaded, when the young generation of the heap has reached 8 MB. A
 * smaller one would slow each start by 10 %. A larger one costs 90 MB in a long run
 * (benchmarks/sweep.ts).
 */
export function keepHeapSmall(): void {
  // Node recompiles its own modules once flags change, so load the largest one, `fetch`, first.
  Reflect.get(globalThis, 'Response');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=30'])
    setFlagsFromString(flag);
}

/**
 * Makes starts 20 % faster. Does nothing in CI, because others may have written the cache there.
 */
export function keepCompiled(env: NodeJS.ProcessEnv): void {
  if (env['CI'] || env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const home = env['HOME'] ?? homedir();
  const folder = join(userFolder({ platform: process.platform, env, home }), 'compiled');
  try {
    makeFolders(folder);
    module.enableCompileCache(folder);
  } catch {}
}

const OLDEST = [22, 13] as const;

/** Call this first, because an older Node would end silently or with a stack trace. */
export function whyTooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return (
    `evaldiff needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}. Nothing ` +
    'was judged. Install a newer Node.'
  );
}
