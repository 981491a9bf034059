import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { member } from '../../types/plain.ts';

/** Returns the outermost new folder. Avoids Node's recursive `mkdir`, which hangs below /proc. */
export function makeFolders(path: string): string | undefined {
  try {
    return mkdirIfMissing(path);
  } catch (error) {
    if (member(error, 'code') !== 'ENOENT' || dirname(path) === path) throw error;
    const outermost = makeFolders(dirname(path));
    const own = mkdirIfMissing(path);
    return outermost ?? own;
  }
}

function mkdirIfMissing(path: string): string | undefined {
  try {
    mkdirSync(path);
    return path;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    throw error;
  }
}
