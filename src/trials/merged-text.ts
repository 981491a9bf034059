import { diffArrays } from 'diff';
import { MAX_DIFF_EDITS } from '../text/cut-out.ts';
import {
  type MergedLine,
  type MergedText,
  type TextPiece,
  align,
  wordSimilarity,
  numberUnits,
} from './text-units.ts';

/** In characters. Longer lines are split into sentences. */
const LONG_LINE = 100;

/** In characters. Shorter lines do not count as moved. */
const SHORTEST_MOVED = 8;

const MIN_LINE_SIMILARITY = 0.35;

/**
 * The units (parts of the change) are changed lines, sentences of long lines, and moved lines. With
 * `hunks`, adjacent lines are one unit, because half a change would break code.
 */
export function mergeTexts(base: string, head: string, grain: 'lines' | 'hunks'): MergedText {
  const drafts = draftLines(base, head);
  if (drafts === null) return wholeTexts(base, head);
  const units: TextPiece[][] = [];
  const lines = grain === 'hunks' ? byHunks(drafts, units) : byLines(drafts, units);
  return numberUnits(lines, units, grain);
}

/** Base's text with the units for which `has` is true. */
export function composeText({ lines }: MergedText, has: (unit: number) => boolean): string {
  return lines
    .flatMap(({ shared, pieces }) => {
      const texts = pieces
        .filter(({ unit, side }) => unit === null || (side === 'head') === has(unit))
        .map(({ text }) => text);
      return shared || texts.length > 0 ? [texts.join('')] : [];
    })
    .join('\n');
}

type MergedLines = { same: string[]; line: number } | { removed: TextPiece[]; added: TextPiece[] };

function draftLines(base: string, head: string): MergedLines[] | null {
  const [before, after] = [linesBeside(base, head), head.split('\n')];
  const changes = diffArrays(before, after, { maxEditLength: MAX_DIFF_EDITS });
  if (changes === undefined) return null;
  const drafts: MergedLines[] = [];
  let [onBase, onHead] = [0, 0];
  for (const { value, added, removed } of changes) {
    const last = drafts.at(-1);
    const hunk = last !== undefined && 'removed' in last ? last : { removed: [], added: [] };
    if ((added || removed) && last !== hunk) drafts.push(hunk);
    if (added) hunk.added.push(...value.map((text, i) => piece(text, 'head', onHead + i)));
    else if (removed) hunk.removed.push(...value.map((text, i) => piece(text, 'base', onBase + i)));
    else drafts.push({ same: value, line: onBase });
    if (!added) onBase += value.length;
    if (!removed) onHead += value.length;
  }
  return drafts;
}

/** An empty text beside another has no line, not an empty one. */
function linesBeside(text: string, other: string): string[] {
  return text === '' && other !== '' ? [] : text.split('\n');
}

function piece(text: string, side: TextPiece['side'], line: number): TextPiece {
  return { text, side, unit: null, line };
}

function wholeTexts(base: string, head: string): MergedText {
  const removed = base.split('\n').map((text, line) => piece(text, 'base', line));
  const added = head.split('\n').map((text, line) => piece(text, 'head', line));
  const units = [[...removed, ...added]];
  return numberUnits(units.flat().map(unsharedLine), units, 'hunks');
}

function unsharedLine(piece: TextPiece): MergedLine {
  return { shared: false, pieces: [piece] };
}

function sharedLines({ same, line }: Extract<MergedLines, { same: string[] }>): MergedLine[] {
  return same.map((text, i) => ({ shared: true, pieces: [piece(text, 'both', line + i)] }));
}

function byHunks(drafts: readonly MergedLines[], units: TextPiece[][]): MergedLine[] {
  return drafts.flatMap((draft) => {
    if ('same' in draft) return sharedLines(draft);
    const all = [...draft.removed, ...draft.added];
    units.push(all);
    return all.map(unsharedLine);
  });
}

function byLines(drafts: readonly MergedLines[], units: TextPiece[][]): MergedLine[] {
  const moved = movedPieces(drafts);
  return drafts.flatMap((draft) => {
    if ('same' in draft) return sharedLines(draft);
    const stays = (piece: TextPiece) => !moved.has(piece);
    const pairs = new Map<TextPiece, TextPiece>(
      rewordings(draft.removed.filter(stays), draft.added.filter(stays)),
    );
    const open = [...draft.added];
    const lines: MergedLine[] = [];
    const first = units.length;
    const alone = (piece: TextPiece) => {
      lines.push(lineAlone(piece, moved, units));
    };
    const bringUpTo = (wording: TextPiece | undefined) => {
      const end = wording === undefined ? open.length : open.indexOf(wording);
      open.splice(0, end).forEach(alone);
    };
    for (const removed of draft.removed) {
      const wording = pairs.get(removed);
      if (wording === undefined) {
        alone(removed);
        continue;
      }
      bringUpTo(wording);
      open.shift();
      lines.push(rewordedLine(removed, wording, units));
    }
    bringUpTo(undefined);
    units.push(...joinBlanks(units.splice(first)));
    return lines;
  });
}

