import { posix } from 'node:path';
import { InternalError, UserError, problem } from '../errors.ts';
import type { SourceTree } from '../types/repository.ts';
import { git, runGit, type GitPlace } from './command.ts';
import { lfsPointer, MOST_LFS_BYTES, type LfsPointer } from './lfs.ts';
import type { Missing } from './missing.ts';
import { isObjectId, type ObjectReader } from './objects.ts';

/** One entry below a tree, as git lists it. */
export interface TreeEntry {
  mode: string;
  id: string;
  /** Bytes; 0 for a submodule; null where the content is not here. */
  size: number | null;
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
export function treePathText(bytes: Buffer): string {
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

/** What lies at a path of a commit. */
export type Folder =
  | { kind: 'folder'; tree: string }
  /** `at`: the path itself, or what it would lie below. */
  | { kind: 'missing' | 'symbolic link' | 'submodule' | 'file'; at: string };

/** What git lists of a commit or tree, where trees may have to be brought first. */
async function listTree(
  place: GitPlace,
  options: readonly string[],
  [commit, prefix]: readonly [commit: string, prefix: string],
  missing: Missing,
): Promise<TreeEntry[]> {
  const paths = trail(prefix);
  const command = ['ls-tree', '-z', '--full-tree', ...options, '--end-of-options', commit];
  const first = await runGit(place, [...command, ...paths]);
  if (first.code === 0) return splitNul(first.output).map((part) => parseEntry(part));
  await missing.trees(commit, prefix);
  return splitNul(await git(place, [...command, ...paths])).map((part) => parseEntry(part));
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`. */
function trail(path: string): string[] {
  const parts = path === '' ? [] : path.split('/');
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/**
 * What a path is in a commit or tree. Links are not followed.
 * @param prefix a POSIX path without a trailing slash, '' for the root
 */
export async function findFolder(
  place: GitPlace,
  commit: string,
  prefix: string,
  missing: Missing,
): Promise<Folder> {
  if (prefix === '') return { kind: 'folder', tree: commit };
  const entries = await listTree(place, ['-t'], [commit, prefix], missing);
  for (const at of trail(prefix)) {
    const entry = entries.find(({ path }) => path === at);
    if (entry === undefined) return { kind: 'missing', at: prefix };
    if (entry.mode === '120000') return { kind: 'symbolic link', at };
    if (entry.mode === '160000') return { kind: 'submodule', at };
    if (entry.mode !== '040000') return { kind: 'file', at };
    if (at === prefix) return { kind: 'folder', tree: entry.id };
  }
  return { kind: 'missing', at: prefix };
}

/**
 * Every entry below a folder of a commit or tree, without any content; of contents that are here,
 * the size. Empty where there is no folder.
 */
export async function listFolder(
  place: GitPlace,
  commit: string,
  prefix: string,
  missing: Missing,
): Promise<TreeEntry[]> {
  const folder = await findFolder(place, commit, prefix, missing);
  if (folder.kind !== 'folder') return [];
  return listTree(place, ['-r', '-l'], [folder.tree, ''], missing);
}

/** `<mode> <type> <id>[ <size>]` TAB `<name>` */
function parseEntry(part: Buffer): TreeEntry {
  const tab = part.indexOf(9);
  const [mode = '', , id = '', size = '0'] = part.subarray(0, tab).toString('latin1').split(/ +/);
  if (tab < 0 || !isObjectId(id))
    throw new InternalError('git ls-tree gave a line without an object id');
  const bytes = part.subarray(tab + 1);
  const bytesOf = size === '-' ? 0 : /^\d+$/.test(size) ? Number(size) : null;
  return { mode, id, size: bytesOf, bytes, path: treePathText(bytes) };
}

/**
 * The tree of a commit (or of the uncommitted files) from its entries; contents are read by object
 * id.
 */
export function sourceTree(
  commit: string,
  entries: readonly TreeEntry[],
  reader: ObjectReader,
  lfs: (path: string, pointer: LfsPointer) => Promise<Uint8Array | null>,
): SourceTree {
  const files = new Map<string, { id: string; size: number | null }>();
  const irregular = new Map<string, 'symbolic link' | 'submodule'>();
  for (const { mode, id, size, path } of entries) {
    // A crafted tree can hold one name twice: the first entry is the file, whatever the second is.
    if (files.has(path) || irregular.has(path)) continue;
    if (REGULAR_MODES.has(mode)) files.set(path, { id, size });
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
    const pointer = lfsPointer(content);
    if (pointer === null) return content;
    const itself = await lfs(path, pointer);
    if (itself === null) throw new UserError([problem(place, lfsWords(pointer, at))]);
    return itself;
  };
  return { commit, files, irregular, read };
}

function lfsWords({ size, sha256 }: LfsPointer, at: string): string {
  const itself = `the file itself (${String(size)} bytes, sha256 ${sha256.slice(0, 12)})`;
  return size > MOST_LFS_BYTES
    ? `is kept by Git LFS ${at}, and ${itself} is larger than the ${String(MOST_LFS_BYTES)} bytes that are read`
    : `is a pointer of Git LFS ${at}, and ${itself} is neither in the work tree nor in the clone's LFS storage; run "git lfs fetch" for that commit and "git lfs checkout" (in a workflow: actions/checkout with lfs: true), or keep the file out of LFS`;
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
