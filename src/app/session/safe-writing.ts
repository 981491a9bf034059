import { constants, type Stats } from 'node:fs';
import {
  access,
  appendFile,
  chmod,
  lstat,
  mkdtemp,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, parse, relative, sep } from 'node:path';
import { isWithin } from '../../edges/git/discover.ts';
import { UserError, errorMessage, problem } from '../../errors.ts';
import { visibleLine } from '../../text/visible.ts';
import type { Problem } from '../../types/plain.ts';
import { makeFolders } from './make-folders.ts';

/**
 * The tree that a pull request may have had a hand in. Below its root no link is followed, and what
 * git tracks is not taken for ours. Whatever lies outside of it the user has named, and owns.
 */
export interface Ground {
  /** Absolute path. */
  root: string;
  /** What git's index holds at or below an absolute path without links; empty outside of it. */
  tracked(path: string): Promise<readonly string[]>;
}

/** The ground of a repository's work tree. */
export function groundOf(repository: {
  workTree: { root: string };
  tracked: Ground['tracked'];
}): Ground {
  return { root: repository.workTree.root, tracked: repository.tracked };
}

/**
 * What lies, or is to lie, at a path: a `file` that the user named and that is theirs, tracked or
 * not; a `folder` that we write into; a `store` of ours that is read. In the latter two, what git
 * tracks is somebody else's.
 */
type PathKind = 'file' | 'folder' | 'store';

/**
 * Why an absolute path must not be used, as a clause that says how to fix it; null: it may be. A
 * folder of ours that the files of a pull request lie in would be published with them.
 */
export async function pathRefusal(
  path: string,
  kind: PathKind,
  ground: Ground,
): Promise<string | null> {
  const settled = await settle(path, ground.root);
  if (settled.link !== null)
    return `${settled.link} is a symbolic link, and nothing is written through one; remove it, or name another ${kind}`;
  const [first, ...more] =
    kind === 'file' || !settled.inside ? [] : await ground.tracked(settled.path);
  if (first === undefined) return null;
  const files = `${visibleLine(first)}${more.length === 0 ? '' : ` and ${String(more.length)} more`}`;
  return kind === 'store'
    ? `git tracks ${files}, so that a pull request can have written it, and it is not read; take it out of git, or name another store`
    : `git tracks ${files} there, and nothing of it is overwritten; take that out of git, or name another folder`;
}

/** A path as far as it can be followed. */
interface Settled {
  path: string;
  /** Whether it lies in the ground. */
  inside: boolean;
  /** The link of the ground at which it ends, as words; null: there is none. */
  link: string | null;
}

/** Follows the user's own links down to the ground, and none within it. */
async function settle(path: string, root: string): Promise<Settled> {
  const ground = await realpath(root).catch(() => root);
  const start = parse(path).root;
  let at = start;
  for (const name of path.slice(start.length).split(sep)) {
    const next = join(at, name);
    const inside = isWithin(at, ground);
    if (inside && (await entryAt(next))?.isSymbolicLink() === true)
      return { path: next, inside, link: visibleLine(relative(ground, next)) };
    at = inside ? next : await realpath(next).catch(() => next);
  }
  return { path: at, inside: isWithin(at, ground), link: null };
}

