// The whole module: an older Node lacks named exports, and must get far enough to report its age.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { makeFolders } from './make-folders.ts';
import { userFolder } from './store-place.ts';

/** Equal to package.json; a test compares them. */
export const VERSION = '1.0.0';

/**
 * Limits garbage on the heap during long runs. A run needs less than 100 MB at 100,000 tries;
 * Node's defaults let four times that pile up.
 *
 * Call this after all modules are loaded and before any work. The young generation has then grown
 * to 8 MB. Without that growth a start is 10 % slower; with unlimited growth a long run needs 90 MB
 * more (benchmarks/sweep.ts).
 */
export function keepHeapSmall(): void {
  // With other flags, Node recompiles its own modules. Load the largest one, `fetch`, before.
  Reflect.get(globalThis, 'Response');
  // The young generation stops growing. The old one is collected at 1.3 times the surviving size.
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=30'])
    setFlagsFromString(flag);
}

/**
 * Caches compiled code, which speeds up starts by 20 %. Not in CI, where others may have written
 * the cache.
 */
export function keepCompiled(env: NodeJS.ProcessEnv): void {
  if (env['CI'] || env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const home = env['HOME'] ?? homedir();
  const folder = join(userFolder({ platform: process.platform, env, home }), 'compiled');
  try {
    makeFolders(folder);
    module.enableCompileCache(folder);
  } catch {
    // Without the cache, only the start is slower.
  }
}

const OLDEST = [22, 13] as const;

/**
 * Call this first, because an older Node would end silently or with a stack trace. Null if new
 * enough.
 */
export function whyTooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return (
    `evaldiff needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}. Nothing ` +
    'was judged. Install a newer Node.'
  );
}