/** A moved line is one unit with two places. */
function lineAlone(
  alone: TextPiece,
  moved: ReadonlyMap<TextPiece, TextPiece>,
  units: TextPiece[][],
): MergedLine {
  const other = moved.get(alone);
  const begun = other === undefined ? undefined : units.find((unit) => unit.includes(other));
  begun?.push(alone);
  const pieces = other === undefined ? sentencePieces(alone) : [alone];
  if (begun === undefined) units.push(...pieces.map((part) => [part]));
  return { shared: false, pieces };
}

function movedPieces(drafts: readonly MergedLines[]): Map<TextPiece, TextPiece> {
  const added = drafts.flatMap((draft) => ('removed' in draft ? draft.added : []));
  const moved = new Map<TextPiece, TextPiece>();
  for (const draft of drafts) {
    if ('same' in draft) continue;
    for (const removed of draft.removed) {
      const text = removed.text.trim();
      if (text.length < SHORTEST_MOVED) continue;
      const found = added.find((piece) => piece.text.trim() === text && !moved.has(piece));
      // Only white space changed, so the line did not move.
      if (found === undefined || draft.added.includes(found)) continue;
      moved.set(removed, found);
      moved.set(found, removed);
    }
  }
  return moved;
}

function rewordings(
  removed: readonly TextPiece[],
  added: readonly TextPiece[],
): [TextPiece, TextPiece][] {
  const score = (old: TextPiece, replacement: TextPiece) => {
    const alike = wordSimilarity(old.text, replacement.text);
    return alike >= MIN_LINE_SIMILARITY ? alike : 0;
  };
  const isText = ({ text }: TextPiece) => text.trim() !== '';
  const [before, after] = [removed.filter(isText), added.filter(isText)];
  const pairs = align(before, after, score);
  // Also pairs the lines between two pairs if both sides have the same number of lines there.
  const ends = [...pairs, [before.length, after.length] as const];
  let [i, j] = [0, 0];
  const all: [number, number][] = [];
  for (const [endBefore, endAfter] of ends) {
    if (endBefore - i === endAfter - j)
      for (let step = 0; step < endBefore - i; step += 1) all.push([i + step, j + step]);
    if (endBefore < before.length) all.push([endBefore, endAfter]);
    [i, j] = [endBefore + 1, endAfter + 1];
  }
  return all.flatMap(([from, to]): [TextPiece, TextPiece][] => {
    const [left, right] = [before[from], after[to]];
    return left === undefined || right === undefined ? [] : [[left, right]];
  });
}

function rewordedLine(removed: TextPiece, added: TextPiece, units: TextPiece[][]): MergedLine {
  const [before, after] = [sentencesOf(removed.text), sentencesOf(added.text)];
  const isLong = Math.max(removed.text.length, added.text.length) > LONG_LINE;
  if (!isLong || before.length + after.length < 3) {
    units.push([removed, added]);
    return { shared: true, pieces: [removed, added] };
  }
  const pieces: TextPiece[] = [];
  let hunk: TextPiece[] = [];
  const end = () => {
    const pairs = new Map(
      rewordings(
        hunk.filter(({ side }) => side === 'base'),
        hunk.filter(({ side }) => side === 'head'),
      ),
    );
    const second = new Set(pairs.values());
    for (const changed of hunk) {
      const other = pairs.get(changed);
      if (!second.has(changed)) units.push(other === undefined ? [changed] : [changed, other]);
    }
    pieces.push(...hunk);
    hunk = [];
  };
  for (const { value, added: isNew, removed: isOld } of diffArrays(before, after)) {
    if (isNew || isOld) {
      const { side, line } = isNew ? added : removed;
      hunk.push(...value.map((text) => piece(text, side, line)));
    } else {
      end();
      pieces.push(...value.map((text) => piece(text, 'both', removed.line)));
    }
  }
  end();
  return { shared: true, pieces };
}

function sentencePieces(piece: TextPiece): TextPiece[] {
  if (piece.text.length <= LONG_LINE) return [piece];
  return sentencesOf(piece.text).map((text) => ({ ...piece, text }));
}

/** In characters. A shorter text, such as a list item's number, is not a sentence. */
const SHORTEST_SENTENCE = 12;

export function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  for (let at = 1; at < line.length; at += 1) {
    const ends = '.!?;:。！？'.includes(line[at - 1] ?? '');
    const blank = line[at] === ' ' || '。！？'.includes(line[at - 1] ?? '');
    if (!ends || !blank || at - start < SHORTEST_SENTENCE) continue;
    while (line[at] === ' ') at += 1;
    if (line.length - at < SHORTEST_SENTENCE) break;
    sentences.push(line.slice(start, at));
    start = at;
  }
  return [...sentences, line.slice(start)];
}

function joinBlanks(hunk: readonly TextPiece[][]): TextPiece[][] {
  const isText = (unit: readonly TextPiece[]) => unit.some(({ text }) => text.trim() !== '');
  const texts = hunk.filter(isText);
  if (texts.length === 0) return hunk.length === 0 ? [] : [hunk.flat()];
  const joined = texts.map((unit) => [...unit]);
  let into = joined[0];
  for (const unit of hunk) {
    if (isText(unit)) into = joined[texts.indexOf(unit)];
    else into?.push(...unit);
  }
  return joined;
}
