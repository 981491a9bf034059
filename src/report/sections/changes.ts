import type { ChangedText, Hunk } from '../../kernel/result/changes.ts';
import type { Result } from '../../kernel/result/result.ts';
import { counted } from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import { outcomeLook } from '../../wording/outcomes.ts';
import { EVERYTHING, type Detail } from './detail.ts';
import {
  joinLines,
  paragraph,
  place,
  strong,
  withoutMargin,
  type Block,
  type DiffLine,
  type Inline,
  type Line,
} from './document.ts';
import { foundLines, healingLines, type FoundLines, type Reports } from './feature-report.ts';
import { flippingScorings } from './flipped-references.ts';

const SHOWN_FILES = 3;

const MAX_CHANGED_FILES = 5;

const OPEN_LINES = 8;

/**
 * Shows changed lines of the worst suites. A green report shows only lines that fixed tests, and
 * changes to metrics that changed a test's result.
 */
export function changedLines(result: Result, { lines }: Detail, reports: Reports): Block[] {
  if (lines === 0) return [];
  const found = decidingLines(result, reports);
  const open = shownChanges(result, found);
  const each = linesEach(open, lines);
  return open.flatMap((files, index) => {
    const excerpt = excerptAround(files, each, found);
    const title = index === 0 ? [strong('What changed:'), ' '] : [];
    // The line above, about the only cause, already names this place.
    const isNamed = index === 0 && isOnlyPlace(found) && excerpt.causeLine !== null;
    return [
      ...(isNamed ? [] : [paragraph([...title, ...fileLine(files, excerpt)])]),
      ...(excerpt.lines.length === 0 ? [] : [{ kind: 'diff' as const, lines: excerpt.lines }]),
    ];
  });
}

function decidingLines(result: Result, reports: Reports): FoundLines[] {
  return [...foundLines(result, reports), ...healingLines(result, reports)];
}

function isOnlyPlace(found: SuiteCauseLines): boolean {
  return found.flatMap(({ lines }) => lines).length === 1;
}

function shownChanges(result: Result, found: SuiteCauseLines): Alike[] {
  const { tone } = outcomeLook(result);
  const quiet = tone === 'good' || tone === 'neutral';
  const scoring = new Set(
    flippingScorings(result).flatMap(({ because }) => because.map(({ file }) => file)),
  );
  const caused = new Set(found.flatMap(({ lines }) => lines.map(({ head }) => head.file)));
  const files = changesWorstFirst(result).filter(
    ({ file }) => !quiet || scoring.has(file) || caused.has(file),
  );
  const groups = groupEqualChanges(
    files.filter((change) => quiet || caused.has(change.file) || isOfWorst(change, result)),
  );
  const hasCause = (group: Alike) => group.some(({ file }) => caused.has(file));
  const causes = groups.filter(hasCause);
  const others = groups.filter((group) => !hasCause(group));
  return [...causes, ...others.slice(0, Math.max(0, SHOWN_FILES - causes.length))];
}

function linesEach({ length: files }: readonly Alike[], lines: number): number {
  if (lines >= EVERYTHING.lines) return lines;
  return Math.max(4, Math.floor(Math.min(lines, OPEN_LINES) / Math.max(1, files)));
}

function changePlace(change: ChangedText, line = firstLine(change)): Inline {
  const isGone = change.hunks.length > 0 && change.hunks.every(({ head }) => head === 0);
  return place(change.file, line, isGone ? 'base' : 'head');
}

function fileLine([change, ...same]: Alike, { causeLine }: Excerpt): Line {
  return [
    changePlace(change, causeLine ?? firstLine(change)),
    change.base_file === null ? ', new' : '',
    ...(change.base_file !== null && change.base_file !== change.file
      ? [', renamed from ', place(change.base_file, 0, 'base')]
      : []),
    ...(same.length === 0 ? [] : ['; the same in ', ...filesLine(same)]),
  ];
}

type SuiteCauseLines = readonly FoundLines[];

type Alike = [ChangedText, ...ChangedText[]];

