import { createHash } from 'node:crypto';
import { type UserError, InternalError, userError } from '../../errors.ts';
import { count } from '../../text/amounts.ts';
import type { MissingObjects } from './missing.ts';
import type { ObjectReader } from './objects.ts';

export interface FolderEntry {
  mode: string;
  id: string;
  bytes: Buffer;
}

export interface TreeEntry extends FolderEntry {
  path: string;
}

export interface TreeReader {
  reader: Pick<ObjectReader, 'readLocal'>;
  missing: Pick<MissingObjects, 'listing' | 'trees'>;
  known: Map<string, readonly FolderEntry[]>;
}

export const REGULAR_MODES: ReadonlySet<string> = new Set(['100644', '100755']);

export const TREE = '040000';

export const SUBMODULE = '160000';

const SLASH = Buffer.of(47);

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Writes bytes above 127 as `\xHH` in names that are not UTF-8. */
export function treePathText(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes
      .toString('latin1')
      .replace(/[\u0080-\u00ff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`);
  }
}

export function emptyTree(id: string): string {
  const format = id.length === 40 ? 'sha1' : 'sha256';
  return createHash(format).update('tree 0\0').digest('hex');
}

export async function treeEntries(
  trees: TreeReader,
  tree: string,
): Promise<readonly FolderEntry[]> {
  const found = await listing(trees, tree);
  if (found !== null) return found;
  await trees.missing.listing(tree);
  return (await listing(trees, tree)) ?? notHere(tree);
}

/** A limit is needed because a few git objects can describe any number of files. */
export const MAX_ENTRIES = 500_000;

const MAX_LISTING_BYTES = MAX_ENTRIES * 256;

export async function listTree(
  trees: TreeReader,
  tree: string,
  most = MAX_ENTRIES,
): Promise<TreeEntry[]> {
  await readBelow(trees, tree);
  const found: TreeEntry[] = [];
  let bytesFound = 0;
  const open: FolderEntry[] = [{ mode: TREE, id: tree, bytes: Buffer.alloc(0) }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { mode, id, bytes } = next;
    bytesFound += bytes.length;
    if (found.length + open.length > most || bytesFound > MAX_LISTING_BYTES)
      throw tooMany(
        [...found, ...open, next].map((entry) => treePathText(entry.bytes)),
        most,
      );
    if (mode !== TREE) {
      found.push({ ...next, path: treePathText(bytes) });
      continue;
    }
    const folder = bytes.length === 0 ? bytes : Buffer.concat([bytes, SLASH]);
    for (const entry of (trees.known.get(id) ?? []).toReversed())
      open.push({ ...entry, bytes: Buffer.concat([folder, entry.bytes]) });
  }
  return found;
}

function tooMany(found: readonly string[], most: number): UserError {
  let [folder, inside] = ['', found];
  for (;;) {
    const below = folder.length;
    const groups = Map.groupBy(inside, (path) => path.slice(0, path.indexOf('/', below) + 1));
    groups.delete('');
    groups.delete(folder);
    const [largest] = [...groups].sort((a, b) => b[1].length - a[1].length);
    if (largest === undefined || largest[1].length * 2 < found.length) break;
    [folder, inside] = largest;
  }
  const name = folder === '' ? "The project's folder" : folder.slice(0, -1);
  return userError(
    null,
    `${name} has more than ${count(most)} entries, including subfolders. Keep it out of the ` +
      'repository, or choose a smaller folder (working-directory, --directory)',
  );
}

async function readBelow(trees: TreeReader, tree: string): Promise<void> {
  const seen = new Set([tree]);
  for (let open = [tree]; open.length > 0;) {
    const found = await Promise.all(
      open.map(async (id) => ({ id, entries: await listing(trees, id) })),
    );
    const absent = found.flatMap(({ id, entries }) => (entries === null ? id : []));
    if (absent.length > 0) await trees.missing.trees(absent);
    const lists = await Promise.all(
      found.map(async ({ id, entries }) => entries ?? (await listing(trees, id)) ?? notHere(id)),
    );
    const below = new Set(lists.flat().flatMap(({ mode, id }) => (mode === TREE ? id : [])));
    open = [...below].filter((id) => !seen.has(id));
    for (const id of open) seen.add(id);
  }
}

function notHere(tree: string): never {
  throw userError(
    null,
    `A folder listing (object ${tree.slice(0, 7)}) is missing from this clone; run "git ` +
      `fetch" or clone again`,
  );
}

async function listing(
  { reader, known }: TreeReader,
  tree: string,
): Promise<readonly FolderEntry[] | null> {
  const read = known.get(tree);
  if (read !== undefined) return read;
  const object = await reader.readLocal(tree);
  if (object === null) return null;
  if (object.type !== 'tree') throw new InternalError(`${tree} is a ${object.type}, not a folder`);
  const entries = parseTree(object.content, tree);
  rejectCrafted(entries, tree);
  known.set(tree, entries);
  return entries;
}

function parseTree(content: Buffer, tree: string): FolderEntry[] {
  const entries: FolderEntry[] = [];
  const idBytes = tree.length / 2;
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(32, start);
    const end = content.indexOf(0, start);
    const next = end + 1 + idBytes;
    if (space < 0 || end < space || next > content.length)
      throw new InternalError(`the tree ${tree} ends in the middle of an entry`);
    entries.push({
      mode: canonicalMode(Number.parseInt(content.toString('latin1', start, space), 8)),
      id: content.toString('hex', end + 1, next),
      bytes: content.subarray(space + 1, end),
    });
    start = next;
  }
  return entries;
}

/**
 * Rejects duplicate paths, because git would read one entry and a checkout would write the other.
 */
function rejectCrafted(entries: readonly FolderEntry[], tree: string): void {
  const names = new Set<string>();
  for (const { bytes } of entries) {
    const name = treePathText(bytes);
    const isName = name !== '' && !name.includes('/');
    if (isName && !names.has(name)) names.add(name);
    else
      throw userError(
        null,
        `A folder of this repository (tree ${tree.slice(0, 12)}) has ` +
          `${isName ? 'two entries' : 'an entry'} with the name ` +
          `${JSON.stringify(name.slice(0, 200))}, which git does not allow. Commit the folder ` +
          'again with unique, ordinary names',
      );
  }
}

function canonicalMode(mode: number): string {
  const kind = mode & 0o170000;
  if (kind === 0o100000) return mode & 0o100 ? '100755' : '100644';
  if (kind === 0o120000) return '120000';
  return kind === 0o040000 ? TREE : SUBMODULE;
}
