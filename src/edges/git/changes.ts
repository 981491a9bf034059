import { InternalError, userError } from '../../errors.ts';
import type { ChangedFile } from '../../types/repository.ts';
import { lastLine, runGit, type GitPlace } from './command.ts';
import {
  type FolderEntry,
  emptyTree,
  REGULAR_MODES,
  SUBMODULE,
  TREE,
  treeEntries,
  treePathText,
  type TreeReader,
} from './listing.ts';
import { isObjectId } from './objects.ts';

type Lines = ChangedFile['lines'];

const DIFF_COMMAND = [
  'diff-tree',
  '-r',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-relative',
  '--submodule=short',
  '--ignore-submodules=none',
  '-M50%',
  '-l1000',
];

export async function diffTrees(
  place: GitPlace,
  trees: TreeReader,
  [base, head]: readonly [base: string, head: string],
  fetchContents: (ids: readonly string[]) => Promise<void>,
): Promise<ChangedFile[]> {
  if (base === head) return [];
  const contents: string[] = [];
  for await (const { before, after } of treeDifferences(trees, base, head))
    for (const entry of [before, after])
      if (entry !== undefined && entry.mode !== SUBMODULE) contents.push(entry.id);
  await fetchContents(contents);
  return diff(place, base, head);
}

interface TreeDifference {
  path: string;
  before: FolderEntry | undefined;
  after: FolderEntry | undefined;
}

export async function* treeDifferences(
  trees: TreeReader,
  base: string,
  head: string,
): AsyncGenerator<TreeDifference> {
  const none = emptyTree(base);
  const open = [{ base, head, folder: '' }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (pair.base === pair.head) continue;
    const before = await treeEntries(trees, pair.base);
    const after = await treeEntries(trees, pair.head);
    for (const { path, ...sides } of differingEntries(before, after))
      if (!path.endsWith('/')) yield { path: `${pair.folder}${path}`, ...sides };
      else
        open.push({
          base: sides.before?.id ?? none,
          head: sides.after?.id ?? none,
          folder: `${pair.folder}${path}`,
        });
  }
}

function differingEntries(
  base: readonly FolderEntry[],
  head: readonly FolderEntry[],
): TreeDifference[] {
  const [left, right] = [byName(base), byName(head)];
  return [...new Map([...left, ...right])].flatMap(([name, { bytes, mode }]) => {
    const [before, after] = [left.get(name), right.get(name)];
    if (before?.mode === after?.mode && before?.id === after?.id) return [];
    return [{ path: `${treePathText(bytes)}${mode === TREE ? '/' : ''}`, before, after }];
  });
}

function byName(entries: readonly FolderEntry[]): Map<string, FolderEntry> {
  return new Map(
    entries.map((entry) => [
      `${entry.bytes.toString('latin1')}${entry.mode === TREE ? '/' : ''}`,
      entry,
    ]),
  );
}

async function diff(place: GitPlace, base: string, head: string): Promise<ChangedFile[]> {
  const parser = diffParser();
  const command = [
    ...DIFF_COMMAND,
    '--raw',
    '-p',
    '-z',
    '-U0',
    '--inter-hunk-context=0',
    '--no-abbrev',
    '--full-index',
    '--diff-algorithm=myers',
    '--end-of-options',
    base,
    head,
  ];
  const { code, stderr: complaint } = await runGit(place, command, {
    onOutput: (chunk) => parser.push(chunk),
  });
  if (code === 0) return parser.files();
  const [, missing] = /unable to read ([0-9a-f]{40,})/.exec(complaint) ?? [];
  if (missing === undefined)
    throw new InternalError(`git diff-tree failed: ${lastLine(complaint)}`);
  throw userError(
    null,
    `The content of a changed file (object ${missing.slice(0, 7)}) is missing from this clone; ` +
      'run "git fetch" or clone again',
  );
}

function diffParser(): { push(chunk: Buffer): void; files(): ChangedFile[] } {
  const listing: Buffer[] = [];
  const hunks = hunkParser();
  let rest: Buffer = Buffer.alloc(0);
  let inPatch = false;
  return {
    push(chunk) {
      let start = 0;
      while (!inPatch) {
        const end = chunk.indexOf(0, start);
        const part = chunk.subarray(start, end < 0 ? chunk.length : end);
        rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
        if (end < 0) return;
        start = end + 1;
        inPatch = rest.length === 0;
        if (!inPatch) listing.push(rest);
        rest = Buffer.alloc(0);
      }
      hunks.push(chunk.subarray(start));
    },
    files() {
      const files: ChangedFile[] = [];
      const parts = listing.values();
      for (const part of parts) {
        const entry = part.toString('latin1').split(' ');
        const from = nextPath(parts);
        const path = /^[RC]/.test(entry[4] ?? '') ? nextPath(parts) : from;
        files.push(parseChangedFile(entry, from, path, hunks.lines));
      }
      return files;
    },
  };
}

function parseChangedFile(
  entry: readonly string[],
  from: string,
  path: string,
  lines: ReadonlyMap<string, Lines>,
): ChangedFile {
  const [, mode = '', oldId = '', newId = '', status = ''] = entry;
  // If a link became a file (`T`), the patch has a deletion and a new file.
  const before = status === 'T' ? '0'.repeat(oldId.length) : oldId;
  return {
    path,
    basePath: status === 'A' ? null : from,
    lines: REGULAR_MODES.has(mode) ? (lines.get(`${before}..${newId}`) ?? []) : [],
    deleted: status === 'D',
  };
}

function nextPath(parts: Iterator<Buffer>): string {
  const next = parts.next();
  if (next.done === true) throw new InternalError('git diff-tree ended in the middle of an entry');
  return treePathText(next.value);
}

const KEPT_LINE = 256;

/**
 * Collects a patch's changed lines by `<old id>..<new id>`. In a patch, file content follows `+`,
 * `-` or `\`, so it cannot imitate a header.
 */
export function hunkParser(): { lines: Map<string, Lines>; push(chunk: Buffer): void } {
  const lines = new Map<string, Lines>();
  let current: Lines | null = null;
  let rest: Buffer = Buffer.alloc(0);

  const take = (line: string): void => {
    if (line.startsWith('diff --git ')) {
      current = null;
    } else if (line.startsWith('index ')) {
      const pair = contentPair(line);
      current = [];
      if ((lines.get(pair) ?? []).length === 0) lines.set(pair, current);
    } else if (line.startsWith('@@ ')) {
      if (current === null) throw new InternalError('git diff-tree gave a hunk without a file');
      current.push(...parseHunkLines(line));
    }
  };

  return {
    lines,
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
        const part = chunk.subarray(start, Math.min(end, start + KEPT_LINE));
        take((rest.length === 0 ? part : Buffer.concat([rest, part])).toString('latin1'));
        rest = Buffer.alloc(0);
        start = end + 1;
      }
      if (rest.length < KEPT_LINE)
        rest = Buffer.concat([rest, chunk.subarray(start, start + KEPT_LINE)]);
    },
  };
}

function contentPair(line: string): string {
  const pair = line.split(' ')[1] ?? '';
  if (!pair.split('..').every((id) => isObjectId(id)))
    throw new InternalError('git diff-tree gave an index line without object ids');
  return pair;
}

function parseHunkLines(line: string): Lines {
  const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
  if (hunk === null) throw new InternalError('git diff-tree gave a hunk that cannot be read');
  const start = Number(hunk[1]);
  const count = Number(hunk[2] ?? '1');
  // For removed lines, git gives the line above them.
  return [count > 0 ? { start, end: start + count - 1 } : { start: start || 1, end: start + 1 }];
}
