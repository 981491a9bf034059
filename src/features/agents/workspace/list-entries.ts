import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isOutsideGit, type Mode } from './files.ts';

export interface DiskEntry {
  mode: Mode | null;
  size: number;
  /** Includes ctime, which programs cannot set, so equal stamps mean equal content. */
  stamp: string;
}

/** Does not follow links and skips `.git`. Nothing may write to the folder meanwhile. */
export async function listEntries(folder: string): Promise<Map<string, DiskEntry>> {
  const found = new Map<string, DiskEntry>();
  const open = [''];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    for (const name of await folderNames(join(folder, below))) {
      if (!isOutsideGit(name)) continue;
      const path = below === '' ? name : `${below}/${name}`;
      const entry = await listedEntry(join(folder, path));
      if (entry === 'folder') open.push(path);
      else found.set(path, entry);
    }
  }
  return found;
}

async function folderNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    await chmod(folder, 0o700).catch(() => undefined);
    return readdir(folder).catch(() => []);
  }
}

/**
 * A file whose name is too long or not UTF-8 cannot be opened, so it gets no mode, like a device.
 */
async function listedEntry(path: string): Promise<DiskEntry | 'folder'> {
  const stat = await lstat(path, { bigint: true }).catch(() => null);
  if (stat === null) return { mode: null, size: 0, stamp: '' };
  if (stat.isDirectory()) return 'folder';
  const executable = (Number(stat.mode) & 0o100) !== 0;
  const fileMode: Mode | null = stat.isFile() ? (executable ? '100755' : '100644') : null;
  return {
    mode: stat.isSymbolicLink() ? '120000' : fileMode,
    size: Number(stat.size),
    stamp: [stat.ino, stat.ctimeNs, stat.size, stat.mode].join(' '),
  };
}
