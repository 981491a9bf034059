// As a whole, because an older Node lacks named exports and must live to report that it is too old.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { makeFolders } from './make-folders.ts';
import { userFolder } from './store-place.ts';

/** As in package.json; a test compares them. */
export const VERSION = '1.0.0';

/**
 * Keeps the garbage of a long run small beside what is in use: a run's own data stays below 100 MB
 * at 100,000 tries, while Node's usual settings let four times that pile up before it is collected.
 * Called when all that a run needs is loaded, and before any work: the space of young objects has
 * then grown to 8 MB. Without growth it is collected three times as often, which costs a start on a
 * hundred files a tenth; with all of Node's a long run takes 90 MB more (benchmarks/sweep.ts). Once
 * the plan is made would be too late: its own garbage is that of 100,000 tries.
 */
export function keepHeapSmall(): void {
  // With other flags Node compiles its own modules anew: the largest that a call needs, `fetch` and
  // what belongs to it, is loaded while they come compiled.
  Reflect.get(globalThis, 'Response');
  // Young objects: their space grows no more. Old ones: collected at 1.3 times what survived last.
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=30'])
    setFlagsFromString(flag);
}

/** Caches compiled code: starts are a fifth faster. Not in CI, where others may have written it. */
export function keepCompiled(env: NodeJS.ProcessEnv): void {
  if (env['CI'] || env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const home = env['HOME'] ?? homedir();
  const folder = join(userFolder({ platform: process.platform, env, home }), 'compiled');
  try {
    makeFolders(folder);
    module.enableCompileCache(folder);
  } catch {
    // The start then takes as long as the first.
  }
}

/** As in package.json's `engines`. */
const OLDEST = [22, 13] as const;

/** Checked first: an older Node would end silently, or with a stack trace. Null: it can. */
export function whyTooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return (
    `evaldiff needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}. Nothing ` +
    'was judged. Install a newer Node.'
  );
}
