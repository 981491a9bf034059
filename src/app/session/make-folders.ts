import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { member } from '../../types/plain.ts';

/**
 * As Node's recursive `mkdir`, which never returns where the system says that a folder does not
 * exist although its parent does, as below /proc. The outermost folder that was not there;
 * undefined: all were.
 */
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
