import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type UserError, InternalError, userError } from '../../errors.ts';
import { tooManyBytes } from '../../text/amounts.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { GitSource } from './history.ts';
import {
  listTree,
  REGULAR_MODES,
  SUBMODULE,
  TREE,
  treeEntries,
  type TreeEntry,
} from './listing.ts';
import { peel, type ObjectReader } from './objects.ts';

export type Folder =
  | { kind: 'folder'; tree: string }
  /** `at`: the path, or its first parent that is not a folder. */
  | { kind: 'missing' | 'symbolic link' | 'submodule' | 'file'; at: string };

/** Does not follow links. `prefix`: '' for the root, else without trailing slash. */
export async function findFolder(
  trees: GitSource,
  commit: string,
  prefix: string,
): Promise<Folder> {
  let tree = await rootTree(trees.reader, commit);
  const parts = prefix === '' ? [] : prefix.split('/');
  for (const [depth, part] of parts.entries()) {
    const at = parts.slice(0, depth + 1).join('/');
    const name = Buffer.from(part);
    const entry = (await treeEntries(trees, tree)).find(({ bytes }) => bytes.equals(name));
    if (entry === undefined) return { kind: 'missing', at: prefix };
    if (entry.mode === '120000') return { kind: 'symbolic link', at };
    if (entry.mode === SUBMODULE) return { kind: 'submodule', at };
    if (entry.mode !== TREE) return { kind: 'file', at };
    tree = entry.id;
  }
  return { kind: 'folder', tree };
}

export async function listFolder(
  trees: GitSource,
  commit: string,
  prefix: string,
): Promise<TreeEntry[]> {
  const folder = await findFolder(trees, commit, prefix);
  return folder.kind === 'folder' ? listTree(trees, folder.tree) : [];
}

async function rootTree(reader: ObjectReader, id: string): Promise<string> {
  const object = await peel(reader, id);
  if (object?.type === 'tree') return object.id;
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(object?.content.toString('latin1') ?? '') ?? [];
  if (object?.type === 'commit' && tree !== undefined) return tree;
  throw new InternalError(`${id} is neither a commit nor a tree that is here`);
}

/** PATH_MAX on Linux, in bytes. */
const LONGEST_LINK = 4096;

export function sourceTree(
  commit: string,
  entries: readonly TreeEntry[],
  reader: ObjectReader,
  lfs: (path: string, pointer: LfsPointer) => Promise<Uint8Array | null>,
): SourceTree {
  const files = new Map<string, { id: string; executable?: true }>();
  const links = new Map<string, string>();
  const irregular = new Map<string, 'symbolic link' | 'submodule'>();
  for (const { mode, id, path } of entries) {
    if (REGULAR_MODES.has(mode))
      files.set(path, mode === '100755' ? { id, executable: true } : { id });
    else if (mode === '120000') {
      irregular.set(path, 'symbolic link');
      links.set(path, id);
    } else if (mode === SUBMODULE) irregular.set(path, 'submodule');
  }
  const at = commit === 'worktree' ? 'in the working tree' : `at ${commit.slice(0, 7)}`;
  const absent = (path: string, id: string): UserError =>
    userError(
      path,
      `its content ${at} (object ${id.slice(0, 7)}) is missing from this clone; run ` +
        '"git fetch" or clone again',
    );
  const readLink = async (path: string): Promise<string> => {
    const id = links.get(path);
    if (id === undefined) throw userError(path, `is not a symbolic link ${at}`);
    const target = await reader.blobUpTo(id, LONGEST_LINK);
    if (target === null) throw absent(path, id);
    if ('tooLarge' in target) throw userError(path, tooManyBytes(target.tooLarge, LONGEST_LINK));
    return target.toString('utf8');
  };
  const read = async (path: string, most = Infinity): Promise<Uint8Array> => {
    const file = files.get(path);
    const kind = irregular.get(path);
    const refused = (why: string): UserError => userError(path, why);
    const tooLarge = (size: number): UserError => refused(tooManyBytes(size, most));
    if (kind !== undefined) throw refused(`is a ${kind}; only regular files are read`);
    if (file === undefined) throw refused(`does not exist ${at}`);
    const content = await reader.blobUpTo(file.id, most);
    if (content === null) throw absent(path, file.id);
    if ('tooLarge' in content) throw tooLarge(content.tooLarge);
    const pointer = lfsPointer(content);
    if (pointer === null) return content;
    const itself = await lfs(path, pointer);
    if (itself === null) throw refused(lfsWords(pointer, at));
    if (itself.length > most) throw tooLarge(itself.length);
    return itself;
  };
  return { commit, files, irregular, links, read, readLink };
}

function lfsWords({ size, sha256 }: LfsPointer, at: string): string {
  const itself = `The file itself (${size} bytes, sha256 ${sha256.slice(0, 12)})`;
  return size > MOST_LFS_BYTES
    ? `is stored in Git LFS ${at}. ${itself} is larger than the limit of ` +
        `${MOST_LFS_BYTES} bytes`
    : `is only a Git LFS pointer ${at}. ${itself} is neither in the working tree nor in the ` +
        'clone\'s LFS storage: run "git lfs fetch" for that commit and "git lfs checkout" (in a ' +
        'workflow: actions/checkout with lfs: true), or keep the file out of LFS';
}

/**
 * `start`: path from the root to the opened folder.
 * @throws UserError if the result is outside the root.
 */
export function folderPrefix(start: string, workingDirectory: string, repository: string): string {
  const joined = posix.normalize(posix.join(start, workingDirectory));
  const outside =
    joined === '..' ||
    joined.startsWith('../') ||
    posix.isAbsolute(workingDirectory) ||
    workingDirectory.includes('\0');
  if (outside)
    throw userError(
      null,
      `${workingDirectory.replaceAll('\0', '\\0')}: is outside ${repository}. Give a ` +
        'folder inside the repository.',
    );
  return joined === '.' ? '' : joined.replace(/\/+$/, '');
}

interface LfsPointer {
  sha256: string;
  size: number;
}

const MAX_POINTER_BYTES = 1024;

const MOST_LFS_BYTES = 64 * 1024 * 1024;

export function lfsPointer(content: Uint8Array): LfsPointer | null {
  if (content.length > MAX_POINTER_BYTES) return null;
  const text = Buffer.from(content).toString('latin1');
  if (!/^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\n/.test(text))
    return null;
  const [, sha256] = /^oid sha256:([0-9a-f]{64})$/m.exec(text) ?? [];
  const [, size] = /^size (\d{1,15})$/m.exec(text) ?? [];
  return sha256 === undefined || size === undefined ? null : { sha256, size: Number(size) };
}

/** Other users may write to these folders, so a file must match the hash in its LFS pointer. */
export async function lfsContent(
  { sha256, size }: LfsPointer,
  path: string,
  { root, commonDir }: { root: string; commonDir: string | null },
): Promise<Uint8Array | null> {
  if (size > MOST_LFS_BYTES) return null;
  const kept = ['lfs', 'objects', sha256.slice(0, 2), sha256.slice(2, 4), sha256];
  const places = [join(root, path), ...(commonDir === null ? [] : [join(commonDir, ...kept)])];
  for (const place of places) {
    const found = await lstat(place).catch(() => null);
    if (found === null || !found.isFile() || found.size !== size) continue;
    const content = await readFile(place).catch(() => null);
    if (content !== null && createHash('sha256').update(content).digest('hex') === sha256)
      return content;
  }
  return null;
}
