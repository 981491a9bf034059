import { CONVERSATION_SCORE } from '../../kernel/suite/metrics.ts';
import type { Score } from '../../types/metric.ts';
import type { Completion, Message } from '../../types/model.ts';
import type { Steering } from './conversation-rules.ts';
import { turnsTo, type Dialogue } from './conversation.ts';
import type { ConversationResult } from './result.ts';

type Answer = Extract<Completion, { status: 'ok' }>;

/** A recorded thread as an unjudged dialogue. Messages after the last answer are left out. */
export function recordedDialogue(thread: readonly Message[]): Dialogue {
  const first = thread.findIndex(({ role }) => role === 'user');
  const start = thread.findIndex(({ role }, index) => role === 'assistant' && index > first);
  const opening = start === -1 ? [...thread] : thread.slice(0, start);
  const dialogue: Dialogue = {
    outcome: 'no_follow_up',
    opening,
    turns: [],
    answers: [],
    error: null,
  };
  let question = opening.findLast(({ role }) => role === 'user')?.content ?? '';
  for (let at = opening.length; at < thread.length;) {
    const answer = run(thread, at, true);
    const next = run(thread, at + answer.length, false);
    const output = joinMessages(answer);
    dialogue.turns.push({
      question,
      asked_by: null,
      answer: output,
      verdicts: [],
      satisfied: null,
    });
    dialogue.answers.push({
      status: 'ok',
      output,
      finish_reason: 'stop',
      tool_calls: [],
      usage: null,
      latency_ms: 0,
      reused: false,
    });
    question = joinMessages(next);
    at += answer.length + next.length;
  }
  return dialogue;
}

/** Merges consecutive messages of one side. */
function run(thread: readonly Message[], from: number, answers: boolean): Message[] {
  const end = thread.findIndex(
    ({ role }, index) => index >= from && (role === 'assistant') !== answers,
  );
  return thread.slice(from, end === -1 ? undefined : end);
}

function joinMessages(messages: readonly Message[]): string {
  return messages.map(({ content }) => content).join('\n\n');
}

/** The messages before the last answer, and all answers merged into one completion for metrics. */
export function completionOf({ opening, turns, answers, error }: Dialogue): {
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
        : [{ role: 'assistant' as const, content: answer ?? '', ...callsOf(answers[index]) }]),
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

/** How the answers ended: one that was truncated, filtered or otherwise ended decides for all. */
function endOf(answers: readonly Answer[], last: Answer): Pick<Answer, 'finish_reason' | 'ended'> {
  const short = answers.findLast(
    ({ finish_reason: end, ended }) => end === 'length' || end === 'filter' || ended !== undefined,
  );
  const { finish_reason, ended } = short ?? last;
  return { finish_reason, ...(ended === undefined ? {} : { ended }) };
}

function callsOf(answer: Answer | undefined): Pick<Message, 'tool_calls'> {
  const calls = answer?.tool_calls ?? [];
  return calls.length === 0 ? {} : { tool_calls: calls };
}

/** Tokens of all answers; unknown if one is. */
function usageOf(answers: readonly Answer[]): Answer['usage'] {
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

/** Time of all answers; unknown if one is. */
function latencyOf(answers: readonly Answer[]): number | null {
  return answers.reduce<number | null>(
    (sum, { latency_ms }) => (sum === null || latency_ms === null ? null : sum + latency_ms),
    0,
  );
}

export function conversationResult(
  { outcome, turns }: Dialogue,
  { conversation }: Steering,
): ConversationResult {
  return { outcome, turns, turns_to: turnsTo(conversation.criteria, turns) };
}

/** The outcome as a score whose value is the number of turns; errors have none. */
export function conversationScore({ outcome, turns }: Dialogue): Score[] {
  if (outcome === 'evaluator_error' || outcome === 'model_error') return [];
  const value = turns.length;
  if (outcome === 'complete')
    return [{ metric: CONVERSATION_SCORE, status: 'pass', value, reason: null, skip: false }];
  const unmet = Object.entries(turns.at(-1)?.satisfied ?? {})
    .filter(([, met]) => !met)
    .map(([name]) => name)
    .join(', ');
  const ending = outcome === 'max_steps' ? 'the steps ran out' : 'no further question was asked';
  return [
    {
      metric: CONVERSATION_SCORE,
      status: 'fail',
      value,
      reason: `${outcome}: ${ending}; not met: ${unmet}`,
      skip: false,
    },
  ];
}
