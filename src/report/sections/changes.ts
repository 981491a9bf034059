import type { Cause } from '../../features/causes/result.ts';
import type { ChangedText } from '../../kernel/result/changes.ts';
import type { Result } from '../../kernel/result/result.ts';
import { counted } from '../../text/amounts.ts';
import type { ChangeUnit } from '../../trials/change-unit.ts';
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
import { flippingScorings } from './flipped-references.ts';
import { suitesWorstFirst } from './order.ts';
import { headline } from './outcomes.ts';

/** Files whose lines are shown; the rest is named. */
const SHOWN_FILES = 3;

/** Files named beyond those. */
const NAMED_FILES = 5;

/** Lines shown of the worst suite's files before what they did. */
const OPEN_LINES = 24;

/**
 * The lines that the pull request changes for the worst suite. A green run has no cause to look
 * for, but where a changed scoring gave references another outcome.
 */
export function changedLines(result: Result, { lines }: Detail): Block[] {
  if (lines === 0) return [];
  const { above } = changesOf(result);
  const each = linesEach(above.length, Math.min(lines, OPEN_LINES));
  return above.flatMap((files, index) => [
    paragraph([
      ...(index === 0 ? [strong('What changed:'), text(' ')] : []),
      ...fileLine(files, result),
    ]),
    ...diffOf(files, each, result),
  ]);
}

/**
 * What was changed beside that, below what it did: lines of other files, and, where there is room,
 * all lines of files that stand above in part.
 */
export function otherChanges(result: Result, { lines }: Detail): Block[] {
  if (lines === 0) return [];
  const { above, below, left } = changesOf(result);
  const open = linesEach(above.length, Math.min(lines, OPEN_LINES));
  const each = linesEach(below.length, lines);
  const cut = lines < ROOM_FOR_ALL ? [] : above.filter(([change]) => isCut(change, open, result));
  return [
    ...below.flatMap((files) => [
      paragraph([text('Also changed: '), ...fileLine(files, result)]),
      ...diffOf(files, each, result),
    ]),
    ...(left.length === 0 ? [] : [paragraph([text('Also changed: '), ...filesLine(left)])]),
    ...cut.flatMap(([change]) =>
      group(
        [text('All changed lines of '), changePlace(change)],
        [{ kind: 'diff', lines: linesOf(change, lines, result) }],
      ),
    ),
  ];
}

/** Changed files: those of the worst suite, those of others that are shown, and those only named. */
function changesOf(result: Result): { above: Alike[]; below: Alike[]; left: ChangedText[] } {
  const { tone } = headline(result);
  const quiet = tone === 'good' || tone === 'neutral';
  const scoring = new Set(
    flippingScorings(result).flatMap(({ because }) => because.map(({ file }) => file)),
  );
  const files = worstFirst(result).filter(({ file }) => !quiet || scoring.has(file));
  const shown = alike(files.filter((change) => quiet || isOfWorst(change, result))).slice(
    0,
    SHOWN_FILES,
  );
  const [worst] = suitesWorstFirst(result.suites);
  const own = shown.filter(
    (group) =>
      quiet || worst === undefined || group.some(({ suites }) => suites.includes(worst.name)),
  );
  const above = own.length > 0 ? own : shown.slice(0, 1);
  return {
    above,
    below: shown.filter((group) => !above.includes(group)),
    left: files.filter((change) => !shown.flat().includes(change)),
  };
}

function linesEach(files: number, lines: number): number {
  return Math.max(4, Math.floor(lines / Math.max(1, files)));
}

/** Where a file changed; a file that head has no more is shown on base. */
function changePlace(change: ChangedText, line = firstLine(change)): Inline {
  const isGone = change.hunks.length > 0 && change.hunks.every(({ head }) => head === 0);
  return place(change.file, line, isGone ? 'base' : 'head');
}

/** Where a file changed, what it was called, and which others changed alike. */
function fileLine([change, ...same]: Alike, result: Result): Line {
  return [
    changePlace(change, causeOf(change, OPEN_LINES, result)?.line),
    ...(change.base_file === null ? [text(', new')] : []),
    ...(change.base_file !== null && change.base_file !== change.file
      ? [text(', renamed from '), place(change.base_file, 0, 'base')]
      : []),
    ...(same.length === 0 ? [] : [text('; the same in '), ...filesLine(same)]),
  ];
}

function diffOf([change]: Alike, most: number, result: Result): Block[] {
  if (change.hunks.length === 0) return [];
  const lines = causeOf(change, most, result)?.lines ?? linesOf(change, most, result);
  return [{ kind: 'diff', lines }];
}

/** Whether fewer of its changed lines are shown than there are. */
function isCut(change: ChangedText, most: number, result: Result): boolean {
  return (
    causeOf(change, most, result) !== null ||
    change.hunks.reduce((sum, { lines }) => sum + lines.length, 0) > most
  );
}

type Alike = [ChangedText, ...ChangedText[]];

