import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InternalError, UserError, problem, userError } from '../../errors.ts';
import { hasCode } from './command.ts';
import { REGULAR_MODES, type TreeEntry } from './listing.ts';
import type { ObjectReader } from './objects.ts';

const WRITERS = 16;

/** Writes regular files without filters or hooks. */
export async function writeFiles(
  entries: readonly TreeEntry[],
  reader: Pick<ObjectReader, 'blob'>,
  folder: string,
): Promise<void> {
  const files = entries.filter(({ mode }) => REGULAR_MODES.has(mode));
  const refused = files.filter(({ path }) => !isSafePath(path));
  if (refused.length > 0) {
    throw new UserError(
      refused
        .slice(0, 20)
        .map(({ path }) =>
          problem(path, 'has a name that cannot be checked out; rename or remove it'),
        ),
    );
  }
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw new InternalError(`${folder} is not empty`);
  const made = new Map<string, Promise<unknown>>();
  let next = 0;
  const writer = async () => {
    for (let entry = files[next++]; entry !== undefined; entry = files[next++])
      await writeEntry(entry, reader, folder, made);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: WRITERS }, writer));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await rm(folder, { recursive: true, force: true });
    throw failed.reason;
  }
}

async function writeEntry(
  entry: TreeEntry,
  reader: Pick<ObjectReader, 'blob'>,
  folder: string,
  made: Map<string, Promise<unknown>>,
): Promise<void> {
  const content = await reader.blob(entry.id);
  if (content === null)
    throw userError(
      entry.path,
      `its content (object ${entry.id.slice(0, 7)}) is missing from this clone; run "git ` +
        'fetch" or clone again',
    );
  const slash = entry.bytes.lastIndexOf(47);
  const parent = slash < 0 ? '' : entry.bytes.subarray(0, slash).toString('latin1');
  if (parent !== '' && !made.has(parent))
    made.set(parent, mkdir(joinBytes(folder, entry.bytes.subarray(0, slash)), { recursive: true }));
  await made.get(parent);
  try {
    // `wx` fails if this file system treats two names as equal (`a` and `A`).
    await writeFile(joinBytes(folder, entry.bytes), content, {
      flag: 'wx',
      mode: entry.mode === '100755' ? 0o755 : 0o644,
    });
  } catch (error) {
    if (hasCode(error, 'EEXIST')) {
      throw userError(
        entry.path,
        "has a name that differs from another file's only in case or Unicode form; rename one",
      );
    }
    throw error;
  }
}

function joinBytes(folder: string, bytes: Buffer): Buffer | string {
  return process.platform === 'win32'
    ? join(folder, bytes.toString('utf8'))
    : Buffer.concat([Buffer.from(`${folder}/`), bytes]);
}

/** Rejects names that lead out of the folder or configure git. */
function isSafePath(path: string): boolean {
  const onWindows = process.platform === 'win32';
  return path.split('/').every((part) => {
    const name = part.toLowerCase().replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '');
    const climbs =
      part === '' || part === '.' || part === '..' || (onWindows && /[\\:]/.test(part));
    return !climbs && !/^(?:\.git|git~1)[. ]*$/.test(name);
  });
}
