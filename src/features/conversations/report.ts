import { stepTranscript } from '../../metrics/transcript.ts';
import {
  lineBreak,
  code,
  paragraph,
  strong,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { percent, twoDecimals, counted } from '../../text/amounts.ts';
import { DIALOGUE_ENDS } from '../../wording/dialogues.ts';
import { CONVERSATION_KEY, type ConversationResult, type ConversationTurn } from './result.ts';
import { conversations, evaluators } from './section.ts';

/** A longer reason is in the page. */
const ANALYSIS_CHARACTERS = 120;

export const conversationsReport: FeatureReport = {
  sections: { belowReferences: conversations, scoringChange: evaluators },
  ranked: ({ conversation }) =>
    !conversation
      ? []
      : [
          { name: 'Completed', value: percent(conversation.completed.head) },
          { name: 'Turns', value: twoDecimals(conversation.turns.head) },
        ],
  onTry({ conversation }) {
    if (!conversation) return null;
    const { turns } = conversation;
    return {
      length: dialogueLength(conversation),
      shortened: (characters) => transcriptLine(conversation, characters),
      whole: (characters) =>
        turns.flatMap((turn, index) => [...turnLine(turn, index, characters), lineBreak]),
      metric: CONVERSATION_KEY,
      why: (characters) => whyNot(turns.at(-1), Math.min(characters, ANALYSIS_CHARACTERS)),
      beside: ({ conversation: head }, characters) =>
        head ? dialogueBlocks(conversation, head, characters) : [],
    };
  },
};

/** In characters, for each turn. */
const SHORTEST = 60;

function transcriptLine({ outcome, turns }: ConversationResult, characters: number): Line {
  const each = Math.max(SHORTEST, Math.floor((2 * characters) / Math.max(1, turns.length)));
  const lines = turns.flatMap((turn, index): Line => [...turnLine(turn, index, each), lineBreak]);
  const why = outcome === 'complete' ? [] : whyNot(turns.at(-1), characters);
  return [
    ...lines,
    `After ${dialogueEnding({ outcome, turns })}`,
    ...(why.length === 0 ? [] : ['. ', ...why]),
  ];
}

interface TurnParts {
  question: boolean;
  /** Whether to name the criteria that are not met. */
  unmet: boolean;
}

function turnLine(
  turn: ConversationTurn,
  index: number,
  characters: number,
  shown: TurnParts = { question: true, unmet: true },
): Line {
  const asked: Line = [
    strong(`Question ${index + 1}`),
    turn.asked_by === null ? ': ' : ' (an evaluator asks): ',
    code(turn.question, characters),
    lineBreak,
  ];
  const unmet = Object.entries(turn.satisfied ?? {}).flatMap(([name, met]) => (met ? [] : [name]));
  return [
    ...(shown.question ? asked : []),
    ...stepTranscript(turn.steps ?? []).flatMap((line): Line => [
      code(line, characters),
      lineBreak,
    ]),
    strong(`Answer ${index + 1}`),
    ...(turn.answer === null ? [': none'] : [': ', code(turn.answer, characters)]),
    unmet.length === 0 || !shown.unmet ? '' : ` – not met: ${unmet.join(', ')}`,
  ];
}

function dialogueEnding({ outcome, turns }: Pick<ConversationResult, 'outcome' | 'turns'>): string {
  return `${counted(turns.length, 'turn')}: ${DIALOGUE_ENDS[outcome]}`;
}

function whyNot(turn: ConversationTurn | undefined, characters: number): Line {
  const first = turn?.verdicts.find(({ words }) =>
    Object.values(words).some((word) => word !== 'yes'),
  );
  return first === undefined || first.analysis === null
    ? []
    : [code(first.evaluator), ' says: ', code(first.analysis, characters)];
}

function dialogueLength({ turns }: ConversationResult): number {
  return turns.reduce(
    (sum, { question, answer, steps = [] }) =>
      sum + question.length + (answer?.length ?? 0) + stepTranscript(steps).join('').length,
    0,
  );
}

/** One question and two answers of the first row, and two answers of the second. */
const SHOWN_TEXTS = 5;

/** Shows the first turn that differs, and below it how each side ended. */
function dialogueBlocks(
  base: ConversationResult,
  head: ConversationResult,
  characters: number,
): Block[] {
  const first = partingTurn(base, head);
  const each = Math.max(SHORTEST, Math.floor(characters / SHOWN_TEXTS));
  const cell = ({ turns }: ConversationResult, index: number, question: boolean): Line => {
    const turn = index < first ? undefined : turns[index];
    return turn === undefined
      ? ['–']
      : turnLine(turn, index, each, { question, unmet: index === turns.length - 1 });
  };
  const isSameQuestion = base.turns[first]?.question === head.turns[first]?.question;
  const lastOf = ({ turns }: ConversationResult): number =>
    turns.length - 1 === first ? -1 : turns.length - 1;
  const ends = [lastOf(base), lastOf(head)] as const;
  return [
    ...(first === 0
      ? []
      : [
          paragraph([
            `After ${counted(first, 'equal turn')} that began with `,
            code(base.turns[0]?.question ?? '', each),
            ':',
          ]),
        ]),
    {
      kind: 'table',
      head: [
        ['Base', lineBreak, dialogueEnding(base)],
        ['Head', lineBreak, dialogueEnding(head)],
      ],
      rows: [
        [cell(base, first, true), cell(head, first, !isSameQuestion)],
        ...(Math.max(...ends) > first
          ? [[cell(base, ends[0], false), cell(head, ends[1], false)]]
          : []),
      ],
    },
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
