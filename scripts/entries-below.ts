import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';

export interface EntryBelow {
  /** Relative to the folder. */
  path: string;
  entry: Dirent;
}

/**
 * Everything below a folder, sorted by path. Does not follow links: a recursive `readdir` does, and
 * goes round in circles if a link leads back.
 */
export function entriesBelow(folder: string): EntryBelow[] {
  return listed(folder, '').sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The paths of all regular files below a folder, relative to it and sorted. */
export function filePathsBelow(folder: string): string[] {
  return entriesBelow(folder)
    .filter(({ entry }) => entry.isFile())
    .map(({ path }) => path);
}

function listed(folder: string, below: string): EntryBelow[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name);
    return [{ path, entry }, ...(entry.isDirectory() ? listed(folder, path) : [])];
  });
}
