import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

const files = {
  'highs.mjs': 'build/highs.mjs',
  'highs.wasm': 'build/highs.wasm',
  'highs.LICENSE.txt': 'LICENSE',
};

/**
 * Copies HiGHS unchanged next to the bundle of the command line. ncc would read its compiled code
 * as text, which breaks it, and rewrite its loader's imports. Both bundles load it from there
 * (src/edges/solver/thread.ts). It is not compressed: downloads already are, and the file can be
 * compared with the package's own.
 */
export function placeHighs(folder: string): void {
  for (const [name, path] of Object.entries(files)) {
    copyFileSync(new URL(`../node_modules/highs/${path}`, import.meta.url), join(folder, name));
  }
}
