import { messagesBefore, recordedDialogue } from '../../kernel/ask/recorded.ts';
import { callsOf, isWithheld, ownAnswer, partsOf } from '../../types/answer.ts';
import type { Completion, ErrorKind, Message, OkCompletion } from '../../types/model.ts';
import type { Script } from '../../types/script.ts';
import type { ConversationOutcome, ConversationTurn } from './result.ts';

export interface Dialogue {
  opening: Message[];
  turns: ConversationTurn[];
  answers: OkCompletion[];
  outcome: ConversationOutcome;
  error: { kind: ErrorKind; message: string } | null;
  script?: Script | undefined;
}

export function fromThread(thread: readonly Message[], script?: Script): Dialogue {
  const { opening, turns } = recordedDialogue(thread);
  return {
    opening,
    turns: turns.map((turn) => ({ ...turn, asked_by: null, verdicts: [], satisfied: null })),
    answers: turns.map(({ answer }) => ({
      status: 'ok',
      ...ownAnswer(partsOf(answer)),
      reused: false,
    })),
    outcome: 'no_follow_up',
    error: null,
    script,
  };
}

/** Merges all answers into one completion, which metrics score. */
export function completionOf({
  opening,
  turns,
  answers,
  error,
}: Pick<Dialogue, 'opening' | 'answers' | 'error'> & {
  turns: readonly Pick<ConversationTurn, 'question' | 'answer'>[];
}): {
  messages: Message[];
  completion: Completion;
} {
  const last = answers.at(-1);
  const messages = messagesBefore(opening, turns.slice(0, answers.length), (turn) =>
    toolCallFields(answers[turn]),
  );
  if (error !== null || last === undefined)
    return {
      messages,
      completion: {
        status: 'error',
        kind: error?.kind ?? 'reply',
        message: error?.message ?? 'the conversation has no answer',
      },
    };
  return {
    messages,
    completion: {
      ...last,
      ...endOf(answers, last),
      ...storedOf(answers),
      usage: sumOrNull(
        answers.map(({ usage }) => usage),
        (sum, usage) => ({
          input_tokens: sum.input_tokens + usage.input_tokens,
          output_tokens: sum.output_tokens + usage.output_tokens,
        }),
      ),
      latency_ms: sumOrNull(
        answers.map((answer) => answer.latency_ms),
        (sum, own) => sum + own,
      ),
      reused: answers.every(({ reused }) => reused),
    },
  };
}

function sumOrNull<T>(values: readonly (T | null)[], add: (sum: T, value: T) => T): T | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : add(sum, value)));
}

function endOf(
  answers: readonly OkCompletion[],
  last: OkCompletion,
): Pick<OkCompletion, 'ended' | 'ended_as'> {
  const short = answers.findLast(
    (answer) => answer.ended === 'length' || isWithheld(answer) || answer.ended_as !== undefined,
  );
  const { ended, ended_as } = short ?? last;
  return { ended, ...(ended_as === undefined ? {} : { ended_as }) };
}

function storedOf(
  answers: readonly OkCompletion[],
): Partial<Pick<OkCompletion, 'stored' | 'served'>> {
  const first = answers.find(({ stored }) => stored === true);
  return first === undefined ? {} : { stored: true, served: first.served };
}

function toolCallFields(answer: OkCompletion | undefined): Pick<Message, 'tool_calls'> {
  const calls = answer === undefined ? [] : callsOf(answer);
  return calls.length === 0 ? {} : { tool_calls: calls };
}
