import { stepTranscript } from '../../metrics/transcript.ts';
import {
  code,
  lineBreak,
  paragraph,
  strong,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { counted } from '../../text/amounts.ts';
import { DIALOGUE_ENDS } from '../../wording/dialogues.ts';
import type { ConversationResult, ConversationTurn } from './result.ts';

/** In characters, for each turn. */
const SHORTEST = 60;

export function transcriptLine({ outcome, turns }: ConversationResult, characters: number): Line {
  const each = Math.max(SHORTEST, Math.floor((2 * characters) / Math.max(1, turns.length)));
  const lines = turns.flatMap((turn, index): Line => [...turnLine(turn, index, each), lineBreak]);
  const why = outcome === 'complete' ? [] : whyNot(turns.at(-1), characters);
  return [
    ...lines,
    ...endedLine({ outcome, turns }),
    ...(why.length === 0 ? [] : [text('. '), ...why]),
  ];
}

/** `other`: the same turn of the other side, whose question is shown beside this turn. */
export function turnLine(
  turn: ConversationTurn,
  index: number,
  characters: number,
  other?: ConversationTurn,
): Line {
  const asked: Line = [
    strong(`Question ${String(index + 1)}`),
    text(turn.asked_by === null ? ': ' : ' (an evaluator asks): '),
    code(turn.question, characters),
    lineBreak,
  ];
  const unmet = Object.entries(turn.satisfied ?? {}).flatMap(([name, met]) => (met ? [] : [name]));
  const isShown = other !== undefined && other.question === turn.question;
  return [
    ...(isShown ? [] : asked),
    ...stepTranscript(turn.steps ?? []).flatMap((line): Line => [
      code(line, characters),
      lineBreak,
    ]),
    strong(`Answer ${String(index + 1)}`),
    ...(turn.answer === null ? [text(': none')] : [text(': '), code(turn.answer, characters)]),
    ...(unmet.length === 0 ? [] : [text(` – not met: ${unmet.join(', ')}`)]),
  ];
}

function endedLine({ outcome, turns }: Pick<ConversationResult, 'outcome' | 'turns'>): Line {
  return [text(`After ${counted(turns.length, 'turn')}: ${DIALOGUE_ENDS[outcome]}`)];
}

export function whyNot(turn: ConversationTurn | undefined, characters: number): Line {
  const first = turn?.verdicts.find(({ words }) =>
    Object.values(words).some((word) => word !== 'yes'),
  );
  return first === undefined || first.analysis === null
    ? []
    : [code(first.evaluator), text(' says: '), code(first.analysis, characters)];
}

export function dialogueLength({ turns }: ConversationResult): number {
  return turns.reduce(
    (sum, { question, answer, steps = [] }) =>
      sum + question.length + (answer?.length ?? 0) + stepTranscript(steps).join('').length,
    0,
  );
}

const SHOWN_TURNS = 6;

export function dialogueBlocks(
  base: ConversationResult,
  head: ConversationResult,
  characters: number,
): Block[] {
  const length = Math.max(base.turns.length, head.turns.length);
  const first = partingTurn(base, head);
  const shown = Array.from(
    { length: Math.min(SHOWN_TURNS, length - first) },
    (_, at) => first + at,
  );
  const each = Math.max(SHORTEST, Math.floor(characters / Math.max(1, shown.length)));
  const rows = shown.map((index): Line[] => {
    const [own, other] = [base.turns[index], head.turns[index]];
    const before = own === undefined ? [text('–')] : turnLine(own, index, each);
    if (other === undefined) return [before, [text('–')]];
    const isEqual = sameTurn(own, other);
    return [before, isEqual ? [text('the same')] : turnLine(other, index, each, own)];
  });
  const left = length - first - shown.length;
  return [
    ...(first === 0 ? [] : [paragraph([text(`After ${counted(first, 'equal turn')}:`)])]),
    {
      kind: 'table',
      head: [
        [text('Base'), lineBreak, ...endedLine(base)],
        [text('Head'), lineBreak, ...endedLine(head)],
      ],
      rows,
    },
    ...(left === 0 ? [] : [paragraph([text(`and ${counted(left, 'more turn')}.`)])]),
  ];
}

function partingTurn(base: ConversationResult, head: ConversationResult): number {
  const length = Math.max(base.turns.length, head.turns.length);
  for (let at = 0; at < length; at += 1) if (!sameTurn(base.turns[at], head.turns[at])) return at;
  return Math.max(0, length - 1);
}

function sameTurn(a: ConversationTurn | undefined, b: ConversationTurn | undefined): boolean {
  const steps = (turn: ConversationTurn | undefined) => JSON.stringify(turn?.steps ?? []);
  return a?.question === b?.question && a?.answer === b?.answer && steps(a) === steps(b);
}
