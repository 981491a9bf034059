import { at } from '../kernel/statistics/sums.ts';

export interface TextPiece {
  text: string;
  side: 'both' | 'base' | 'head';
  /** The part of the change. Null if both sides have the piece. */
  unit: number | null;
  /** From 0, in the text of its side. */
  line: number;
}

/** `shared`: both sides have the line. Other lines appear only if one of their pieces is used. */
export interface MergedLine {
  shared: boolean;
  pieces: TextPiece[];
}

export interface MergedText {
  lines: MergedLine[];
  units: TextUnit[];
}

export interface TextUnit {
  kind: 'line' | 'sentence' | 'moved line' | 'hunk';
  base: TextSpan | null;
  head: TextSpan | null;
  /** Head's line, from 0. For removed lines, the next one. */
  anchor: number;
}

/** Lines count from 0. */
export interface TextSpan {
  text: string;
  from: number;
  to: number;
}

function isMoved(unit: readonly TextPiece[], lines: ReadonlyMap<TextPiece, MergedLine>): boolean {
  const [first, second] = unit.filter(({ text }) => text.trim() !== '');
  return (
    first !== undefined &&
    second !== undefined &&
    first.side !== second.side &&
    first.text.trim() === second.text.trim() &&
    lines.get(first) !== lines.get(second)
  );
}

export function wholeSpan(text: string): TextSpan {
  return { text, from: 0, to: text.trimEnd().split('\n').length - 1 };
}

export function numberUnits(
  lines: MergedLine[],
  units: readonly TextPiece[][],
  grain: 'lines' | 'hunks',
): MergedText {
  const ownLine = new Map(
    lines.flatMap((line) => line.pieces.map((piece) => [piece, line] as const)),
  );
  const anchors = headLines(lines);
  for (const [number, unit] of units.entries()) for (const piece of unit) piece.unit = number;
  return {
    lines,
    units: units.map((unit) => ({
      kind: unitKind(unit, ownLine, grain),
      base: spanOf(unit, 'base'),
      head: spanOf(unit, 'head'),
      anchor: Math.min(...unit.map((piece) => anchors.get(piece) ?? Infinity)),
    })),
  };
}

function headLines(lines: readonly MergedLine[]): Map<TextPiece, number> {
  const found = new Map<TextPiece, number>();
  let next = 0;
  for (const line of lines) {
    for (const piece of line.pieces) found.set(piece, next);
    if (line.shared || line.pieces.some(({ side }) => side === 'head')) next += 1;
  }
  return found;
}

function unitKind(
  unit: readonly TextPiece[],
  lines: ReadonlyMap<TextPiece, MergedLine>,
  grain: 'lines' | 'hunks',
): TextUnit['kind'] {
  if (grain === 'hunks') return 'hunk';
  const others = unit.some((piece) =>
    lines.get(piece)?.pieces.some((other) => other.unit !== piece.unit),
  );
  if (others) return 'sentence';
  return isMoved(unit, lines) ? 'moved line' : 'line';
}

function spanOf(unit: readonly TextPiece[], side: 'base' | 'head'): TextSpan | null {
  const own = unit.filter((piece) => piece.side === side).sort((a, b) => a.line - b.line);
  const texts = own.filter(({ text }) => text.trim() !== '');
  const shown = texts.length > 0 ? texts : own;
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return null;
  return { text: shown.map(({ text }) => text).join('\n'), from: first.line, to: last.line };
}

const WORD_TOKENS = /[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu;

/** In characters. The beginnings of texts are enough to pair them. */
const MAX_COMPARED_CHARS = 2_000;

/** The Dice coefficient of the words, 0–1. */
export function wordSimilarity(before: string, after: string): number {
  if (before.trim() === after.trim()) return 1;
  const [left, right] = [wordSet(before), wordSet(after)];
  let common = 0;
  for (const word of left) if (right.has(word)) common += 1;
  return left.size + right.size === 0 ? 0 : (2 * common) / (left.size + right.size);
}

function wordSet(text: string): Set<string> {
  return new Set(text.slice(0, MAX_COMPARED_CHARS).toLowerCase().match(WORD_TOKENS) ?? []);
}

/** Longer lists are cut, because the table's size is the product of both lengths. */
const MAX_ALIGNED = 300;

/** Pairs items in order, with the largest sum of scores. A pair needs a score above 0. */
export function align<Item>(
  before: readonly Item[],
  after: readonly Item[],
  score: (left: Item, right: Item) => number,
): [number, number][] {
  const [left, right] = [before.slice(0, MAX_ALIGNED), after.slice(0, MAX_ALIGNED)];
  const width = right.length + 1;
  const scores = new Float64Array(left.length * width);
  for (const [i, earlier] of left.entries())
    for (const [j, later] of right.entries()) scores[i * width + j] = score(earlier, later);
  const best = bestSums(scores, width);
  const pairs: [number, number][] = [];
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    const cell = i * width + j;
    const [below, beside] = [at(best, cell + width), at(best, cell + 1)];
    const pair = at(scores, cell);
    if (pair > 0 && at(best, cell) === pair + at(best, cell + width + 1)) pairs.push([i++, j++]);
    else if (below >= beside) i += 1;
    else j += 1;
  }
  return pairs;
}

/** The largest sum of scores on a path from each cell. The last row and column are 0. */
function bestSums(scores: Float64Array, width: number): Float64Array {
  const best = new Float64Array(scores.length + width);
  for (let cell = scores.length - 1; cell >= 0; cell -= 1) {
    if (cell % width === width - 1) continue;
    const pair = at(scores, cell);
    const paired = pair > 0 ? pair + at(best, cell + width + 1) : 0;
    best[cell] = Math.max(at(best, cell + width), at(best, cell + 1), paired);
  }
  return best;
}
