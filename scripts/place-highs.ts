import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

const files = {
  'highs.mjs': 'build/highs.mjs',
  'highs.wasm': 'build/highs.wasm',
  'highs.LICENSE.txt': 'LICENSE',
};

/**
 * Copies HiGHS unchanged next to the bundle of the command line, from where both bundles load it
 * (src/edges/solver/thread.ts). ncc would read its compiled code as text, which breaks it, and
 * rewrite its loader's imports. The copy is not compressed: downloads already are, and it can be
 * compared with the package's file.
 */
export function placeHighs(folder: string): void {
  for (const [name, path] of Object.entries(files)) {
    copyFileSync(new URL(`../node_modules/highs/${path}`, import.meta.url), join(folder, name));
  }
}
