import { answerParts, turnText, callsAmong, isOfUser, turnsOf } from '../../metrics/transcript.ts';
import { callId, callsOf, isWithheld, ownAnswer, textOf, type Step } from '../../types/answer.ts';
import type {
  AssistantMessage,
  Completion,
  ErrorKind,
  Message,
  OkCompletion,
} from '../../types/model.ts';
import type { Script } from '../../types/script.ts';
import type { ConversationOutcome, ConversationTurn } from './result.ts';

export interface Dialogue {
  opening: Message[];
  turns: DialogueTurn[];
  outcome: ConversationOutcome;
  error: { kind: ErrorKind; message: string } | null;
  script?: Script | undefined;
}

/** What the assistant does between two messages of the user. */
export interface AssistantTurn {
  /** Its messages, and the results of its tool calls. */
  said: Message[];
  answers: OkCompletion[];
}

export interface DialogueTurn extends AssistantTurn {
  result: ConversationTurn;
}

export function fromThread(thread: readonly Message[], script?: Script): Dialogue {
  const first = thread.findIndex(isOfUser);
  const start = thread.findIndex(
    ({ role }, index) => index > first && (role === 'assistant' || role === 'tool'),
  );
  const opening = start === -1 ? [...thread] : thread.slice(0, start);
  const all = turnsOf(thread.slice(opening.length));
  const turns = all.flatMap((said, index): DialogueTurn[] => {
    if (said.every(isOfUser)) return [];
    const asked = all[index - 1]?.map(({ content }) => content).join('\n\n');
    const question = asked ?? opening.findLast(isOfUser)?.content ?? '';
    const answer = ownAnswer(answerParts(said));
    return [
      {
        said,
        answers: [{ status: 'ok', ...answer, reused: false }],
        result: { ...turnResult(said, { question, asked_by: null }), answer: textOf(answer) },
      },
    ];
  });
  return { opening, turns, outcome: 'no_follow_up', error: null, script };
}

/** The result of a turn that is not judged yet. */
export function turnResult(
  said: readonly Message[],
  asked: Pick<ConversationTurn, 'question' | 'asked_by'>,
): ConversationTurn {
  const steps = callsAmong(said).length > 0 ? turnSteps(said) : [];
  return {
    ...asked,
    answer: said.length === 0 ? null : turnText(said),
    ...(steps.length !== 0 && { steps }),
    verdicts: [],
    satisfied: null,
  };
}

function turnSteps(said: readonly Message[]): Step[] {
  const text = turnText(said);
  const answer = said.findLast(({ role, content }) => role !== 'tool' && content === text);
  const results = said.filter(({ role }) => role === 'tool');
  const takeResult = (id: string | undefined) => {
    const at = results.findIndex((each) => each.role === 'tool' && each.id === id);
    return at < 0 ? undefined : results.splice(at, 1)[0];
  };
  return said.flatMap((message): Step[] => {
    const { content, tool_calls: calls = [] } = message;
    if (message.role === 'tool') return [];
    return [
      ...(message === answer || content.trim() === ''
        ? []
        : [{ type: 'message' as const, role: 'assistant' as const, text: content }]),
      ...calls.map(({ id, name, arguments: given }): Step => {
        const result = takeResult(id)?.content ?? null;
        return { type: 'tool_call', name, arguments: given, result };
      }),
    ];
  });
}

/**
 * Numbers the calls that need a result. Those among the steps have one: the vendor or program ran
 * the tool.
 */
export function assistantMessage(
  completion: OkCompletion,
  before: readonly Message[],
  answersCalls: boolean,
): AssistantMessage {
  const earlier = callsAmong(before).length;
  const { opaque, steps } = completion;
  const calls = callsOf(completion).map((call, at) =>
    !answersCalls || steps.some((step) => step.type === 'tool_call' && step.name === call.name)
      ? call
      : { id: callId(earlier + at + 1), ...call },
  );
  return {
    role: 'assistant',
    content: textOf(completion),
    ...(calls.length !== 0 && { tool_calls: calls }),
    ...(opaque && { opaque }),
  };
}

export function wholeThread({ opening, turns }: Pick<Dialogue, 'opening' | 'turns'>): Message[] {
  return [
    ...opening,
    ...turns.flatMap(({ result, said }, index) => [
      ...(index === 0 ? [] : [questionMessage(result)]),
      ...said,
    ]),
  ];
}

export function questionMessage({
  question,
  asked_by: asker,
}: Pick<ConversationTurn, 'question' | 'asked_by'>): Message {
  return { role: 'user', content: question, by: asker === null ? 'reference' : 'evaluator' };
}

/** Merges all answers into one completion, which metrics score. */
export function completionOf({ opening, turns, error }: Dialogue): {
  messages: Message[];
  completion: Completion;
} {
  const turn = turns.at(-1);
  const answers = turns.flatMap((each) => each.answers);
  const last = answers.at(-1);
  const stored = answers.find((answer) => answer.stored === true);
  const thread = wholeThread({ opening, turns });
  const messages = thread.slice(0, thread.length - (turn?.said.length ?? 0));
  if (error !== null || turn === undefined || last === undefined)
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
      parts: mergedParts(turn, last),
      ...endOf(answers, last),
      ...(stored !== undefined && { stored: true as const, served: stored.served }),
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

function mergedParts({ answers, said }: AssistantTurn, last: OkCompletion): OkCompletion['parts'] {
  const text = turnText(said);
  const spoken = answers.findLast((answer) => textOf(answer) === text) ?? last;
  const isCall = ({ type }: OkCompletion['parts'][number]) => type === 'tool_call';
  return [
    ...spoken.parts.filter((part) => !isCall(part)),
    ...answers.flatMap(({ parts }) => parts.filter(isCall)),
  ];
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
  return { ended, ...(ended_as !== undefined && { ended_as }) };
}
