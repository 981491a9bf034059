import { characters, cut, cutNote } from '../../text/visible.ts';
import type { Side } from '../../types/plain.ts';
import { tokens, wordRuns, type Stretch } from '../answers/words.ts';
import type { Piece } from './document.ts';

/** In characters. Only the start of longer texts is compared. */
export const COMPARED_CHARACTERS = 8_000;

const CONTEXT = 60;

export interface Emphasised {
  base: Piece[];
  head: Piece[];
}

export interface Room {
  characters: number;
  gaps: boolean;
}

export function emphasise(base: string, head: string, room: Room): Emphasised {
  const before = cut(base, COMPARED_CHARACTERS);
  const after = cut(head, COMPARED_CHARACTERS);
  const runs = wordRuns(before.text, after.text);
  if (runs === null || !runs.some(({ changed }) => changed))
    return { base: whole(base, room.characters), head: whole(head, room.characters) };
  return emphasised(runs, room, { base: before.left, head: after.left });
}

export function emphasised(
  runs: readonly Stretch[],
  { characters: limit, gaps }: Room,
  left: Record<Side, number> = { base: 0, head: 0 },
): Emphasised {
  const marks = runs.some(({ changed }) => changed);
  const side = (own: Side) => {
    const pieces = runs.flatMap((run, index): Piece[] => {
      if (run[own] === '') return [];
      if (run.changed) return [{ kind: 'changed', text: run[own] }];
      return gaps && marks && run.base === run.head
        ? withGap(run[own], index === runs.length - 1)
        : [{ kind: 'same', text: run[own] }];
    });
    return cutPieces(mergePieces(pieces), limit, left[own]);
  };
  return { base: side('base'), head: side('head') };
}

export function whole(text: string, limit: number): Piece[] {
  return cutPieces([{ kind: 'same', text }], limit, 0);
}

function withGap(text: string, last: boolean): Piece[] {
  const words = tokens(text);
  const lengths = words.map((word) => [...word].length);
  const start = fitting(lengths, CONTEXT);
  const end = words.length - (last ? 0 : fitting(lengths.toReversed(), CONTEXT));
  const left = lengths.slice(start, end).reduce((sum, length) => sum + length, 0);
  if (start >= end || left <= CONTEXT) return [{ kind: 'same', text }];
  const pieces: Piece[] = [
    { kind: 'same', text: words.slice(0, start).join('').trimEnd() },
    { kind: 'gap', text: `… ${left.toLocaleString('en-US')} equal characters …` },
    { kind: 'same', text: words.slice(end).join('').trimStart() },
  ];
  return pieces.filter(({ text: said }) => said !== '');
}
function fitting(lengths: readonly number[], room: number): number {
  let sum = 0;
  const over = lengths.findIndex((length) => (sum += length) > room);
  return over < 0 ? lengths.length : over;
}

function mergePieces(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  pieces.forEach((piece, index) => {
    const previous = result.at(-1);
    const bridges =
      piece.kind === 'same' && piece.text.trim() === '' && pieces[index + 1]?.kind === 'changed';
    const continues = previous !== undefined && previous.kind === piece.kind;
    if (
      previous !== undefined &&
      previous.kind !== 'gap' &&
      (continues || (previous.kind === 'changed' && bridges))
    )
      previous.text += piece.text;
    else result.push({ ...piece });
  });
  return result;
}

function cutPieces(pieces: readonly Piece[], limit: number, alreadyLeft: number): Piece[] {
  let room = limit;
  let left = alreadyLeft;
  const shown: Piece[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'gap') {
      if (room > 0) shown.push(piece);
      continue;
    }
    const part = cut(piece.text, room);
    if (part.text !== '') shown.push({ ...piece, text: part.text });
    room -= characters(part.text);
    left += part.left;
  }
  return left === 0 ? shown : [...shown, { kind: 'gap', text: cutNote(left).trim() }];
}
