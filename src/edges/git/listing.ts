import { createHash } from 'node:crypto';
import { userError } from '../../errors.ts';
import { count } from '../../text/amounts.ts';
import { lastLine, runGit, splitNul, type GitPlace } from './command.ts';

export interface TreeEntry {
  mode: string;
  id: string;
  bytes: Buffer;
  path: string;
}

export interface TreeSource {
  place: GitPlace;
  /** Fetches trees and all that is below them, but not the contents of files. */
  fetchTrees(ids: readonly string[]): Promise<void>;
}

export const REGULAR_MODES: ReadonlySet<string> = new Set(['100644', '100755']);

export const TREE = '040000';

export const SUBMODULE = '160000';

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

/** Runs a git command that reads trees. If this clone lacks one, fetches the trees and repeats it. */
export async function readTrees(
  { place, fetchTrees }: TreeSource,
  trees: readonly string[],
  command: readonly string[],
  goesOn: (output: readonly Buffer[]) => boolean = () => true,
): Promise<Buffer> {
  for (let fetched = false; ; fetched = true) {
    const output: Buffer[] = [];
    let isWhole = true;
    const { code, stderr } = await runGit(place, [...command, '--end-of-options', ...trees], {
      onOutput(chunk) {
        output.push(chunk);
        isWhole = goesOn(output);
        return isWhole;
      },
    });
    if (code === 0 || !isWhole) return Buffer.concat(output);
    if (fetched) {
      const message =
        'A folder listing is missing from this clone ' +
        `(${lastLine(stderr)}); run "git fetch" or clone again`;
      throw userError(null, message);
    }
    await fetchTrees(trees);
  }
}

/** A limit is needed because a few git objects can describe any number of files. */
const MAX_ENTRIES = 500_000;

const LIST_TREE = ['ls-tree', '-z', '--full-tree'];

export async function treeEntries(source: TreeSource, tree: string): Promise<TreeEntry[]> {
  return parseEntries(await readTrees(source, [tree], LIST_TREE));
}

/** All files below a tree. */
export async function listTree(
  source: TreeSource,
  tree: string,
  most = MAX_ENTRIES,
): Promise<TreeEntry[]> {
  let found = 0;
  const isFew = (output: readonly Buffer[]) => {
    const chunk = output.at(-1) ?? Buffer.of();
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) found += 1;
    return found <= most;
  };
  const entries = parseEntries(await readTrees(source, [tree], [...LIST_TREE, '-r', '-t'], isFew));
  if (found > most)
    throw userError(
      null,
      `The project's folder has more than ${count(most)} entries, including subfolders. Keep ` +
        'files that are not prompts out of the repository, or choose a smaller folder ' +
        '(working-directory, --directory)',
    );
  rejectCrafted(entries);
  return entries.filter(({ mode }) => mode !== TREE);
}

function parseEntries(output: Buffer): TreeEntry[] {
  return splitNul(output).map((row) => {
    const tab = row.indexOf(9);
    const [mode = '', , id = ''] = row.toString('latin1', 0, tab).split(' ');
    const bytes = row.subarray(tab + 1);
    return { mode, id, bytes, path: treePathText(bytes) };
  });
}

/**
 * Rejects duplicate paths, because git would read one entry and a checkout would write the other.
 */
function rejectCrafted(entries: readonly TreeEntry[]): void {
  const folders = new Set(['']);
  const paths = new Set<string>();
  for (const { mode, bytes, path } of entries) {
    const place = bytes.toString('latin1');
    const folder = place.slice(0, Math.max(0, place.lastIndexOf('/')));
    if (!folders.has(folder) || place.endsWith('/') || paths.has(path))
      throw userError(
        null,
        `The folder of ${JSON.stringify(path.slice(0, 200))} in this repository has a name twice ` +
          'or a name with a slash, which git does not allow. Commit the folder again with ' +
          'unique, ordinary names',
      );
    paths.add(path);
    if (mode === TREE) folders.add(place);
  }
}
