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
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, parse, relative, sep } from 'node:path';
import { isWithin } from '../../edges/git/discover.ts';
import { makeFolders } from '../../edges/store/make-folders.ts';
import { UserError, errorMessage, problem, userError } from '../../errors.ts';
import { visibleLine } from '../../text/visible.ts';
import { member, type Problem } from '../../types/plain.ts';

/**
 * A pull request may have changed this work tree, so its links and tracked files are not trusted.
 */
export interface WorkTree {
  root: string;
  tracked(path: string): Promise<readonly string[]>;
}

export function workTreeOf(repository: {
  workTree: { root: string };
  tracked: WorkTree['tracked'];
}): WorkTree {
  return { root: repository.workTree.root, tracked: repository.tracked };
}

/**
 * A `folder` to write or a `store` to read must not be tracked by git, because a pull request may
 * have added it.
 */
type PathKind = 'file' | 'folder' | 'store';

export async function pathRefusal(
  path: string,
  kind: PathKind,
  workTree: WorkTree,
): Promise<string | null> {
  const resolved = await resolvePath(path, workTree.root);
  if (resolved.flaw !== null) return `${resolved.flaw}; remove it, or name another ${kind}`;
  const [first, ...more] =
    kind === 'file' || !resolved.inside ? [] : await workTree.tracked(resolved.path);
  if (first === undefined) return null;
  const files = `${visibleLine(first)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
  return kind === 'store'
    ? `git tracks ${files}, so a pull request may have written it, and evaldiff does not read it; ` +
        'remove it from git, or name another store'
    : `git tracks ${files}, and evaldiff does not overwrite tracked files; remove it from git, ` +
        'or name another folder';
}

interface ResolvedPath {
  path: string;
  inside: boolean;
  flaw: string | null;
}

const SHELL_PIPE = /^\/dev\/(?:fd\/\d+|stdout|stderr)$/;

async function resolvePath(path: string, root: string): Promise<ResolvedPath> {
  const realRoot = await realpath(root).catch(() => root);
  const start = parse(path).root;
  let at = start;
  for (const name of path.slice(start.length).split(sep)) {
    const next = join(at, name);
    const inside = isWithin(at, realRoot);
    if (inside && (await entryAt(next))?.isSymbolicLink() === true)
      return {
        path: next,
        inside,
        flaw:
          `${visibleLine(relative(realRoot, next))} is a symbolic link, and evaldiff does not ` +
          'write through links',
      };
    at = inside ? next : await realpath(next).catch(() => next);
  }
  const hangs = !SHELL_PIPE.test(path) && (await entryAt(at))?.isFIFO() === true;
  const flaw = hangs ? `${visibleLine(at)} is a named pipe, which evaldiff does not use` : null;
  return { path: at, inside: isWithin(at, realRoot), flaw };
}

export async function entryAt(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}

async function resolveWritable(path: string, { root }: Root): Promise<ResolvedPath> {
  const resolved = await resolvePath(path, root);
  if (resolved.flaw === null) return resolved;
  throw removalError(resolved.flaw);
}

type Root = Pick<WorkTree, 'root'>;

function removalError(what: string): UserError {
  return userError(null, `${what}; remove it`);
}

type Data = Parameters<typeof writeFile>[1];

export interface OwnFolder {
  path: string;
  /** Writes atomically. `below` is a POSIX path. */
  write(below: string, data: Data): Promise<void>;
}

/** @throws UserError if the folder must not be written to, see {@link pathRefusal}. */
export async function openFolder(path: string, workTree: WorkTree): Promise<OwnFolder> {
  const refusal = await pathRefusal(path, 'folder', workTree);
  if (refusal !== null) throw userError(null, refusal);
  await makeFolder(path, workTree);
  return {
    path,
    write: (below, data) => putFile(join(path, ...below.split('/')), data, workTree),
  };
}

/**
 * Returns the outermost new folder.
 * @throws UserError for a link in the work tree.
 */
async function makeFolder(path: string, workTree: Root): Promise<string | undefined> {
  return makeFolders((await resolveWritable(path, workTree)).path);
}

const NEW_FILE_PREFIX = '.evaldiff-new-';

/**
 * Writes a new file and moves it to the path, because a move does not follow links.
 * @throws UserError for a link in the work tree and for anything that is not a regular file.
 */
export async function putFile(path: string, data: Data, workTree: Root): Promise<void> {
  await makeFolder(dirname(path), workTree);
  const { path: target } = await resolveWritable(path, workTree);
  const entry = await entryAt(target);
  if (entry !== null && !entry.isFile())
    throw removalError(`${visibleLine(target)} exists and is not a regular file`);
  const waiting = await mkdtemp(join(dirname(target), NEW_FILE_PREFIX));
  try {
    await writeFile(join(waiting, 'new'), data, { flag: 'wx' });
    if (entry !== null) await chmod(join(waiting, 'new'), entry.mode & 0o777);
    await rename(join(waiting, 'new'), target);
  } finally {
    await rm(waiting, { recursive: true, force: true });
  }
}

/** Windows does not have this flag. */
const NO_FOLLOW = (constants as Partial<typeof constants>).O_NOFOLLOW ?? 0;

const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY;

async function appendTo(path: string, text: string, workTree: Root): Promise<void> {
  const { path: target, inside } = await resolveWritable(path, workTree);
  await appendFile(target, text, { flag: APPEND | (inside ? NO_FOLLOW : 0) });
}

export async function writeTo(path: string, data: Data, workTree: Root): Promise<void> {
  const { path: target, inside } = await resolveWritable(path, workTree);
  await (inside ? putFile(target, data, workTree) : writeFile(target, data));
}

export function visibleErrorMessage(error: unknown): string {
  return visibleLine(errorMessage(error));
}

export interface Output {
  option: string;
  path: string;
  kind: 'file' | 'folder';
}

/** Call this before the first model call, so that no paid answer is lost. */
export async function refuseUnwritable(
  outputs: readonly Output[],
  workTree: WorkTree,
): Promise<void> {
  const found = await Promise.all(outputs.map((output) => outputProblem(output, workTree)));
  const problems = found.flatMap((each) => each ?? []);
  if (problems.length > 0) throw new UserError(problems);
}

async function outputProblem(
  { option, path, kind }: Output,
  workTree: WorkTree,
): Promise<Problem | null> {
  const refusal = await pathRefusal(path, kind, workTree);
  if (refusal !== null) return problem(null, `${option}: ${refusal}`);
  const entry = await stat(path).catch(() => null);
  const refuse = (why: string): Problem => problem(null, `${option}: ${path} ${why}`);
  if (entry !== null && entry.isDirectory() !== (kind === 'folder'))
    return refuse(`is a ${kind === 'folder' ? 'file' : 'folder'}; name a ${kind}`);
  const nearest =
    entry !== null ? path : kind === 'file' ? dirname(path) : await nearestOf(dirname(path));
  const holder = await stat(nearest).catch(() => null);
  if (holder === null) return refuse(`is in a folder that does not exist`);
  if (entry === null && !holder.isDirectory())
    return refuse(`cannot be made: ${nearest} is a file`);
  // As root, `access` also succeeds where no file can be created, such as in /proc.
  const probes = holder.isDirectory() && !isWithin(nearest, workTree.root);
  return access(nearest, constants.W_OK)
    .then(async () => (probes ? rmdir(await mkdtemp(join(nearest, NEW_FILE_PREFIX))) : undefined))
    .then(
      () => null,
      (error: unknown) =>
        refuse(`cannot be written (${String(member(error, 'code'))} at ${nearest})`),
    );
}

async function nearestOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  return found !== null || dirname(path) === path ? path : nearestOf(dirname(path));
}

export function recorder(
  { option, path }: Output,
  workTree: WorkTree,
  log: (line: string) => void,
): (line: string) => Promise<void> {
  let failed = false;
  return async (line) => {
    if (failed) return;
    try {
      await appendTo(path, `${line}\n`, workTree);
    } catch (error) {
      if (!failed) log(`${option}: ${path} is not whole: ${visibleErrorMessage(error)}`);
      failed = true;
    }
  };
}
