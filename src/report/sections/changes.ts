import type { ChangedText } from '../../kernel/result/changes.ts';
import type { Result } from '../../kernel/result/result.ts';
import { counted } from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { outcomeLook } from '../../wording/outcomes.ts';
import type { Detail } from './detail.ts';
import {
  group,
  joinLines,
  paragraph,
  place,
  strong,
  text,
  type Block,
  type DiffLine,
  type Inline,
  type Line,
} from './document.ts';
import { foundLines, type FoundLines, type Reports } from './feature-report.ts';
import { flippingScorings } from './flipped-references.ts';

const SHOWN_FILES = 3;

const MAX_CHANGED_FILES = 5;

const OPEN_LINES = 8;

/**
 * Shows changed lines of the worst suites. A green report shows only changes to metrics that
 * changed a test's result.
 */
export function changedLines(result: Result, { lines }: Detail, reports: Reports): Block[] {
  if (lines === 0) return [];
  const { open } = splitChanges(result);
  const found = foundLines(result, reports);
  const each = linesEach(open, lines);
  return open.flatMap((files, index) => [
    paragraph([
      ...(index === 0 ? [strong('What changed:'), text(' ')] : []),
      ...fileLine(files, found),
    ]),
    ...diffOf(files, each, found),
  ]);
}

export function allChanges(result: Result, { lines }: Detail, reports: Reports): Block[] {
  if (lines === 0) return [];
  const { open, left } = splitChanges(result);
  const found = foundLines(result, reports);
  const each = linesEach(open, lines);
  const cut = lines < ROOM_FOR_ALL ? [] : open.filter(([change]) => isCut(change, each, found));
  return group(
    [text(cut.length > 0 ? 'All changed lines' : 'Also changed')],
    [
      ...cut.flatMap(([change]): Block[] => [
        paragraph([changePlace(change)]),
        { kind: 'diff', lines: changeDiffLines(change, lines, found) },
      ]),
      ...(left.length === 0
        ? []
        : [paragraph([text(cut.length > 0 ? 'Also changed: ' : ''), ...filesLine(left)])]),
    ],
  );
}

function splitChanges(result: Result): { open: Alike[]; left: ChangedText[] } {
  const { tone } = outcomeLook(result);
  const quiet = tone === 'good' || tone === 'neutral';
  const scoring = new Set(
    flippingScorings(result).flatMap(({ because }) => because.map(({ file }) => file)),
  );
  const files = changesWorstFirst(result).filter(({ file }) => !quiet || scoring.has(file));
  const open = groupEqualChanges(
    files.filter((change) => quiet || isOfWorst(change, result)),
  ).slice(0, SHOWN_FILES);
  return { open, left: files.filter((change) => !open.flat().includes(change)) };
}

function linesEach({ length: files }: readonly Alike[], lines: number): number {
  return Math.max(4, Math.floor(Math.min(lines, OPEN_LINES) / Math.max(1, files)));
}

function changePlace(change: ChangedText, line = firstLine(change)): Inline {
  const isGone = change.hunks.length > 0 && change.hunks.every(({ head }) => head === 0);
  return place(change.file, line, isGone ? 'base' : 'head');
}

function fileLine([change, ...same]: Alike, found: SuiteCauseLines): Line {
  return [
    changePlace(change, causeExcerpt(change, OPEN_LINES, found)?.line),
    ...(change.base_file === null ? [text(', new')] : []),
    ...(change.base_file !== null && change.base_file !== change.file
      ? [text(', renamed from '), place(change.base_file, 0, 'base')]
      : []),
    ...(same.length === 0 ? [] : [text('; the same in '), ...filesLine(same)]),
  ];
}

function diffOf([change]: Alike, most: number, found: SuiteCauseLines): Block[] {
  if (change.hunks.length === 0) return [];
  const excerpt = causeExcerpt(change, OPEN_LINES, found);
  const lines = excerpt?.lines ?? changeDiffLines(change, most, found);
  return [{ kind: 'diff', lines }];
}

function isCut(change: ChangedText, most: number, found: SuiteCauseLines): boolean {
  return (
    causeExcerpt(change, OPEN_LINES, found) !== null ||
    change.hunks.reduce((sum, { lines }) => sum + lines.length, 0) > most
  );
}

type SuiteCauseLines = readonly FoundLines[];

type Alike = [ChangedText, ...ChangedText[]];

function groupEqualChanges(files: readonly ChangedText[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const change of files) {
    const key = JSON.stringify([change.hunks.map(({ lines }) => lines), change.more]);
    const group = groups.get(key);
    if (group === undefined || change.hunks.length === 0)
      groups.set(group === undefined ? key : `${key} ${change.file}`, [change]);
    else group.push(change);
  }
  return [...groups.values()];
}

