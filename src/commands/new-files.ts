import { lstat, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError, problem } from '../errors.ts';
import {
  WAITING,
  makeFolder,
  putFile,
  reasonOf,
  refusalOf,
  type Ground,
} from '../session/safe-writing.ts';
import type { Problem } from '../types/plain.ts';

/**
 * Writes files that must not be there yet, all of them or none: they are written beside their
 * places first, and then moved. `files` is path (POSIX, below `folder`) → text. Rejects with every
 * path that exists or is reached through a link of the ground, and leaves nothing behind on failure.
 */
export async function writeNewFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  ground: Ground,
): Promise<void> {
  const problems = await Promise.all(
    [...files.keys()].map((path) => occupied(folder, path, ground)),
  );
  if (problems.some((found) => found !== null))
    throw new UserError(problems.filter((found) => found !== null));
  /**
   * What of ours is to be taken away should the rest fail: files, and the outermost folders that
   * were not there.
   */
  const ours: string[] = [];
  const make = async (path: string): Promise<void> => {
    const made = await makeFolder(path, ground);
    if (made !== undefined) ours.push(made);
  };
  let waiting: string | null = null;
  try {
    await make(folder);
    waiting = await mkdtemp(join(folder, WAITING));
    for (const [path, text] of files) {
      await mkdir(dirname(join(waiting, path)), { recursive: true });
      await writeFile(join(waiting, path), text, { flag: 'wx' });
    }
    for (const path of files.keys()) {
      await make(dirname(join(folder, path)));
      await rename(join(waiting, path), join(folder, path));
      ours.push(join(folder, path));
    }
  } catch (error) {
    for (const path of ours.reverse())
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
    throw new UserError([problem(null, `nothing was written to ${folder}: ${reasonOf(error)}`)]);
  } finally {
    if (waiting !== null) await rm(waiting, { recursive: true, force: true });
  }
}

async function occupied(folder: string, path: string, ground: Ground): Promise<Problem | null> {
  const refusal = await refusalOf(join(folder, path), 'file', ground);
  if (refusal !== null) return problem({ file: path, line: 0 }, refusal);
  // A link that leads nowhere is there, too.
  const entry = await lstat(join(folder, path)).catch(() => null);
  return entry === null
    ? null
    : problem(
        { file: path, line: 0 },
        'exists already and is not overwritten; move it away, or choose another folder (--out)',
      );
}

/** Writes one file in the place of what is there: all of it, or nothing. */
export async function replaceFile(
  folder: string,
  path: string,
  text: string,
  ground: Ground,
): Promise<void> {
  try {
    await putFile(join(folder, path), text, ground);
  } catch (error) {
    throw new UserError([
      problem({ file: path, line: 0 }, `could not be written: ${reasonOf(error)}`),
    ]);
  }
}
