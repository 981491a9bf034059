import { structuredPatch } from 'diff';
import { readUpTo } from '../../documents/read-up-to.ts';
import type { ChangedText, Hunk } from '../../kernel/result/changes.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { MAX_DIFF_EDITS } from '../../text/cut-out.ts';
import { cut } from '../../text/visible.ts';
import type { SourceTree } from '../../types/repository.ts';

const MOST_FILES = 1_000;

const MOST_LINES = 60;

const LONGEST_LINE = 500;

/** In bytes. Larger files are data, whose diff explains nothing. */
const LARGEST_FILE = 262_144;

const NEWLINE_NOTE = '\\';

export async function changedTexts(
  suites: readonly AffectedSuite[],
  base: SourceTree,
  head: SourceTree,
): Promise<ChangedText[]> {
  const found = await Promise.all(
    [...filesOf(suites)]
      .slice(0, MOST_FILES)
      .map(async ([file, { basePath, names }]): Promise<ChangedText | null> => {
        const [before, after] = await Promise.all([
          readSideText(base, basePath),
          readSideText(head, file),
        ]);
        if (before === undefined || after === undefined) return null;
        const { hunks, more } = differingLines(before ?? '', after ?? '');
        if (hunks.length === 0 && more === 0) return null;
        const base_file = before === null ? null : basePath;
        return { file, base_file, suites: [...names], hunks, more };
      }),
  );
  return found.filter((change) => change !== null);
}

interface NamedFile {
  basePath: string;
  names: Set<string>;
}

function filesOf(suites: readonly AffectedSuite[]): Map<string, NamedFile> {
  const files = new Map<string, NamedFile>();
  for (const { name, because, base, head } of suites)
    for (const { file } of because) {
      const renamed = head?.suite.prompt.file === file ? base?.suite.prompt.file : undefined;
      const known = files.get(file) ?? { basePath: renamed ?? file, names: new Set() };
      known.names.add(name);
      files.set(file, known);
    }
  return files;
}

const UTF8 = new TextDecoder();

/** Undefined if the file is too large or not text. */
async function readSideText(tree: SourceTree, path: string): Promise<string | null | undefined> {
  if (!tree.files.has(path)) return null;
  const bytes = await readUpTo(tree, path, LARGEST_FILE);
  if (typeof bytes === 'string' || bytes.includes(0)) return undefined;
  return UTF8.decode(bytes);
}

export function differingLines(before: string, after: string): Pick<ChangedText, 'hunks' | 'more'> {
  const patch = structuredPatch('', '', before, after, '', '', {
    context: 1,
    maxEditLength: MAX_DIFF_EDITS,
    stripTrailingCr: true,
  });
  if (patch === undefined) return { hunks: [], more: after.split('\n').length };
  let room = MOST_LINES;
  let more = 0;
  const hunks: Hunk[] = [];
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
    const own = lines.filter((line) => !line.startsWith(NEWLINE_NOTE)).map(lineOf);
    const shown = own.slice(0, room);
    room -= shown.length;
    more += own.slice(shown.length).filter(({ sign }) => sign !== 'same').length;
    if (shown.some(({ sign }) => sign !== 'same'))
      hunks.push({
        base: oldLines === 0 ? 0 : oldStart,
        head: newLines === 0 ? 0 : newStart,
        lines: shown,
      });
  }
  return { hunks, more };
}

function lineOf(line: string): Hunk['lines'][number] {
  const sign = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  const { text, left } = cut(line.slice(1), LONGEST_LINE);
  return { sign, text: left === 0 ? text : `${text}…` };
}
