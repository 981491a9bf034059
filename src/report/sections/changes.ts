import type { Cause, CauseUnit } from '../../result/causes.ts';
import type { ChangedText } from '../../result/changes.ts';
import type { Result } from '../../result/result.ts';
import { counted } from '../../text/amounts.ts';
import {
  joined,
  paragraph,
  place,
  strong,
  text,
  type Block,
  type Detail,
  type DiffLine,
  type Line,
} from './document.ts';
import { flippingScorings } from './flipped-references.ts';
import { suitesWorstFirst } from './order.ts';
import { headline } from './outcomes.ts';

/** Files whose lines are shown; the rest is named. */
const SHOWN_FILES = 3;

/** Files named beyond those. */
const NAMED_FILES = 5;

/**
 * The lines that the pull request changes, those of the worst suite first. A green run has no
 * cause to look for, but where a changed scoring gave references another outcome.
 */
export function changedLines(result: Result, { lines }: Detail): Block[] {
  const { tone } = headline(result);
  if (lines === 0) return [];
  const quiet = tone === 'good' || tone === 'neutral';
  const scoring = new Set(
    flippingScorings(result).flatMap(({ because }) => because.map(({ file }) => file)),
  );
  const files = worstFirst(result).filter(({ file }) => !quiet || scoring.has(file));
  const shown = alike(files.filter((one) => quiet || isOfWorst(one, result))).slice(0, SHOWN_FILES);
  if (shown.length === 0) return [];
  const each = Math.max(4, Math.floor(lines / shown.length));
  const left = files.filter((one) => !shown.flat().includes(one));
  return [
    ...shown.flatMap(([one, ...same], index): Block[] => [
      paragraph([
        ...(index === 0 ? [strong('What changed:'), text(' ')] : []),
        place(one.file, causeOf(one, each, result)?.line ?? firstLine(one)),
        ...(one.base_file === null ? [text(', new')] : []),
        ...(one.base_file !== null && one.base_file !== one.file
          ? [text(', renamed from '), place(one.base_file, 0)]
          : []),
        ...(same.length === 0 ? [] : [text('; the same in '), ...filesLine(same)]),
      ]),
      ...(one.hunks.length === 0
        ? []
        : [
            {
              kind: 'diff' as const,
              lines: causeOf(one, each, result)?.lines ?? linesOf(one, each, result),
            },
          ]),
    ]),
    ...(left.length === 0 ? [] : [paragraph([text('Also changed: '), ...filesLine(left)])]),
  ];
}

type Alike = [ChangedText, ...ChangedText[]];

/** Files with the same changed lines together, in the order of the first of them. */
function alike(files: readonly ChangedText[]): Alike[] {
  const groups = new Map<string, Alike>();
  for (const one of files) {
    const key = JSON.stringify([one.hunks.map(({ lines }) => lines), one.more]);
    const group = groups.get(key);
    if (group === undefined || one.hunks.length === 0)
      groups.set(group === undefined ? key : `${key} ${one.file}`, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** Files by their first changed lines; the rest is counted. */
function filesLine(files: readonly ChangedText[]): Line {
  const shown = files.slice(0, NAMED_FILES);
  const more = files.length - shown.length;
  return [
    ...joined(
      shown.map((one) => [place(one.file, firstLine(one))]),
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

/** Where there is room for so many lines the others are shown below the cause. */
const ROOM_FOR_ALL = 100;

/**
 * The lines that were found to be the cause, in front of the others that changed in the file; these
 * are counted where there is little room. Null: there is no cause, or nothing that would hide it.
 */
function causeOf(
  one: ChangedText,
  most: number,
  { causes = [] }: Result,
): { line: number; lines: DiffLine[] } | null {
  const units = causes
    .flatMap((suite) =>
      suite.causes.flatMap(({ relation, units: own }) =>
        own.map((unit) => ({ ...unit, relation })),
      ),
    )
    .filter(({ kind, head: { file } }) => TEXT_KINDS.has(kind) && file === one.file);
  const [first] = units;
  const lines = [...new Map(units.map((unit) => [unit.head.line, unit])).values()].flatMap(
    ({ base_text, head_text, relation }) => [
      ...signed('removed', base_text),
      ...signed('added', head_text),
      ...remarkOf(relation),
    ],
  );
  const known = new Set(lines.map(keyOf));
  const changed = one.hunks.flatMap((hunk) => hunk.lines).filter(({ sign }) => sign !== 'same');
  const others = changed.filter((line) => !known.has(keyOf(line)));
  const left = changed.length + one.more - changedIn(lines);
  if (first === undefined || left <= BESIDE_CAUSE || lines.length > most) return null;
  const shown = most < ROOM_FOR_ALL ? [] : withoutMargin(others).slice(0, most - lines.length);
  const gap = shown.length === 0 ? counted(left, 'more changed line') : 'other changed lines';
  return { line: first.head.line, lines: [...lines, { sign: 'gap', text: `… ${gap}` }, ...shown] };
}

function keyOf({ sign, text }: DiffLine): string {
  return `${sign} ${text.trim()}`;
}

/** Causes whose texts are lines of the file, as they were and as they are. */
const TEXT_KINDS: ReadonlySet<CauseUnit['kind']> = new Set(['line', 'sentence', 'hunk']);

function signed(sign: 'removed' | 'added', written: string | null): DiffLine[] {
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

/** What is said below a line that made a suite worse: a colour would not reach everybody. */
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

function linesOf(one: ChangedText, most: number, result: Result): DiffLine[] {
  const { hunks, more } = one;
  const all = withoutMargin(
    hunks.flatMap((hunk, index): DiffLine[] => [
      ...(index === 0 ? [] : [{ sign: 'gap' as const, text: '…' }]),
      ...withCauses(hunk, one, result),
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
