import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UserError, problem } from '../errors.ts';

/**
 * Writes files that must not be there yet, all of them or none: they are written beside their
 * places first, and then moved. `files` is path (POSIX, below `folder`) → text. Rejects with every
 * path that exists, and leaves nothing behind on failure.
 */
export async function writeNewFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const taken = [...files.keys()].filter((path) => existsSync(join(folder, path)));
  if (taken.length > 0)
    throw new UserError(
      taken.map((path) =>
        problem(
          { file: path, line: 0 },
          'exists already and is not overwritten; move it away, or choose another folder (--out)',
        ),
      ),
    );
  /**
   * What of ours is to be taken away should the rest fail: files, and the outermost folders that
   * were not there.
   */
  const ours: string[] = [];
  const make = async (path: string): Promise<void> => {
    const made = await mkdir(path, { recursive: true });
    if (made !== undefined) ours.push(made);
  };
  let waiting: string | null = null;
  try {
    await make(folder);
    waiting = await mkdtemp(join(folder, '.evaldiff-new-'));
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

/** Writes one file in the place of what is there: all of it, or nothing. */
export async function replaceFile(folder: string, path: string, text: string): Promise<void> {
  const target = join(folder, path);
  const waiting = `${target}.evaldiff-new`;
  try {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(waiting, text);
    await rename(waiting, target);
  } catch (error) {
    await rm(waiting, { force: true }).catch(() => undefined);
    throw new UserError([
      problem({ file: path, line: 0 }, `could not be written: ${reasonOf(error)}`),
    ]);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
