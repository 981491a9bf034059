import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesBelow } from '../../scripts/entries-below.ts';

const made = new Map<string, string>();

/**
 * Has `make` create a folder with git once; later calls get a copy of it. `key` names everything it
 * depends on; null: never reused.
 */
export function madeOnce(key: string | null, folder: string, make: () => void): void {
  const known = made.get(key ?? '');
  if (known !== undefined) {
    rmSync(folder, { recursive: true, force: true });
    cpSync(known, folder, { recursive: true, verbatimSymlinks: true });
    return;
  }
  make();
  if (key === null) return;
  const copy = mkdtempSync(join(tmpdir(), 'evaldiff-made-'));
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  made.set(key, copy);
}

/** For the end of a test file. */
export function forgetMade(): void {
  for (const copy of made.values()) rmSync(copy, { recursive: true, force: true });
  made.clear();
}

/** Files of an unused `.git`, in alphabetical order. */
const UNTOUCHED = ['HEAD', 'config'];

/**
 * What a repository's first commit depends on, if nothing else happened in it: HEAD, settings and
 * every file. Null otherwise, or if repositories are nested.
 */
export function beginning(directory: string): string | null {
  const entries = entriesBelow(directory).filter(
    ({ entry }) => !entry.isDirectory() || entry.name === '.git',
  );
  const own = entries.filter(({ path }) => path.startsWith('.git/'));
  const nested = entries.some(({ entry, path }) => entry.name === '.git' && path !== '.git');
  if (nested || own.map(({ path }) => path.slice('.git/'.length)).join() !== UNTOUCHED.join())
    return null;
  const hash = createHash('sha256');
  for (const { entry, path } of entries) {
    if (path === '.git') continue;
    const file = join(directory, path);
    if (!entry.isFile() && !entry.isSymbolicLink()) return null;
    const content = entry.isFile() ? readFileSync(file) : Buffer.from(readlinkSync(file));
    const kind = entry.isFile() ? String(statSync(file).mode & 0o111) : 'link';
    hash.update(JSON.stringify([path, kind, content.length])).update(content);
  }
  return hash.digest('hex');
}
