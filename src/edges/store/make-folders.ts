import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { member } from '../../types/plain.ts';

/** Returns the outermost new folder. Avoids Node's recursive `mkdir`, which hangs below /proc. */
export function makeFolders(path: string, mode?: number): string | undefined {
  try {
    return mkdirIfMissing(path, mode);
  } catch (error) {
    if (member(error, 'code') !== 'ENOENT' || dirname(path) === path) throw error;
    const outermost = makeFolders(dirname(path), mode);
    const own = mkdirIfMissing(path, mode);
    return outermost ?? own;
  }
}

function mkdirIfMissing(path: string, mode: number | undefined): string | undefined {
  try {
    mkdirSync(path, mode);
    return path;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
    throw error;
  }
}
