import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { InternalError, UserError, problem } from '../errors.ts';
import { tooManyBytes } from '../text/amounts.ts';
import type { SourceTree } from '../types/repository.ts';
import { type LfsPointer, MOST_LFS_BYTES, type Missing, lfsPointer } from './missing.ts';
import { peel, type ObjectReader } from './objects.ts';

/** One entry below a tree, as git lists it. */
export interface TreeEntry {
  /** As git knows it, six octal digits. */
  mode: string;
  id: string;
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

/** Reads trees: through the one process that reads contents too, what is missing brought first. */
export interface TreeReader {
  reader: Pick<ObjectReader, 'here'>;
  missing: Pick<Missing, 'listing' | 'trees'>;
}

/**
 * What a path is in a commit or tree. Links are not followed.
 * @param prefix a POSIX path without a trailing slash, '' for the root
 */
export async function findFolder(
  trees: TreeReader,
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
    if (entry.mode === '160000') return { kind: 'submodule', at };
    if (entry.mode !== TREE) return { kind: 'file', at };
    tree = entry.id;
  }
  return { kind: 'folder', tree };
}

/** As `listTree`, of a folder of a commit or tree; empty where there is no folder. */
export async function listFolder(
  trees: TreeReader,
  commit: string,
  prefix: string,
): Promise<TreeEntry[]> {
  const folder = await findFolder(trees, commit, prefix);
  return folder.kind === 'folder' ? listTree(trees, folder.tree) : [];
}

/** Every entry below a tree, in git's order and without any content. */
export async function listTree(
  { reader, missing }: TreeReader,
  tree: string,
): Promise<TreeEntry[]> {
  const absent = new Set<string>();
  const first = await entriesBelow(reader, tree, NOTHING, absent);
  if (absent.size === 0) return first;
  await missing.trees([...absent]);
  absent.clear();
  const brought = await entriesBelow(reader, tree, NOTHING, absent);
  const [still] = absent;
  return still === undefined ? brought : notHere(still);
}

export const TREE = '040000';

/** The tree without an entry of a repository with ids like this one: git knows it without storing it. */
export function emptyTree(id: string): string {
  const format = id.length === 40 ? 'sha1' : 'sha256';
  return createHash(format).update('tree 0\0').digest('hex');
}

/** The tree of a commit, or of a tag on one; a tree's own id. */
async function rootTree(reader: TreeReader['reader'], id: string): Promise<string> {
  const object = await peel(reader, id);
  if (object?.type === 'tree') return object.id;
  const [, tree] = /^tree ([0-9a-f]+)\n/.exec(object?.content.toString('latin1') ?? '') ?? [];
  if (object?.type === 'commit' && tree !== undefined) return tree;
  throw new InternalError(`${id} is neither a commit nor a tree that is here`);
}

/** The entries of one tree, which is brought where it is not here. */
export async function treeEntries({ reader, missing }: TreeReader, tree: string): Promise<Entry[]> {
  const found = await listing(reader, tree);
  if (found !== null) return found;
  await missing.listing(tree);
  return (await listing(reader, tree)) ?? notHere(tree);
}

function notHere(tree: string): never {
  throw new UserError([
    problem(
      null,
      `A folder listing (object ${tree.slice(0, 7)}) is missing from this clone; run "git fetch" or clone anew`,
    ),
  ]);
}

/**
 * All but trees; what is not here is added to `absent`.
 * @param folder what comes before each name: nothing, or a path with its slash
 */
async function entriesBelow(
  reader: TreeReader['reader'],
  tree: string,
  folder: Buffer,
  absent: Set<string>,
): Promise<TreeEntry[]> {
  const entries = await listing(reader, tree);
  if (entries === null) absent.add(tree);
  const parts = await Promise.all(
    (entries ?? []).map(({ mode, id, bytes: name }) => {
      if (mode === TREE)
        return entriesBelow(reader, id, Buffer.concat([folder, name, SLASH]), absent);
      const bytes = Buffer.concat([folder, name]);
      return [{ mode, id, bytes, path: treePathText(bytes) }];
    }),
  );
  return parts.flat();
}

const NOTHING = Buffer.alloc(0);

const SLASH = Buffer.of(47);

/** One entry of a tree; `bytes` are its name there. */
type Entry = Omit<TreeEntry, 'path'>;

/**
 * The entries of one tree; null: it is not here. In a tree each is `<mode> <name>` NUL and the bytes
 * of an id, which are as many as the tree's own has.
 */
async function listing(reader: TreeReader['reader'], tree: string): Promise<Entry[] | null> {
  const object = await reader.here(tree);
  if (object === null) return null;
  const { type, content } = object;
  if (type !== 'tree') throw new InternalError(`${tree} is a ${type}, not a folder`);
  const entries: Entry[] = [];
  const idBytes = tree.length / 2;
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(32, start);
    const end = content.indexOf(0, start);
    const next = end + 1 + idBytes;
    if (space < 0 || end < space || next > content.length)
      throw new InternalError(`the tree ${tree} ends in the middle of an entry`);
    entries.push({
      mode: modeOf(Number.parseInt(content.toString('latin1', start, space), 8)),
      id: content.toString('hex', end + 1, next),
      bytes: content.subarray(space + 1, end),
    });
    start = next;
  }
  return entries;
}

/** What git takes a mode for: old trees have others. */
function modeOf(mode: number): string {
  const kind = mode & 0o170000;
  if (kind === 0o100000) return mode & 0o100 ? '100755' : '100644';
  if (kind === 0o120000) return '120000';
  return kind === 0o040000 ? TREE : '160000';
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
  const files = new Map<string, { id: string }>();
  const irregular = new Map<string, 'symbolic link' | 'submodule'>();
  for (const { mode, id, path } of entries) {
    // A crafted tree can hold one name twice: the first entry is the file, whatever the second is.
    if (files.has(path) || irregular.has(path)) continue;
    if (REGULAR_MODES.has(mode)) files.set(path, { id });
    else if (mode === '120000') irregular.set(path, 'symbolic link');
    else if (mode === '160000') irregular.set(path, 'submodule');
  }
  const at = commit === 'worktree' ? 'in the working tree' : `at ${commit.slice(0, 7)}`;
  const read = async (path: string, most = Infinity): Promise<Uint8Array> => {
    const file = files.get(path);
    const kind = irregular.get(path);
    const refused = (why: string): UserError =>
      new UserError([problem({ file: path, line: 0 }, why)]);
    const tooLarge = (size: number): UserError => refused(tooManyBytes(size, most));
    if (kind !== undefined) throw refused(`is a ${kind}; only regular files are read`);
    if (file === undefined) throw refused(`does not exist ${at}`);
    const content = await reader.blobUpTo(file.id, most);
    if (content === null)
      throw refused(
        `its content ${at} (object ${file.id.slice(0, 7)}) is missing from this clone; run "git fetch" or clone anew`,
      );
    if ('tooLarge' in content) throw tooLarge(content.tooLarge);
    const pointer = lfsPointer(content);
    if (pointer === null) return content;
    const itself = await lfs(path, pointer);
    if (itself === null) throw refused(lfsWords(pointer, at));
    if (itself.length > most) throw tooLarge(itself.length);
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
