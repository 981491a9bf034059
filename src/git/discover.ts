import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { UserError, problem } from '../errors.ts';
import { type GitPlace, git } from './command.ts';
import { splitNul } from './tree.ts';

/** A folder with a `.git` of its own, as git makes it: no commit can bring one along. */
export interface Checkout {
  /** The work tree's root, a real path. */
  root: string;
  /** HEAD and index of this work tree. */
  gitDir: string;
  /** Objects, refs and configuration, which linked work trees share. */
  commonDir: string;
}

/** What a person named: the folder, and the checkout that it lies in. */
export interface FoundFolder {
  /** A real path. */
  folder: string;
  /** Null where it lies in none. */
  checkout: Checkout | null;
}

/**
 * The checkout whose root a folder is. Git's own search is not used: it takes a folder that merely
 * looks like a repository for one, and obeys the configuration there.
 */
export async function checkoutAt(root: string): Promise<Checkout | null> {
  const found = await gitDirOf(join(root, '.git'));
  if (found === null) return null;
  const gitDir = await realpath(found);
  const shared = await smallText(join(gitDir, 'commondir'));
  const commonDir = shared === null ? gitDir : resolve(gitDir, shared.trim());
  const isRepository =
    (await isThere(join(gitDir, 'HEAD'))) && (await isFolder(join(commonDir, 'objects')));
  return isRepository ? { root: await realpath(root), gitDir, commonDir } : null;
}

/**
 * The checkout that a folder lies in, looked for upwards.
 *
 * @throws UserError when it is not a folder, or reached through a symbolic link of that checkout: a
 *   commit can bring such a link, and would choose what is looked at.
 */
export async function discoverCheckout(directory: string): Promise<FoundFolder> {
  const folder = await realpath(directory).catch(() => null);
  if (folder === null || !(await isFolder(folder)))
    throw new UserError([problem(null, `${directory} is not a folder`)]);
  const given = resolve(directory);
  const passed: string[] = [];
  for (const place of upwards(given)) {
    const isLink = (await lstat(place)).isSymbolicLink();
    const checkout = isLink ? null : await checkoutAt(place);
    const [link] = passed;
    if (checkout !== null && link !== undefined) throw refusedLink(place, link, folder);
    if (checkout !== null) return { folder, checkout };
    if (isLink) passed.unshift(place);
  }
  for (const place of upwards(folder)) {
    const checkout = await checkoutAt(place);
    if (checkout !== null) return { folder, checkout };
  }
  return { folder, checkout: null };
}

function refusedLink(root: string, link: string, folder: string): UserError {
  return new UserError([
    problem(
      null,
      `${relative(root, link).split(sep).join('/')} is a symbolic link; evaldiff follows none inside a repository. Name the folder itself: ${folder}`,
    ),
  ]);
}

function* upwards(folder: string): Generator<string> {
  for (let place = folder; ; place = dirname(place)) {
    yield place;
    if (dirname(place) === place) return;
  }
}

/** The repository that a `.git` is, or that the file `.git` of a linked work tree names. */
async function gitDirOf(path: string): Promise<string | null> {
  if (await isFolder(path)) return path;
  const named = /^gitdir: (.+?)\r?\n*$/s.exec((await smallText(path)) ?? '')?.[1];
  if (named === undefined) return null;
  const gitDir = resolve(dirname(path), named);
  return (await isFolder(gitDir)) ? gitDir : null;
}

/** Longest file of git's own that holds one path. */
const PATH_FILE_BYTES = 64 * 1024;

async function smallText(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > PATH_FILE_BYTES) return null;
  return readFile(path, 'utf8');
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

/**
 * What a checkout's index holds at or below an absolute path (no links in it), as POSIX paths below
 * the root of its work tree; nothing where the path lies outside of it, or where there is none. The
 * index is read by our own store, which obeys no configuration of the checkout.
 */
export async function trackedAt(
  place: GitPlace,
  checkout: Checkout | null,
  path: string,
): Promise<string[]> {
  if (checkout === null) return [];
  if (!isWithin(path, checkout.root)) return [];
  const below = relative(checkout.root, path).split(sep).join('/');
  const index = join(checkout.gitDir, 'index');
  if (await plainlyLacks(index, below)) return [];
  const asked = below === '' ? [] : ['--', below];
  const environment = { ...place.environment, GIT_INDEX_FILE: index };
  const listed = await git({ ...place, environment }, ['ls-files', '-z', '--full-name', ...asked]);
  return splitNul(listed).map((entry) => entry.toString('utf8'));
}

/** Signatures of what an index has elsewhere: entries in a shared index, folders as one entry. */
const ELSEWHERE = ['link', 'sdir'];

/**
 * Whether an index names nothing at or below a path, as far as that can be told without git: the
 * versions 2 and 3 have every path in full. False: git has to say.
 */
async function plainlyLacks(index: string, below: string): Promise<boolean> {
  const bytes = await readFile(index).catch(() => null);
  if (bytes === null || bytes.length < 8 || !PLAIN_PATH.test(below)) return false;
  const isWhole =
    bytes.toString('latin1', 0, 4) === 'DIRC' && [2, 3].includes(bytes.readUInt32BE(4));
  return isWhole && ![...ELSEWHERE, below].some((words) => bytes.includes(words));
}

/** Not empty, and of letters that git writes as they come on every system. */
const PLAIN_PATH = /^[\x20-\x7e]+$/;

/** Whether an absolute path lies in a folder, or is it; no link is followed. */
export function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  // On another drive it has a root of its own.
  return below !== '..' && !below.startsWith(`..${sep}`) && parse(below).root === '';
}
