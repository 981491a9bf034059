import { structuredPatch } from 'diff';
import { testKeys } from '../../config/tests.ts';
import { readUpTo } from '../../documents/read-up-to.ts';
import type { ChangedText, Hunk } from '../../kernel/result/changes.ts';
import type { Because } from '../../kernel/result/suite-result.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { isScoringKey } from '../../kernel/select/scoring.ts';
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
      .map(async ([file, { basePath, names, part }]): Promise<ChangedText | null> => {
        const [before, after] = await Promise.all([
          readSideText(base, basePath),
          readSideText(head, file),
        ]);
        if (before === undefined || after === undefined) return null;
        const { hunks, more } = differingLines(before ?? '', after ?? '', part);
        if (hunks.length === 0 && more === 0) return null;
        const base_file = before === null ? null : basePath;
        return { file, base_file, suites: [...names], hunks, more };
      }),
  );
  return found.filter((change) => change !== null);
}

interface Part {
  isTests: boolean;
  keys: ReadonlySet<string>;
}

interface NamedFile {
  basePath: string;
  names: Set<string>;
  part: Part | null;
}

function filesOf(suites: readonly AffectedSuite[]): Map<string, NamedFile> {
  const files = new Map<string, NamedFile>();
  for (const suite of suites) {
    const { name, because, base, head } = suite;
    for (const reason of because) {
      const { file } = reason;
      const renamed = head?.suite.prompt.file === file ? base?.suite.prompt.file : undefined;
      const part = partOf(suite, reason);
      const known = files.get(file) ?? { basePath: renamed ?? file, names: new Set(), part };
      known.names.add(name);
      if (known.part?.isTests !== part?.isTests) known.part = null;
      files.set(file, known);
    }
  }
  return files;
}

function partOf({ base, head }: AffectedSuite, { file, key }: Because): Part | null {
  const { prompt, tests } = (head ?? base)?.suite ?? {};
  if (tests === undefined || tests.tool !== undefined || prompt?.file !== file) return null;
  const own = tests.own === null ? [] : [tests.own.kind.key];
  return {
    isTests: key === 'references' || isScoringKey(key, { base, head }),
    keys: new Set(['tests', ...testKeys([]), ...own]),
  };
}

const UTF8 = new TextDecoder();

/** Undefined if the file is too large or not text. */
async function readSideText(tree: SourceTree, path: string): Promise<string | null | undefined> {
  if (!tree.files.has(path)) return null;
  const bytes = await readUpTo(tree, path, LARGEST_FILE);
  if (typeof bytes === 'string' || bytes.includes(0)) return undefined;
  return UTF8.decode(bytes);
}

export function differingLines(
  before: string,
  after: string,
  part: Part | null = null,
): Pick<ChangedText, 'hunks' | 'more'> {
  const patch = structuredPatch('', '', before, after, '', '', {
    context: 1,
    maxEditLength: MAX_DIFF_EDITS,
    stripTrailingCr: true,
  });
  if (patch === undefined) return { hunks: [], more: after.split('\n').length };
  const isMeant =
    part === null
      ? { base: () => true, head: () => true }
      : { base: isOf(part, before), head: isOf(part, after) };
  let room = MOST_LINES;
  let more = 0;
  const hunks: Hunk[] = [];
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
    const own = lines.filter((line) => !line.startsWith(NEWLINE_NOTE)).map(lineOf);
    const whole = {
      base: oldLines === 0 ? 0 : oldStart,
      head: newLines === 0 ? 0 : newStart,
      lines: own,
    };
    for (const hunk of hunksOf(whole, isMeant)) {
      const shown = hunk.lines.slice(0, room);
      room -= shown.length;
      more += hunk.lines.slice(shown.length).filter(({ sign }) => sign !== 'same').length;
      if (shown.some(({ sign }) => sign !== 'same')) hunks.push({ ...hunk, lines: shown });
    }
  }
  return { hunks, more };
}

function isOf({ isTests, keys }: Part, text: string): (line: number) => boolean {
  let inTests = false;
  const lines = text.split('\n').map((line) => {
    const key = /^["']?(\w+)["']?\s*:/.exec(line)?.[1];
    if (key !== undefined) inTests = keys.has(key);
    return inTests;
  });
  return (line) => lines[line - 1] === isTests;
}

function hunksOf(
  { base, head, lines }: Hunk,
  isMeant: Record<'base' | 'head', (line: number) => boolean>,
): Hunk[] {
  const runs: Hunk[] = [];
  let [onBase, onHead] = [base, head];
  let run: Hunk | null = null;
  for (const line of lines) {
    if (line.sign === 'removed' ? isMeant.base(onBase) : isMeant.head(onHead)) {
      if (run === null) runs.push((run = { base: onBase, head: onHead, lines: [] }));
      run.lines.push(line);
    } else run = null;
    if (line.sign !== 'added') onBase += 1;
    if (line.sign !== 'removed') onHead += 1;
  }
  return runs.filter((each) => each.lines.some(({ sign }) => sign !== 'same'));
}

function lineOf(line: string): Hunk['lines'][number] {
  const sign = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
  const { text, left } = cut(line.slice(1), LONGEST_LINE);
  return { sign, text: left === 0 ? text : `${text}…` };
}
