import { diffArrays } from 'diff';
import { characters, cut, cutNote } from '../../text/visible.ts';
import type { Piece } from './document.ts';

/** Longer answers are only compared up to here. In characters. */
export const COMPARED_CHARACTERS = 8_000;

/** With more insertions and deletions, emphasis would mark everything. */
const MAX_EDITS = 400;

/** With a larger share of changed characters, nothing is emphasised. */
const MAX_CHANGED = 0.75;

/** Unchanged characters kept on each side of a gap. */
const CONTEXT = 60;

/** Words, numbers, blanks; Chinese and Japanese characters and all other signs one by one. */
const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|\s+|[^]/gu;

export interface Emphasised {
  base: Piece[];
  head: Piece[];
}

/** Marks differing words. The limit on edits keeps the time linear for hostile texts. */
export function emphasise(
  base: string,
  head: string,
  { characters: limit, gaps }: { characters: number; gaps: boolean },
): Emphasised {
  const [before, after] = [cut(base, COMPARED_CHARACTERS), cut(head, COMPARED_CHARACTERS)];
  const changes = diffArrays(tokens(before.text), tokens(after.text), { maxEditLength: MAX_EDITS });
  if (changes === undefined || changedShare(changes) > MAX_CHANGED)
    return { base: whole(base, limit), head: whole(head, limit) };
  if (changes.every(({ added, removed }) => !added && !removed))
    return { base: whole(base, limit), head: whole(head, limit) };
  const side = (other: 'added' | 'removed'): Piece[] =>
    changes.flatMap((change, index): Piece[] => {
      if (change[other]) return [];
      if (change.added || change.removed) return [{ kind: 'changed', text: change.value.join('') }];
      return gaps
        ? withGap(change.value, index === changes.length - 1)
        : [{ kind: 'same', text: change.value.join('') }];
    });
  return {
    base: cutPieces(mergePieces(side('added')), limit, before.left),
    head: cutPieces(mergePieces(side('removed')), limit, after.left),
  };
}

export function whole(text: string, limit: number): Piece[] {
  return cutPieces([{ kind: 'same', text }], limit, 0);
}

function tokens(text: string): string[] {
  return text.match(TOKENS) ?? [];
}

function changedShare(
  changes: readonly { value: string[]; added: boolean; removed: boolean }[],
): number {
  let changed = 0;
  let all = 0;
  for (const { value, added, removed } of changes) {
    const length = value.reduce((sum, token) => sum + token.length, 0);
    // Shared text counts for both sides.
    all += added || removed ? length : 2 * length;
    if (added || removed) changed += length;
  }
  return all === 0 ? 0 : changed / all;
}

/** Omits the middle of an equal stretch; after the last difference, its end. */
function withGap(words: readonly string[], last: boolean): Piece[] {
  const lengths = words.map((word) => [...word].length);
  const start = fitting(lengths, CONTEXT);
  const end = words.length - (last ? 0 : fitting(lengths.toReversed(), CONTEXT));
  const left = lengths.slice(start, end).reduce((sum, length) => sum + length, 0);
  // A gap's note would be as long as the text.
  if (start >= end || left <= CONTEXT) return [{ kind: 'same', text: words.join('') }];
  const pieces: Piece[] = [
    { kind: 'same', text: words.slice(0, start).join('').trimEnd() },
    { kind: 'gap', text: `… ${left.toLocaleString('en-US')} equal characters …` },
    { kind: 'same', text: words.slice(end).join('').trimStart() },
  ];
  return pieces.filter(({ text }) => text !== '');
}

function fitting(lengths: readonly number[], room: number): number {
  let sum = 0;
  const over = lengths.findIndex((length) => (sum += length) > room);
  return over < 0 ? lengths.length : over;
}

/** Joins changes that only blanks separate. */
function mergePieces(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  pieces.forEach((piece, index) => {
    const previous = result.at(-1);
    const bridges =
      piece.kind === 'same' && piece.text.trim() === '' && pieces[index + 1]?.kind === 'changed';
    if (previous?.kind === 'changed' && (piece.kind === 'changed' || bridges))
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
