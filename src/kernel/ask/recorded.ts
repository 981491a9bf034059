import { ownAnswer, partsOf } from '../../types/answer.ts';
import type { Completion, Message } from '../../types/model.ts';

interface RecordedTurn {
  question: string;
  answer: string;
}

export function recordedDialogue(thread: readonly Message[]): {
  opening: Message[];
  turns: RecordedTurn[];
} {
  const first = thread.findIndex(({ role }) => role === 'user');
  const start = thread.findIndex(({ role }, index) => role === 'assistant' && index > first);
  const opening = start === -1 ? [...thread] : thread.slice(0, start);
  const turns: RecordedTurn[] = [];
  let question = opening.findLast(({ role }) => role === 'user')?.content ?? '';
  let last: RecordedTurn | null = null;
  for (const { role, content } of thread.slice(opening.length)) {
    if (role !== 'assistant') {
      question = last === null ? `${question}\n\n${content}` : content;
      last = null;
    } else if (last !== null) last.answer += `\n\n${content}`;
    else {
      last = { question, answer: content };
      turns.push(last);
    }
  }
  return { opening, turns };
}

/** `callsIn` returns the tool calls of a turn. */
export function messagesBefore(
  opening: readonly Message[],
  turns: readonly { question: string; answer: string | null }[],
  callsIn: (turn: number) => Pick<Message, 'tool_calls'> = () => ({}),
): Message[] {
  return [
    ...opening,
    ...turns.flatMap(({ question, answer }, index): Message[] => [
      ...(index === 0 ? [] : [{ role: 'user' as const, content: question }]),
      ...(index === turns.length - 1
        ? []
        : [{ role: 'assistant' as const, content: answer ?? '', ...callsIn(index) }]),
    ]),
  ];
}

export function recordedAnswer(thread: readonly Message[]): {
  messages: Message[];
  completion: Completion;
} {
  const { opening, turns } = recordedDialogue(thread);
  const last = turns.at(-1);
  return {
    messages: messagesBefore(opening, turns),
    completion:
      last === undefined
        ? { status: 'error', kind: 'reply', message: 'the conversation has no answer' }
        : { status: 'ok', ...ownAnswer(partsOf(last.answer)), reused: false },
  };
}
