import { copyFile, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { InternalError, userError } from '../../errors.ts';
import { git, gitLine, inTurns, lastLine, runGit, splitNul, type GitPlace } from './command.ts';
import type { Checkout } from './discover.ts';
import { copyIfThere, type GitStore } from './store.ts';

export function openSnapshots(
  store: GitStore,
  root: string,
  checkout: Checkout | null,
): (prefix: string) => Promise<string> {
  const place: GitPlace = {
    ...store.place,
    settings: [
      ...store.fileSettings,
      'core.safecrlf=false',
      'core.looseCompression=0',
      'core.bare=false',
    ],
    environment: { ...store.place.environment, GIT_WORK_TREE: root },
  };
  const snapshot = async (prefix: string): Promise<string> => {
    if (checkout !== null) {
      await copyRules(checkout, place.gitDir);
      await copyIndex(join(checkout.gitDir, 'index'), place.gitDir);
    }
    await addFiles(place, prefix);
    return writeTree(place);
  };
  const inTurn = inTurns();
  return (prefix) => inTurn(() => snapshot(prefix));
}

async function copyRules({ commonDir }: Checkout, store: string): Promise<void> {
  await mkdir(join(store, 'info'), { recursive: true });
  for (const name of ['exclude', 'attributes'])
    await copyIfThere(join(commonDir, 'info', name), join(store, 'info', name));
}

/**
 * Copies the checkout's index. With it, git skips unchanged files and includes tracked files that
 * `.gitignore` matches.
 */
async function copyIndex(index: string, store: string): Promise<void> {
  const copy = join(store, 'index');
  await rm(copy, { force: true });
  if (!(await copyIfThere(index, copy))) return;
  // git trusts a file's time only if the file is older than the index. A newer index could hide a
  // change.
  const { mtimeMs } = await stat(index);
  await utimes(copy, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  for (const name of await readdir(dirname(index))) {
    if (name.startsWith('sharedindex.'))
      await copyFile(join(dirname(index), name), join(store, name));
  }
}

/** An unreadable file, or one that is not in the encoding of `.gitattributes`. */
const UNREADABLE =
  /^(?:fatal|error): (?:unable to index file|open\(|failed to encode|BOM is |.*working-tree-encoding).*$/m;

async function addFiles(place: GitPlace, prefix: string): Promise<void> {
  const added = await runGit(place, [
    'add',
    '--all',
    '--ignore-errors',
    '--',
    prefix === '' ? '.' : prefix,
  ]);
  const unreadable = UNREADABLE.exec(added.stderr);
  if (unreadable !== null)
    throw userError(
      null,
      `A file of the working tree could not be read: ${lastLine(unreadable[0])}. Make it ` +
        'readable in the encoding that .gitattributes gives it, or ignore it with .gitignore.',
    );
  const nothingThere =
    prefix !== '' && /did not match any file|beyond a symbolic link/.test(added.stderr);
  const nested = /does not have a commit checked out/.test(added.stderr);
  if (added.code !== 0 && !nothingThere && !nested)
    throw new InternalError(`git add failed: ${lastLine(added.stderr)}`);
}

async function writeTree(place: GitPlace): Promise<string> {
  const write = ['write-tree', '--missing-ok'];
  const { code, output } = await runGit(place, write);
  if (code === 0) return output.toString('latin1').trim();
  const conflicts = await git(place, ['ls-files', '-z', '--unmerged', '--full-name']);
  const paths = splitNul(conflicts).flatMap((entry) => [
    entry.subarray(entry.indexOf(9) + 1),
    Buffer.of(0),
  ]);
  if (paths.length > 0)
    await git(place, ['update-index', '-z', '--force-remove', '--stdin'], {
      input: Buffer.concat(paths),
    });
  return gitLine(place, write);
}