/** Files with the same changed lines together, in the order of the first of them. */
function alike(files: readonly ChangedText[]): Alike[] {
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

/** Files by their first changed lines; the rest is counted. */
function filesLine(files: readonly ChangedText[]): Line {
  const shown = files.slice(0, NAMED_FILES);
  const more = files.length - shown.length;
  return [
    ...joinLines(
      shown.map((change) => [changePlace(change)]),
      ', ',
    ),
    ...(more === 0 ? [] : [text(` and ${counted(more, 'more file')}`)]),
  ];
}

/** Whether suites of the worst verdict run because of this file. */
function isOfWorst({ suites: names }: ChangedText, { suites }: Result): boolean {
  const [worst] = suitesWorstFirst(suites);
  return (
    worst === undefined ||
    suites.some(({ name, verdict }) => verdict === worst.verdict && names.includes(name))
  );
}

function worstFirst({ changes = [], suites }: Result): ChangedText[] {
  const rank = new Map(suitesWorstFirst(suites).map(({ name }, index) => [name, index]));
  const rankOf = ({ suites: names }: ChangedText): number =>
    names.reduce((least, name) => Math.min(least, rank.get(name) ?? Infinity), Infinity);
  return [...changes].sort((a, b) => rankOf(a) - rankOf(b));
}

/** The first line on head that differs; where lines were only removed, the one they stood before. */
export function firstLine({ hunks: [hunk] }: ChangedText): number {
  if (hunk === undefined) return 0;
  const before = hunk.lines.findIndex(({ sign }) => sign !== 'same');
  return hunk.head + Math.max(0, before);
}

/** Beside so many other changed lines a cause is seen without help. */
const BESIDE_CAUSE = 2;

/** Where there is room for so many lines all of a file are shown, below what they did. */
const ROOM_FOR_ALL = 100;

/**
 * The lines that were found to be the cause; the others that changed in the file are counted. Null:
 * there is no cause, or nothing that would hide it.
 */
function causeOf(
  change: ChangedText,
  most: number,
  { causes = [] }: Result,
): { line: number; lines: DiffLine[] } | null {
  const units = causes
    .flatMap((suite) =>
      suite.causes.flatMap(({ relation, units: own }) =>
        own.map((unit) => ({ ...unit, relation })),
      ),
    )
    .filter(({ kind, head: { file } }) => TEXT_KINDS.has(kind) && file === change.file);
  const [first] = units;
  const lines = [...new Map(units.map((unit) => [unit.head.line, unit])).values()].flatMap(
    ({ base_text, head_text, relation }) => [
      ...diffLines('removed', base_text),
      ...diffLines('added', head_text),
      ...remarkOf(relation),
    ],
  );
  const changed = change.hunks.flatMap((hunk) => hunk.lines).filter(({ sign }) => sign !== 'same');
  const left = changed.length + change.more - changedIn(lines);
  if (first === undefined || left <= BESIDE_CAUSE || lines.length > most) return null;
  const gap: DiffLine = { sign: 'gap', text: `… ${counted(left, 'more changed line')}` };
  return { line: first.head.line, lines: [...lines, gap] };
}

/** Causes whose texts are lines of the file, as they were and as they are. */
const TEXT_KINDS: ReadonlySet<ChangeUnit['kind']> = new Set(['line', 'sentence', 'hunk']);

function diffLines(sign: 'removed' | 'added', written: string | null): DiffLine[] {
  return written === null
    ? []
    : written
        .trim()
        .split('\n')
        .map((line) => ({ sign, text: line }));
}

function changedIn(lines: readonly DiffLine[]): number {
  return lines.filter(({ sign }) => sign === 'added' || sign === 'removed').length;
}

/** What is said below a line that made a suite worse, since not every reader sees a colour. */
const REMARKS: Readonly<Record<Cause['relation'], string | null>> = {
  alone: '↑ cause',
  together: '↑ cause, only together',
  either: '↑ cause, either alone',
  // Nothing was tried, so nothing is known of its lines.
  'only-change': null,
};

function remarkOf(relation: Cause['relation']): DiffLine[] {
  const remark = REMARKS[relation];
  return remark === null ? [] : [{ sign: 'gap', text: remark }];
}

/** The lines of a hunk, each that made a suite worse with a remark below. */
function withCauses(
  { base, head, lines }: ChangedText['hunks'][number],
  { file, base_file }: ChangedText,
  { causes = [] }: Result,
): DiffLine[] {
  const remarks = new Map<string, DiffLine[]>();
  for (const { relation, units } of causes.flatMap((suite) => suite.causes))
    for (const { side, file: own, lines: at } of units)
      if (own === (side === 'head' ? file : base_file))
        remarks.set(
          `${side === 'head' ? 'added' : 'removed'} ${String(at.to)}`,
          remarkOf(relation),
        );
  let [onBase, onHead] = [base, head];
  return lines.flatMap((line): DiffLine[] => {
    const remark = remarks.get(`${line.sign} ${String(line.sign === 'added' ? onHead : onBase)}`);
    if (line.sign !== 'added') onBase += 1;
    if (line.sign !== 'removed') onHead += 1;
    return [line, ...(remark ?? [])];
  });
}

function linesOf(change: ChangedText, most: number, result: Result): DiffLine[] {
  const { hunks, more } = change;
  const all = withoutMargin(
    hunks.flatMap((hunk, index): DiffLine[] => [
      ...(index === 0 ? [] : [{ sign: 'gap' as const, text: '…' }]),
      ...withCauses(hunk, change, result),
    ]),
  );
  const shown = all.slice(0, most);
  const left = changedIn(all.slice(most)) + more;
  return left === 0
    ? shown
    : [...shown, { sign: 'gap', text: `… ${counted(left, 'more changed line')}` }];
}

/** Without the blanks that all lines begin with, which a narrow screen has no room for. */
export function withoutMargin(lines: readonly DiffLine[]): DiffLine[] {
  const margin = lines
    .filter(({ sign, text }) => sign !== 'gap' && text.trim() !== '')
    .reduce((least, { text }) => Math.min(least, text.length - text.trimStart().length), Infinity);
  return lines.map((line) =>
    line.sign === 'gap' ? line : { ...line, text: line.text.slice(margin) },
  );
}