/** Files of which lines are left out may differ in these. */
function groupEqualChanges(files: readonly ChangedText[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const change of files) {
    const isWhole = change.more === 0 && change.hunks.length > 0;
    const key = isWhole ? JSON.stringify(change.hunks.map(({ lines }) => lines)) : change.file;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  return [...groups.values()];
}

function filesLine(files: readonly ChangedText[]): Line {
  const shown = files.slice(0, MAX_CHANGED_FILES);
  const more = files.length - shown.length;
  return [
    ...joinLines(
      shown.map((change) => changePlace(change)),
      ', ',
    ),
    more === 0 ? '' : ` and ${counted(more, 'more file')}`,
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
  const rankOf = ({ suites: names }: ChangedText) =>
    names.reduce((least, name) => Math.min(least, rank.get(name) ?? Infinity), Infinity);
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

export function firstLine({ hunks: [hunk] }: ChangedText): number {
  if (hunk === undefined) return 0;
  const before = hunk.lines.findIndex(({ sign }) => sign !== 'same');
  return hunk.head + Math.max(0, before);
}

/** A cause is shown with the other changed lines only if there are at most so many of them. */
const BESIDE_CAUSE = 2;

interface Excerpt {
  /** On head, of the first line that caused the difference. Null if no cause is known. */
  causeLine: number | null;
  lines: DiffLine[];
}

/**
 * Shows at most `most` lines, chosen outwards from the cause. The lines of the cause are never left
 * out, so there may be more.
 */
function excerptAround(files: Alike, most: number, found: SuiteCauseLines): Excerpt {
  const [change] = files;
  const causes = causeLinesIn(files, found);
  const marked = markedLines(change, causes);
  const isKept = keptLines(marked, most);
  const shown = marked.flatMap(({ line, remarks }, index) => {
    if (isKept[index] !== true) return [];
    const last = index === 0 ? -1 : isKept.lastIndexOf(true, index - 1);
    const between = last === -1 ? [] : marked.slice(last + 1, index);
    const isApart = between.some((each) => each.line.sign === 'same' || each.line.sign === 'gap');
    return [...(isApart ? [GAP] : []), line, ...remarks];
  });
  const left = changedIn(marked.map(({ line }) => line)) + change.more - changedIn(shown);
  const rest: DiffLine = { sign: 'gap', text: `… ${counted(left, 'more line')}` };
  const isText = ({ sign, text }: DiffLine) => sign !== 'same' || text.trim() !== '';
  const lines = withoutMargin(
    shown.slice(shown.findIndex(isText), shown.findLastIndex(isText) + 1),
  );
  return {
    causeLine: causes[0]?.head.line ?? null,
    lines: left === 0 ? lines : [...lines, rest],
  };
}

const GAP: DiffLine = { sign: 'gap', text: '…' };

type CauseLine = FoundLines['lines'][number] & Pick<FoundLines, 'remark'>;

/** Each line that caused the difference, once, in the order of the file. */
function causeLinesIn(files: Alike, found: SuiteCauseLines): CauseLine[] {
  const all = found.flatMap(({ remark, lines }) =>
    lines
      .filter(({ head }) => files.some(({ file }) => file === head.file))
      .map((line) => ({ ...line, remark })),
  );
  return [...new Map(all.map((line) => [`${line.side} ${line.to}`, line])).values()].sort(
    (a, b) => a.head.line - b.head.line,
  );
}

interface MarkedLine {
  line: DiffLine;
  remarks: DiffLine[];
  isCause: boolean;
}

function markedLines({ hunks }: ChangedText, causes: readonly CauseLine[]): MarkedLine[] {
  const placed = new Set<CauseLine>();
  const marked = hunks.flatMap((hunk, index) => {
    const lines = markedHunk(hunk, causes, placed);
    return index === 0 ? lines : [{ line: GAP, remarks: [], isCause: false }, ...lines];
  });
  // A result leaves out most lines of a long difference, but has the text of each cause.
  const others = causes.filter((cause) => !placed.has(cause));
  return [
    ...marked,
    ...others.flatMap(({ diff, remark }) =>
      diff.map((line, index) => ({
        line,
        remarks: index === diff.length - 1 ? remarkLines(remark) : [],
        isCause: true,
      })),
    ),
  ];
}

function markedHunk(
  { base, head, lines }: Hunk,
  causes: readonly CauseLine[],
  placed: Set<CauseLine>,
): MarkedLine[] {
  let onBase = base;
  let onHead = head;
  const own: CauseLine[] = [];
  const remarked = lines.map((line) => {
    const [side, at] =
      line.sign === 'removed' ? (['base', onBase] as const) : (['head', onHead] as const);
    if (line.sign !== 'added') onBase += 1;
    if (line.sign !== 'removed') onHead += 1;
    const cause = causes.find((each) => each.side === side && each.to === at);
    if (cause === undefined || line.sign === 'same') return { line, remarks: [], isCause: false };
    own.push(cause);
    placed.add(cause);
    return { line, remarks: remarkLines(cause.remark), isCause: true };
  });
  const texts = new Set(own.flatMap(({ diff }) => diff.map(lineKey)));
  return remarked.map(({ line, remarks, isCause }, index) => {
    const next = remarked[index + 1];
    const isOldText = line.sign === 'removed' && next?.line.sign === 'added' && next.isCause;
    return { line, remarks, isCause: isCause || isOldText || texts.has(lineKey(line)) };
  });
}

function lineKey({ sign, text }: DiffLine): string {
  return `${sign} ${text.trim()}`;
}

function keptLines(marked: readonly MarkedLine[], most: number): boolean[] {
  const causes = marked.flatMap(({ isCause }, index) => (isCause ? [index] : []));
  const others = changedIn(marked.flatMap(({ line, isCause }) => (isCause ? [] : [line])));
  if (causes.length === 0) return marked.map((_, index) => index < most);
  const isBrief = most <= OPEN_LINES && (others === 0 || others > BESIDE_CAUSE);
  const room = isBrief ? 0 : Math.max(0, most - causes.length);
  const distance = (index: number) => Math.min(...causes.map((cause) => Math.abs(cause - index)));
  const nearest = marked
    .flatMap(({ isCause }, index) => (isCause ? [] : [index]))
    .sort((a, b) => distance(a) - distance(b));
  const kept = new Set([...causes, ...nearest.slice(0, room)]);
  return marked.map((_, index) => kept.has(index));
}

function changedIn(lines: readonly DiffLine[]): number {
  return lines.filter(({ sign }) => sign === 'added' || sign === 'removed').length;
}

function remarkLines(remark: string | null): DiffLine[] {
  return remark === null ? [] : [{ sign: 'gap', text: remark }];
}