/** What lies at a path, which may be a link; null: nothing does. */
export async function entryAt(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

/** @throws UserError for a link of the ground. */
async function placeFor(path: string, { root }: Root): Promise<Settled> {
  const settled = await settle(path, root);
  if (settled.link === null) return settled;
  throw removalError(`${settled.link} is a symbolic link, and nothing is written through one`);
}

type Root = Pick<Ground, 'root'>;

function removalError(what: string): UserError {
  return new UserError([problem(null, `${what}; remove it`)]);
}

type Data = Parameters<typeof writeFile>[1];

/** A folder of our own, in which files of ours are replaced. */
export interface OwnFolder {
  /** Absolute. */
  path: string;
  /**
   * Writes a file below it (POSIX path), in the place of what is there: all of it, or nothing. The
   * folders to it are made.
   *
   * @throws UserError as {@link putFile}.
   */
  write(below: string, data: Data): Promise<void>;
}

/**
 * A folder of our own for reports and the like, made where there is none.
 *
 * @throws UserError when it must not be written to, see {@link pathRefusal}.
 */
export async function openFolder(path: string, ground: Ground): Promise<OwnFolder> {
  const refusal = await pathRefusal(path, 'folder', ground);
  if (refusal !== null) throw new UserError([problem(null, refusal)]);
  await makeFolder(path, ground);
  return {
    path,
    write: (below, data) => putFile(join(path, ...below.split('/')), data, ground),
  };
}

/**
 * Makes a folder and those above it. The outermost that was not there; undefined: all were.
 *
 * @throws UserError for a link of the ground.
 */
export async function makeFolder(path: string, ground: Root): Promise<string | undefined> {
  return makeFolders((await placeFor(path, ground)).path);
}

/** How the folder's name begins in which a file lies until it is moved to its place. */
export const WAITING = '.evaldiff-new-';

/**
 * Writes a file at an absolute path, in the place of a regular file or of none: beside its place
 * first, then moved there. A move does not follow a link at the last step either. Who may read the
 * file before may read it after.
 *
 * @throws UserError for a link of the ground, or for what is not a regular file.
 */
export async function putFile(path: string, data: Data, ground: Root): Promise<void> {
  await makeFolder(dirname(path), ground);
  const { path: target } = await placeFor(path, ground);
  const entry = await entryAt(target);
  if (entry !== null && !entry.isFile())
    throw removalError(`${visibleLine(target)} is there and is not a regular file`);
  const waiting = await mkdtemp(join(dirname(target), WAITING));
  try {
    await writeFile(join(waiting, 'new'), data, { flag: 'wx' });
    if (entry !== null) await chmod(join(waiting, 'new'), entry.mode & 0o777);
    await rename(join(waiting, 'new'), target);
  } finally {
    await rm(waiting, { recursive: true, force: true });
  }
}

/** Windows has no such flag. */
const NO_FOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;

/**
 * Adds to a file that the user named, and makes it where there is none. Outside of the ground it
 * may be anything: a device, or a link to one.
 *
 * @throws UserError for a link of the ground.
 */
async function appendTo(path: string, text: string, ground: Root): Promise<void> {
  const { path: target, inside } = await placeFor(path, ground);
  await appendFile(target, text, { flag: APPEND | (inside ? NO_FOLLOW : 0) });
}

/**
 * Writes a file that the user named. Outside of the ground it may be anything: a device, or a link
 * to one.
 *
 * @throws UserError as {@link putFile}.
 */
export async function writeTo(path: string, data: Data, ground: Root): Promise<void> {
  const { path: target, inside } = await placeFor(path, ground);
  await (inside ? putFile(target, data, ground) : writeFile(target, data));
}

/** What kept something from being written, in one line. */
export function visibleErrorMessage(error: unknown): string {
  return visibleLine(errorMessage(error));
}

/**
 * Where an option says that something is to be written; a folder may be yet to be made, and a
 * file's folder must be there.
 */
export interface Output {
  option: string;
  path: string;
  kind: 'file' | 'folder';
}

/**
 * Refuses places that cannot be written to before anybody is asked, so that no answer is paid for
 * and then lost. All at once.
 */
export async function refuseUnwritable(outputs: readonly Output[], ground: Ground): Promise<void> {
  const problems = (
    await Promise.all(outputs.map((output) => outputProblem(output, ground)))
  ).filter((found) => found !== null);
  if (problems.length > 0) throw new UserError(problems);
}

async function outputProblem(
  { option, path, kind }: Output,
  ground: Ground,
): Promise<Problem | null> {
  const refusal = await pathRefusal(path, kind, ground);
  if (refusal !== null) return problem(null, `${option}: ${refusal}`);
  const entry = await stat(path).catch(() => null);
  const refuse = (why: string): Problem => problem(null, `${option}: ${path} ${why}`);
  if (entry !== null && entry.isDirectory() !== (kind === 'folder'))
    return refuse(`is a ${kind === 'folder' ? 'file' : 'folder'}; name a ${kind}`);
  const nearest =
    entry !== null ? path : kind === 'file' ? dirname(path) : await nearestOf(dirname(path));
  const holder = await stat(nearest).catch(() => null);
  if (holder === null) return refuse(`lies in a folder that does not exist`);
  if (entry === null && !holder.isDirectory())
    return refuse(`cannot be made: ${nearest} is a file`);
  return (await access(nearest, constants.W_OK).then(
    () => true,
    () => false,
  ))
    ? null
    : refuse(`cannot be written: no permission at ${nearest}`);
}

/** The path itself, or what of it exists. */
async function nearestOf(path: string): Promise<string> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearestOf(dirname(path));
}

/**
 * Adds lines to a file as they come. One that fails is told once, and costs the rest of the file.
 */
export function recorder(
  { option, path }: Output,
  ground: Ground,
  log: (line: string) => void,
): (line: string) => Promise<void> {
  let failed = false;
  return async (line) => {
    if (failed) return;
    try {
      await appendTo(path, `${line}\n`, ground);
    } catch (error) {
      if (!failed) log(`${option}: ${path} is not whole: ${visibleErrorMessage(error)}`);
      failed = true;
    }
  };
}
