import type { ConversationResult, ConversationTurn } from '../../result/conversations.ts';
import { counted } from '../../text/amounts.ts';
import { lineBreak, paragraph, text, type Block, type Line } from './document.ts';
import { endedLine, turnLine } from './order.ts';

/** Turns shown side by side; the rest is counted. */
const SHOWN_TURNS = 6;

/** A text of a turn is not cut shorter than this, in characters. */
const SHORTEST = 60;

/**
 * Two dialogues side by side, from the first turn at which they part; how each ended stands in the
 * first row. Equal turns before are counted.
 */
export function dialogueBlocks(
  base: ConversationResult,
  head: ConversationResult,
  characters: number,
): Block[] {
  const length = Math.max(base.turns.length, head.turns.length);
  const first = firstParted(base, head);
  const shown = Array.from(
    { length: Math.min(SHOWN_TURNS, length - first) },
    (_, at) => first + at,
  );
  const each = Math.max(SHORTEST, Math.floor(characters / Math.max(1, shown.length)));
  const cell = ({ turns }: ConversationResult, index: number): Line => {
    const turn = turns[index];
    return turn === undefined ? [text('–')] : turnLine(turn, index, each);
  };
  const left = length - first - shown.length;
  return [
    ...(first === 0 ? [] : [paragraph([text(`After ${counted(first, 'equal turn')}:`)])]),
    {
      kind: 'table',
      head: [
        [text('Base'), lineBreak, ...endedLine(base)],
        [text('Head'), lineBreak, ...endedLine(head)],
      ],
      rows: shown.map((index) => [cell(base, index), cell(head, index)]),
    },
    ...(left === 0 ? [] : [paragraph([text(`and ${counted(left, 'more turn')}.`)])]),
  ];
}

/** The first turn with another question or answer; the last one where all are equal. */
function firstParted(base: ConversationResult, head: ConversationResult): number {
  const length = Math.max(base.turns.length, head.turns.length);
  for (let at = 0; at < length; at += 1) if (!sameTurn(base.turns[at], head.turns[at])) return at;
  return Math.max(0, length - 1);
}

function sameTurn(a: ConversationTurn | undefined, b: ConversationTurn | undefined): boolean {
  return a?.question === b?.question && a?.answer === b?.answer;
}
