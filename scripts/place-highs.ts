import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

const files = {
  'highs.mjs': 'build/highs.mjs',
  'highs.wasm': 'build/highs.wasm',
  'highs.LICENSE.txt': 'LICENSE',
};

/**
 * Puts HiGHS beside the bundle of the command line as it is: ncc would read its compiled code as
 * text, which breaks it, and rewrite the imports that its loader makes. src/edges/solver/thread.ts looks
 * for it there, from both bundles. It is not compressed: what a runner downloads is, and a file
 * that is the package's own can be compared with it.
 */
export function placeHighs(folder: string): void {
  for (const [name, path] of Object.entries(files)) {
    copyFileSync(new URL(`../node_modules/highs/${path}`, import.meta.url), join(folder, name));
  }
}