function filesLine(files: readonly ChangedText[]): Line {
  const shown = files.slice(0, MAX_CHANGED_FILES);
  const more = files.length - shown.length;
  return [
    ...joinLines(
      shown.map((change) => [changePlace(change)]),
      ', ',
    ),
    ...(more === 0 ? [] : [text(` and ${counted(more, 'more file')}`)]),
  ];
}

function isOfWorst({ suites: names }: ChangedText, { suites }: Result): boolean {
  const [worst] = suitesWorstFirst(suites);
  return (
    worst === undefined ||
    suites.some(({ name, verdict }) => verdict === worst.verdict && names.includes(name))
  );
}

function changesWorstFirst({ changes = [], suites }: Result): ChangedText[] {
  const rank = new Map(suitesWorstFirst(suites).map(({ name }, index) => [name, index]));
  const rankOf = ({ suites: names }: ChangedText): number =>
    names.reduce((least, name) => Math.min(least, rank.get(name) ?? Infinity), Infinity);
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

export function firstLine({ hunks: [hunk] }: ChangedText): number {
  if (hunk === undefined) return 0;
  const before = hunk.lines.findIndex(({ sign }) => sign !== 'same');
  return hunk.head + Math.max(0, before);
}

const BESIDE_CAUSE = 2;

const ROOM_FOR_ALL = 100;

/**
 * Returns the lines that caused the drop. Null if they are unknown, too many, or nearly all changed
 * lines.
 */
function causeExcerpt(
  change: ChangedText,
  most: number,
  found: SuiteCauseLines,
): { line: number; lines: DiffLine[] } | null {
  const shown = found.flatMap(({ remark, lines }) =>
    lines.flatMap(({ head, diff }) =>
      head.file === change.file && diff.length > 0
        ? [{ line: head.line, diff: [...diff, ...remarkLines(remark)] }]
        : [],
    ),
  );
  const [first] = shown;
  const lines = [...new Map(shown.map(({ line, diff }) => [line, diff])).values()].flat();
  const changed = change.hunks.flatMap((hunk) => hunk.lines).filter(({ sign }) => sign !== 'same');
  const left = changed.length + change.more - changedIn(lines);
  if (first === undefined || left <= BESIDE_CAUSE || lines.length > most) return null;
  const gap: DiffLine = { sign: 'gap', text: `… ${counted(left, 'more line')}` };
  return { line: first.line, lines: [...lines, gap] };
}

function changedIn(lines: readonly DiffLine[]): number {
  return lines.filter(({ sign }) => sign === 'added' || sign === 'removed').length;
}

function remarkLines(remark: string | null): DiffLine[] {
  return remark === null ? [] : [{ sign: 'gap', text: remark }];
}

function withRemarks(
  { base, head, lines }: ChangedText['hunks'][number],
  { file, base_file }: ChangedText,
  found: SuiteCauseLines,
): DiffLine[] {
  const remarks = new Map<string, DiffLine[]>();
  for (const { remark, lines: own } of found)
    for (const { side, file: of, to } of own)
      if (of === (side === 'head' ? file : base_file))
        remarks.set(`${side === 'head' ? 'added' : 'removed'} ${String(to)}`, remarkLines(remark));
  let [onBase, onHead] = [base, head];
  return lines.flatMap((line): DiffLine[] => {
    const remark = remarks.get(`${line.sign} ${String(line.sign === 'added' ? onHead : onBase)}`);
    if (line.sign !== 'added') onBase += 1;
    if (line.sign !== 'removed') onHead += 1;
    return [line, ...(remark ?? [])];
  });
}

function changeDiffLines(change: ChangedText, most: number, found: SuiteCauseLines): DiffLine[] {
  const { hunks, more } = change;
  const all = withoutMargin(
    hunks.flatMap((hunk, index): DiffLine[] => [
      ...(index === 0 ? [] : [{ sign: 'gap' as const, text: '…' }]),
      ...withRemarks(hunk, change, found),
    ]),
  );
  const shown = all.slice(0, most);
  const left = changedIn(all.slice(most)) + more;
  return left === 0 ? shown : [...shown, { sign: 'gap', text: `… ${counted(left, 'more line')}` }];
}

/** Removes the indentation that all lines share, to save room on narrow screens. */
export function withoutMargin(lines: readonly DiffLine[]): DiffLine[] {
  const margin = lines
    .filter(({ sign, text }) => sign !== 'gap' && text.trim() !== '')
    .reduce((least, { text }) => Math.min(least, text.length - text.trimStart().length), Infinity);
  return lines.map((line) =>
    line.sign === 'gap' ? line : { ...line, text: line.text.slice(margin) },
  );
}
