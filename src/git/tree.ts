import { posix } from 'node:path';
import { InternalError, UserError, problem } from '../errors.ts';
import type { SourceTree } from '../types/repository.ts';
import { git, type GitPlace } from './command.ts';
import { isObjectId, type ObjectReader } from './objects.ts';

/** One entry below a tree, as git lists it. */
export interface TreeEntry {
  mode: string;
  id: string;
  /** Bytes; 0 for a submodule. */
  size: number;
  /** The exact name; `path` is the same as text. */
  bytes: Buffer;
  path: string;
}

export const REGULAR_MODES: ReadonlySet<string> = new Set(['100644', '100755']);

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A name as text. Names that are not UTF-8 show each byte above 127 as `\xHH`, so that none is lost
 * or merged.
 */
export function pathText(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes
      .toString('latin1')
      .replace(/[\u0080-\u00ff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  }
}

/** Cuts a `-z` answer at its NUL bytes. */
export function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let end = output.indexOf(0); end >= 0; end = output.indexOf(0, start)) {
    parts.push(output.subarray(start, end));
    start = end + 1;
  }
  return parts;
}

/**
 * The object that a folder is in a commit or tree: its tree, what else lies there, or null.
 * `prefix` is a POSIX path without a trailing slash, '' for the root.
 */
export async function findFolder(
  place: GitPlace,
  commit: string,
  prefix: string,
): Promise<{ mode: string; id: string } | null> {
  if (prefix === '') return { mode: '040000', id: commit };
  const listing = await git(place, [
    'ls-tree',
    '-z',
    '--full-tree',
    '--end-of-options',
    commit,
    prefix,
  ]);
  const entry = splitNul(listing)
    .map((part) => parseEntry(part))
    .find(({ path }) => path === prefix);
  return entry === undefined ? null : { mode: entry.mode, id: entry.id };
}

export type Prepare = (place: GitPlace, tree: string) => Promise<void>;

/**
 * Every entry below a folder of a commit or tree, with sizes and without any content.
 * @param prepare called with the folder before sizes are asked for, for which a partial clone would
 *   fetch file after file
 */
export async function listFolder(
  place: GitPlace,
  commit: string,
  prefix: string,
  prepare?: Prepare,
): Promise<TreeEntry[]> {
  const folder = await findFolder(place, commit, prefix);
  if (folder === null) return [];
  if (folder.mode !== '040000')
    return [{ mode: folder.mode, id: folder.id, size: 0, bytes: Buffer.from('.'), path: '.' }];
  await prepare?.(place, folder.id);
  return splitNul(
    await git(place, ['ls-tree', '-r', '-z', '-l', '--full-tree', '--end-of-options', folder.id]),
  ).map((part) => parseEntry(part));
}

/** `<mode> <type> <id>[ <size>]` TAB `<name>` */
function parseEntry(part: Buffer): TreeEntry {
  const tab = part.indexOf(9);
  const [mode = '', , id = '', size = '0'] = part.subarray(0, tab).toString('latin1').split(/ +/);
  if (tab < 0 || !isObjectId(id))
    throw new InternalError('git ls-tree gave a line without an object id');
  const bytes = part.subarray(tab + 1);
  return { mode, id, size: size === '-' ? 0 : Number(size), bytes, path: pathText(bytes) };
}

/**
 * The tree of a commit (or of the uncommitted files) from its entries; contents are read by object
 * id.
 */
export function sourceTree(
  commit: string,
  entries: readonly TreeEntry[],
  reader: ObjectReader,
): SourceTree {
  const files = new Map<string, { id: string; size: number }>();
  const irregular = new Map<string, 'symbolic link' | 'submodule'>();
  for (const { mode, id, size, path } of entries) {
    // A crafted tree can hold one name twice: the first entry is the file, whatever the second is.
    if (files.has(path) || irregular.has(path)) continue;
    if (REGULAR_MODES.has(mode) && path !== '.') files.set(path, { id, size });
    else if (mode === '120000') irregular.set(path, 'symbolic link');
    else if (mode === '160000') irregular.set(path, 'submodule');
  }
  const at = commit === 'worktree' ? 'in the working tree' : `at ${commit.slice(0, 7)}`;
  const read = async (path: string): Promise<Uint8Array> => {
    const file = files.get(path);
    const kind = irregular.get(path);
    const place = { file: path, line: 0 };
    if (kind !== undefined)
      throw new UserError([problem(place, `is a ${kind}; only regular files are read`)]);
    if (file === undefined) throw new UserError([problem(place, `does not exist ${at}`)]);
    const content = await reader.blob(file.id);
    if (content === null)
      throw new UserError([
        problem(
          place,
          `its content ${at} (object ${file.id.slice(0, 7)}) is missing from this clone; run "git fetch" or clone anew`,
        ),
      ]);
    return content;
  };
  return { commit, files, irregular, read };
}

/**
 * The folder below the repository's root that `workingDirectory` names, '' for the root itself.
 * Throws a `UserError` when it lies outside. `start` is the opened folder, relative to the root.
 */
export function folderPrefix(start: string, workingDirectory: string, repository: string): string {
  const joined = posix.normalize(posix.join(start, workingDirectory));
  const outside =
    joined === '..' ||
    joined.startsWith('../') ||
    posix.isAbsolute(workingDirectory) ||
    workingDirectory.includes('\0');
  if (outside)
    throw new UserError([
      problem(
        null,
        `${workingDirectory.replaceAll('\0', '\\0')}: is outside ${repository}. Give a folder inside the repository.`,
      ),
    ]);
  return joined === '.' ? '' : joined.replace(/\/+$/, '');
}
