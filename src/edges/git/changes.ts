import { InternalError, userError } from '../../errors.ts';
import type { ChangedFile } from '../../types/repository.ts';
import { lastLine, runGit, splitNul, type GitPlace } from './command.ts';
import type { GitSource } from './history.ts';
import { REGULAR_MODES, SUBMODULE, readTrees, treePathText, type TreeSource } from './listing.ts';
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
];

export async function diffTrees(
  source: GitSource,
  base: string,
  head: string,
): Promise<ChangedFile[]> {
  if (base === head) return [];
  const differing = await treeDifferences(source, base, head);
  const contents = differing.flatMap(({ sides }) =>
    sides.flatMap(({ mode, id }) => (mode === NO_MODE || mode === SUBMODULE ? [] : id)),
  );
  await source.fetchContents(contents);
  return diff(source.place, base, head);
}

const NO_MODE = '000000';

/** The paths that differ, without renames. Reads no contents of files. */
export async function treeDifferences(
  trees: TreeSource,
  base: string,
  head: string,
): Promise<RawChange[]> {
  const command = [...DIFF_COMMAND, '--no-renames', '--raw', '-z', '--no-abbrev'];
  return parseRaw(splitNul(await readTrees(trees, [base, head], command)));
}

interface RawChange {
  status: string;
  /** At base and at head. */
  sides: [{ mode: string; id: string }, { mode: string; id: string }];
  from: string;
  path: string;
}

function parseRaw(listing: readonly Buffer[]): RawChange[] {
  const parts = listing.values();
  return Array.from(parts, (part) => {
    const [mode = '', newMode = '', id = '', newId = '', status = ''] = part
      .toString('latin1')
      .slice(1)
      .split(' ');
    const from = nextPath(parts);
    const path = /^[RC]/.test(status) ? nextPath(parts) : from;
    const before = { mode, id };
    return { status, sides: [before, { mode: newMode, id: newId }], from, path };
  });
}

async function diff(place: GitPlace, base: string, head: string): Promise<ChangedFile[]> {
  const command = [
    ...DIFF_COMMAND,
    '-M50%',
    '-l1000',
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
  const { code, output, stderr } = await runGit(place, command);
  if (code === 0) return parseDiff(output);
  const [, missing] = /unable to read ([0-9a-f]{40,})/.exec(stderr) ?? [];
  if (missing === undefined) throw new InternalError(`git diff-tree failed: ${lastLine(stderr)}`);
  throw userError(
    null,
    `The content of a changed file (object ${missing.slice(0, 7)}) is missing from this clone; ` +
      'run "git fetch" or clone again',
  );
}

/** An empty entry ends the list of files. The patch follows. */
function parseDiff(output: Buffer): ChangedFile[] {
  const end = output.indexOf('\0\0');
  const lines = patchLines(end < 0 ? Buffer.of() : output.subarray(end + 2));
  const listing = splitNul(end < 0 ? output : output.subarray(0, end + 1));
  return parseRaw(listing).map((change) => parseChangedFile(change, lines));
}

function parseChangedFile(
  { status, sides: [before, { mode, id }], from, path }: RawChange,
  lines: ReadonlyMap<string, Lines>,
): ChangedFile {
  // If a link became a file (`T`), the patch has a deletion and a new file.
  const oldId = status === 'T' ? '0'.repeat(before.id.length) : before.id;
  return {
    path,
    basePath: status === 'A' ? null : from,
    lines: REGULAR_MODES.has(mode) ? (lines.get(`${oldId}..${id}`) ?? []) : [],
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
 * A patch's changed lines by `<old id>..<new id>`. In a patch, file content follows `+`, `-` or
 * `\`, so it cannot imitate a header.
 */
export function patchLines(patch: Buffer): Map<string, Lines> {
  const lines = new Map<string, Lines>();
  let current: Lines | null = null;
  let start = 0;
  for (let end = patch.indexOf(10); end >= 0; end = patch.indexOf(10, start)) {
    const line = patch.toString('latin1', start, Math.min(end, start + KEPT_LINE));
    start = end + 1;
    if (line.startsWith('diff --git ')) {
      current = null;
    } else if (line.startsWith('index ')) {
      const [, pair = ''] = line.split(' ');
      if (!pair.split('..').every(isObjectId))
        throw new InternalError('git diff-tree gave an index line without object ids');
      current = [];
      if ((lines.get(pair) ?? []).length === 0) lines.set(pair, current);
    } else if (line.startsWith('@@ ')) {
      if (current === null) throw new InternalError('git diff-tree gave a hunk without a file');
      current.push(...parseHunkLines(line));
    }
  }
  return lines;
}

function parseHunkLines(line: string): Lines {
  const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
  if (hunk === null) throw new InternalError('git diff-tree gave a hunk that cannot be read');
  const start = Number(hunk[1]);
  const count = Number(hunk[2] ?? '1');
  // For removed lines, git gives the line above them.
  return [count > 0 ? { start, end: start + count - 1 } : { start: start || 1, end: start + 1 }];
}
