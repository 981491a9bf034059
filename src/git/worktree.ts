import { copyFile, mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { InternalError, UserError, problem } from '../errors.ts';
import { git, gitAnswers, gitLine, hasCode, lastLine, runGit, type GitPlace } from './command.ts';
import { splitNul } from './tree.ts';

/**
 * A private store beside the user's repository: it takes the uncommitted files, the repository gets
 * nothing.
 */
export interface WorktreeStore {
  /** Where the objects of the repository and of this store can both be read. */
  reading: GitPlace;
  /** Stores the files as they are on disk now; id of the tree of the whole repository. */
  snapshot(prefix: string): Promise<string>;
  remove(): Promise<void>;
}

/**
 * What decides how a file on disk becomes an object, and which files are ignored. Filters and
 * programs are not among it.
 */
const CARRIED_SETTINGS =
  '^core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|longpaths|trustctime|checkstat|attributesfile|excludesfile|protecthfs|protectntfs)$';

/**
 * Opens a store in a fresh folder below `temporaryFolder`.
 * @param root the folder whose files are taken: the work tree's root, or a folder without a
 *   repository
 * @param repository where git reads the user's repository; null when there is none
 */
export async function openWorktreeStore(
  outer: GitPlace,
  root: string,
  repository: GitPlace | null,
  temporaryFolder: string,
): Promise<WorktreeStore> {
  const folder = await mkdtemp(join(temporaryFolder, 'evaldiff-git-'));
  try {
    return await setUpStore(folder, outer, root, repository);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function setUpStore(
  folder: string,
  outer: GitPlace,
  root: string,
  repository: GitPlace | null,
): Promise<WorktreeStore> {
  const store = join(folder, 'store.git');
  const [carried, { format, ...paths }] = await Promise.all([
    carriedSettings(outer),
    repository === null ? NOTHING_TO_BORROW : whatToBorrow(repository),
  ]);
  const settings = [
    ...carried,
    'core.safecrlf=false',
    'core.looseCompression=0',
    'core.bare=false',
  ];
  const place: GitPlace = {
    ...outer,
    directory: root,
    settings,
    environment: {
      ...outer.environment,
      GIT_DIR: store,
      GIT_WORK_TREE: root,
      // The user's filter drivers and programs are known from these files only.
      GIT_CONFIG_GLOBAL: process.platform === 'win32' ? 'NUL' : '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    },
  };
  await git(
    { ...place, directory: folder, environment: { ...place.environment, GIT_WORK_TREE: folder } },
    ['init', '--quiet', '--template=', `--object-format=${format}`],
  );
  if (repository !== null) await borrowObjects(paths, store);
  const snapshot = async (prefix: string): Promise<string> => {
    if (repository !== null) await copyIndex(paths.index, store);
    await addFiles(place, prefix);
    return writeTree(place);
  };
  // The store has one index: snapshots wait for each other.
  let turn: Promise<unknown> = Promise.resolve();
  return {
    reading: repository === null ? place : withObjects(repository, join(store, 'objects')),
    snapshot(prefix) {
      const tree = turn.then(() => snapshot(prefix));
      turn = tree.catch(() => undefined);
      return tree;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function carriedSettings(outer: GitPlace): Promise<string[]> {
  const { output } = await runGit(outer, ['config', '-z', '--get-regexp', CARRIED_SETTINGS]);
  return splitNul(output)
    .map((entry) => entry.toString('utf8'))
    .map((entry) => {
      const end = entry.indexOf('\n');
      // A key without a value means true, to git as well.
      return end < 0 ? entry : `${entry.slice(0, end)}=${entry.slice(end + 1)}`;
    });
}

/**
 * What the store takes from the repository: the kind of its object ids, and where its files are.
 */
interface Borrowed {
  format: string;
  objects: string;
  exclude: string;
  attributes: string;
  index: string;
}

const NOTHING_TO_BORROW: Borrowed = {
  format: 'sha1',
  objects: '',
  exclude: '',
  attributes: '',
  index: '',
};

async function whatToBorrow(repository: GitPlace): Promise<Borrowed> {
  const [format = '', ...paths] = await gitAnswers(repository, [
    ['--show-object-format'],
    ['--git-path', 'objects'],
    ['--git-path', 'info/exclude'],
    ['--git-path', 'info/attributes'],
    ['--git-path', 'index'],
  ]);
  const [objects = '', exclude = '', attributes = '', index = ''] = paths.map((path) =>
    resolve(repository.directory, path),
  );
  return { format, objects, exclude, attributes, index };
}

/** Lets the store read the repository's objects, and follow its ignore and attribute files. */
async function borrowObjects(
  { objects, exclude, attributes }: Omit<Borrowed, 'format'>,
  store: string,
): Promise<void> {
  await writeFile(join(store, 'objects', 'info', 'alternates'), `${quotedPath(objects)}\n`);
  await mkdir(join(store, 'info'), { recursive: true });
  await copyIfThere(exclude, join(store, 'info/exclude'));
  await copyIfThere(attributes, join(store, 'info/attributes'));
}

/**
 * Starts from the user's index: unchanged files are not read again, and files that are tracked
 * though ignored stay.
 */
async function copyIndex(index: string, store: string): Promise<void> {
  const copy = join(store, 'index');
  await rm(copy, { force: true });
  if (!(await copyIfThere(index, copy))) return;
  // git trusts a file's time stamp only when it is older than the index: a younger copy would hide
  // a change made in the same moment. Whole seconds, rounded down, trust less and never more.
  const { mtimeMs } = await stat(index);
  await utimes(copy, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  for (const name of await readdir(dirname(index))) {
    if (name.startsWith('sharedindex.'))
      await copyFile(join(dirname(index), name), join(store, name));
  }
}

async function copyIfThere(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

async function addFiles(place: GitPlace, prefix: string): Promise<void> {
  // A nested repository without a commit cannot be added and is passed over; it must not stop the
  // rest.
  const added = await runGit(place, [
    'add',
    '--all',
    '--ignore-errors',
    '--',
    prefix === '' ? '.' : prefix,
  ]);
  const unreadable = /^error: (?:unable to index file|open\().*$/m.exec(added.complaint);
  if (unreadable !== null) {
    throw new UserError([
      problem(
        null,
        `A file of the working tree could not be read: ${lastLine(unreadable[0])}. Make it readable, or ignore it with .gitignore.`,
      ),
    ]);
  }
  const nothingThere =
    prefix !== '' && /did not match any file|beyond a symbolic link/.test(added.complaint);
  const nested = /does not have a commit checked out/.test(added.complaint);
  if (added.code !== 0 && !nothingThere && !nested)
    throw new InternalError(`git add failed: ${lastLine(added.complaint)}`);
}

/** The tree of everything in the store's index. */
async function writeTree(place: GitPlace): Promise<string> {
  const write = ['write-tree', '--missing-ok'];
  const { code, output } = await runGit(place, write);
  if (code === 0) return output.toString('latin1').trim();
  // A merge conflict outside the folder keeps git from writing the tree.
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

function withObjects(place: GitPlace, objects: string): GitPlace {
  const odd = objects.includes(delimiter) || objects.startsWith('"') || objects.includes('\n');
  return {
    ...place,
    environment: {
      ...place.environment,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: odd ? cQuoted(objects) : objects,
    },
  };
}

function quotedPath(path: string): string {
  return /^["#]|\n/.test(path) ? cQuoted(path) : path;
}

function cQuoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
