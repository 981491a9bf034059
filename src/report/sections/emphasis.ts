import { diffArrays } from 'diff';
import { characters, cut, cutNote } from '../../text/visible.ts';
import type { Piece } from './document.ts';

/** Only the beginnings of long answers are compared; the rest is counted. In characters. */
export const COMPARED_CHARACTERS = 8_000;

/**
 * Beyond this many insertions and deletions the texts are different texts, and emphasis would mark
 * everything.
 */
const MAX_EDITS = 400;

/** Above this share of changed characters emphasis says nothing. */
const MAX_CHANGED = 0.75;

/** Characters of an unchanged stretch that stay on each side of what is left out. */
const CONTEXT = 60;

/** Words, numbers, blanks; Chinese and Japanese characters and all other signs one by one. */
const TOKENS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{M}\p{N}_]+|\s+|[^]/gu;

interface EmphasisOptions {
  /** Each side is cut after so many characters. */
  characters: number;
  /** Leaves the middle of long equal stretches out. */
  gaps: boolean;
}

export interface Emphasised {
  base: Piece[];
  head: Piece[];
}

/**
 * Two answers with the words that differ marked. What is left out, long equal stretches on demand
 * and what exceeds the limit, is said in place. Without emphasis where nearly everything differs.
 * Linear enough for hostile texts: the comparison gives up after a fixed number of edits.
 */
export function emphasise(
  base: string,
  head: string,
  { characters: limit, gaps }: EmphasisOptions,
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

/** One text as pieces, cut after `limit` characters. */
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
    // What both sides share counts for both.
    all += added || removed ? length : 2 * length;
    if (added || removed) changed += length;
  }
  return all === 0 ? 0 : changed / all;
}

/**
 * An equal stretch without its middle, cut between words; behind the last difference its end is
 * left out too.
 */
function withGap(words: readonly string[], last: boolean): Piece[] {
  const lengths = words.map((word) => [...word].length);
  const start = fitting(lengths, CONTEXT);
  const end = words.length - (last ? 0 : fitting(lengths.toReversed(), CONTEXT));
  const left = lengths.slice(start, end).reduce((sum, length) => sum + length, 0);
  // A remark as long as the text that it replaces saves nothing.
  if (start >= end || left <= CONTEXT) return [{ kind: 'same', text: words.join('') }];
  const pieces: Piece[] = [
    { kind: 'same', text: words.slice(0, start).join('').trimEnd() },
    { kind: 'gap', text: `… ${left.toLocaleString('en-US')} equal characters …` },
    { kind: 'same', text: words.slice(end).join('').trimStart() },
  ];
  return pieces.filter(({ text }) => text !== '');
}

/** How many of the first items fit into `room` together. */
function fitting(lengths: readonly number[], room: number): number {
  let sum = 0;
  const over = lengths.findIndex((length) => (sum += length) > room);
  return over < 0 ? lengths.length : over;
}

/** Changed words that only blanks part are one changed stretch. */
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
