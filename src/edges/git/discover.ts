import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { userError } from '../../errors.ts';
import { type GitPlace, git, splitNul } from './command.ts';

export interface Checkout {
  root: string;
  gitDir: string;
  /** Linked work trees share this folder. */
  commonDir: string;
}

export interface FoundFolder {
  folder: string;
  checkout: Checkout | null;
}

/** git's own search also accepts folders that only resemble a repository. */
export async function checkoutAt(root: string): Promise<Checkout | null> {
  const found = await gitDirOf(join(root, '.git'));
  if (found === null) return null;
  const gitDir = await realpath(found);
  const shared = await smallText(join(gitDir, 'commondir'));
  const commonDir = shared === null ? gitDir : resolve(gitDir, shared.trim());
  const isRepository =
    (await lstat(join(gitDir, 'HEAD')).catch(() => null)) !== null &&
    (await isFolder(join(commonDir, 'objects')));
  return isRepository ? { root: await realpath(root), gitDir, commonDir } : null;
}

/**
 * @throws UserError if the path follows a link inside the checkout, because the link could lead
 * outside.
 */
export async function discoverCheckout(directory: string): Promise<FoundFolder> {
  const folder = await realpath(directory).catch(() => null);
  if (folder === null || !(await isFolder(folder)))
    throw userError(null, `${directory} is not a folder`);
  const given = resolve(directory);
  const passed: string[] = [];
  for (const place of folderAndParents(given)) {
    const isLink = (await lstat(place)).isSymbolicLink();
    const checkout = isLink ? null : await checkoutAt(place);
    const [link] = passed;
    if (checkout !== null && link !== undefined)
      throw userError(
        null,
        `${relative(place, link).split(sep).join('/')} is a symbolic link; evaldiff does not ` +
          `follow links inside a repository. Name the folder itself: ${folder}`,
      );
    if (checkout !== null) return { folder, checkout };
    if (isLink) passed.unshift(place);
  }
  for (const place of folderAndParents(folder)) {
    const checkout = await checkoutAt(place);
    if (checkout !== null) return { folder, checkout };
  }
  return { folder, checkout: null };
}

function* folderAndParents(folder: string): Generator<string> {
  for (let place = folder; ; place = dirname(place)) {
    yield place;
    if (dirname(place) === place) return;
  }
}

async function gitDirOf(path: string): Promise<string | null> {
  if (await isFolder(path)) return path;
  const named = /^gitdir: (.+?)\r?\n*$/s.exec((await smallText(path)) ?? '')?.[1];
  if (named === undefined) return null;
  const gitDir = resolve(dirname(path), named);
  return (await isFolder(gitDir)) ? gitDir : null;
}

const PATH_FILE_BYTES = 64 * 1024;

async function smallText(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile() || found.size > PATH_FILE_BYTES) return null;
  return readFile(path, 'utf8');
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

export async function trackedAt(
  place: GitPlace,
  checkout: Checkout | null,
  path: string,
): Promise<string[]> {
  if (checkout === null || !isWithin(path, checkout.root)) return [];
  const below = relative(checkout.root, path).split(sep).join('/');
  const index = join(checkout.gitDir, 'index');
  const asked = below === '' ? [] : ['--', below];
  const environment = { ...place.environment, GIT_INDEX_FILE: index };
  const listed = await git({ ...place, environment }, ['ls-files', '-z', '--full-name', ...asked]);
  return splitNul(listed).map((entry) => entry.toString('utf8'));
}

export function isWithin(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && parse(below).root === '';
}
