import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError, problem } from '../errors.ts';

/**
 * Writes files that must not be there yet, all of them or none: they are written beside their places first, and then moved.
 * `files` is path (POSIX, below `folder`) → text. Rejects with every path that exists, and leaves nothing behind on failure.
 */
export async function writeNewFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const taken = [...files.keys()].filter((path) => existsSync(join(folder, path)));
  if (taken.length > 0) throw new UserError(taken.map((path) => problem({ file: path, line: 0 }, 'exists already and is not overwritten; move it away, or choose another folder (--out)')));
  const made = await mkdir(folder, { recursive: true });
  const waiting = await mkdtemp(join(folder, '.evaldiff-new-'));
  const moved: string[] = [];
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(waiting, path)), { recursive: true });
      await writeFile(join(waiting, path), text, { flag: 'wx' });
    }
    for (const path of files.keys()) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await rename(join(waiting, path), join(folder, path));
      moved.push(path);
    }
  } catch (error) {
    await Promise.all(moved.map((path) => rm(join(folder, path), { force: true })));
    if (made !== undefined) await rm(made, { recursive: true, force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new UserError([problem(null, `nothing was written to ${folder}: ${reason}`)]);
  } finally {
    await rm(waiting, { recursive: true, force: true });
  }
}

/** Writes one file in the place of what is there: all of it, or nothing. */
export async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  const waiting = `${target}.evaldiff-new`;
  try {
    await writeFile(waiting, text);
    await rename(waiting, target);
  } catch (error) {
    await rm(waiting, { force: true });
    throw new UserError([problem({ file: path, line: 0 }, `could not be written: ${error instanceof Error ? error.message : String(error)}`)]);
  }
}
