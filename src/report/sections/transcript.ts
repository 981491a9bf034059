import type {
  ConversationOutcome,
  ConversationResult,
  ConversationTurn,
  TryResult,
} from '../../types.ts';
import { code, lineBreak, strong, text, type Line } from './document.ts';

export const OUTCOME_WORDS: Readonly<Record<ConversationOutcome, string>> = {
  complete: 'complete',
  max_steps: 'the steps ran out',
  no_follow_up: 'ended without a further question',
  evaluator_error: 'an evaluator gave no verdict',
  model_error: 'the model gave no answer',
};

/** A text of a transcript is not cut shorter than this, in characters. */
const SHORTEST = 60;

/**
 * A dialogue turn by turn, with what was met after each answer, and why the last one did not
 * satisfy.
 */
export function transcriptLine({ outcome, turns }: ConversationResult, characters: number): Line {
  // Questions and answers of all turns share the room.
  const each = Math.max(SHORTEST, Math.floor((2 * characters) / Math.max(1, turns.length)));
  const lines = turns.flatMap((turn, index): Line => [
    strong(`Question ${String(index + 1)}`),
    text(askedBy(turn)),
    code(turn.question, each),
    lineBreak,
    strong(`Answer ${String(index + 1)}`),
    ...(turn.answer === null ? [text(': none')] : [text(': '), code(turn.answer, each)]),
    ...metLine(turn),
    lineBreak,
  ]);
  return [
    ...lines,
    text(
      `After ${turns.length === 1 ? '1 turn' : `${String(turns.length)} turns`}: ${OUTCOME_WORDS[outcome]}`,
    ),
    ...(outcome === 'complete' ? [] : whyNot(turns.at(-1), characters)),
  ];
}

function askedBy({ asked_by: name }: ConversationTurn): string {
  return name === null ? ': ' : ' (an evaluator asks): ';
}

function metLine({ satisfied }: ConversationTurn): Line {
  if (satisfied === null) return [];
  const unmet = Object.entries(satisfied)
    .filter(([, met]) => !met)
    .map(([name]) => name);
  return [text(unmet.length === 0 ? ' – all criteria met' : ` – not met: ${unmet.join(', ')}`)];
}

/** What the first evaluator that is not satisfied says about the last answer. */
function whyNot(turn: ConversationTurn | undefined, characters: number): Line {
  const first = turn?.verdicts.find(({ words }) =>
    Object.values(words).some((word) => word !== 'yes'),
  );
  return first === undefined || first.analysis === null
    ? []
    : [text('. '), code(first.evaluator), text(' says: '), code(first.analysis, characters)];
}

/** How much there is to read, in UTF-16 units: a shorter transcript convinces sooner. */
export function readingLength({ actual, conversation }: TryResult): number {
  if (!conversation) return actual?.length ?? 0;
  return conversation.turns.reduce(
    (sum, { question, answer }) => sum + question.length + (answer?.length ?? 0),
    0,
  );
}
