import { callsOf, isWithheld, ownAnswer, partsOf } from '../../types/answer.ts';
import type { Completion, ErrorKind, Message } from '../../types/model.ts';

export type OkCompletion = Extract<Completion, { status: 'ok' }>;

export interface RecordedDialogue {
  opening: Message[];
  turns: readonly { question: string; answer: string | null }[];
  answers: OkCompletion[];
  error: { kind: ErrorKind; message: string } | null;
}

/** A recorded thread as a dialogue. Messages after the last answer are left out. */
export function recordedDialogue(thread: readonly Message[]): RecordedDialogue {
  const first = thread.findIndex(({ role }) => role === 'user');
  const start = thread.findIndex(({ role }, index) => role === 'assistant' && index > first);
  const opening = start === -1 ? [...thread] : thread.slice(0, start);
  const turns: { question: string; answer: string }[] = [];
  const answers: OkCompletion[] = [];
  let question = opening.findLast(({ role }) => role === 'user')?.content ?? '';
  for (let at = opening.length; at < thread.length;) {
    const answer = consecutiveMessages(thread, at, true);
    const next = consecutiveMessages(thread, at + answer.length, false);
    const output = joinMessages(answer);
    turns.push({ question, answer: output });
    answers.push({
      status: 'ok',
      ...ownAnswer(partsOf(output)),
      reused: false,
    });
    question = joinMessages(next);
    at += answer.length + next.length;
  }
  return { opening, turns, answers, error: null };
}

function consecutiveMessages(
  thread: readonly Message[],
  from: number,
  answers: boolean,
): Message[] {
  const end = thread.findIndex(
    ({ role }, index) => index >= from && (role === 'assistant') !== answers,
  );
  return thread.slice(from, end === -1 ? undefined : end);
}

function joinMessages(messages: readonly Message[]): string {
  return messages.map(({ content }) => content).join('\n\n');
}

/** The messages before the last answer, and all answers merged into one completion for metrics. */
export function completionOf({ opening, turns, answers, error }: RecordedDialogue): {
  messages: Message[];
  completion: Completion;
} {
  const last = answers.at(-1);
  const answered = turns.slice(0, answers.length);
  const messages = [
    ...opening,
    ...answered.flatMap(({ question, answer }, index): Message[] => [
      ...(index === 0 ? [] : [{ role: 'user' as const, content: question }]),
      ...(index === answers.length - 1
        ? []
        : [
            {
              role: 'assistant' as const,
              content: answer ?? '',
              ...toolCallFields(answers[index]),
            },
          ]),
    ]),
  ];
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
      usage: usageOf(answers),
      latency_ms: latencyOf(answers),
      reused: answers.every(({ reused }) => reused),
    },
  };
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

function toolCallFields(answer: OkCompletion | undefined): Pick<Message, 'tool_calls'> {
  const calls = answer === undefined ? [] : callsOf(answer);
  return calls.length === 0 ? {} : { tool_calls: calls };
}

function usageOf(answers: readonly OkCompletion[]): OkCompletion['usage'] {
  const known = answers.flatMap(({ usage }) => usage ?? []);
  if (known.length < answers.length) return null;
  return known.reduce(
    (sum, completion) => ({
      input_tokens: sum.input_tokens + completion.input_tokens,
      output_tokens: sum.output_tokens + completion.output_tokens,
    }),
    { input_tokens: 0, output_tokens: 0 },
  );
}

function latencyOf(answers: readonly OkCompletion[]): number | null {
  return answers.reduce<number | null>(
    (sum, { latency_ms }) => (sum === null || latency_ms === null ? null : sum + latency_ms),
    0,
  );
}
