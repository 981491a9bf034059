import { answerParts, lastTurn } from '../../metrics/transcript.ts';
import { ownAnswer } from '../../types/answer.ts';
import type { Completion, Message } from '../../types/model.ts';

export function recordedAnswer(thread: readonly Message[]): {
  messages: Message[];
  completion: Completion;
} {
  const turn = lastTurn(thread);
  return {
    messages: thread.slice(0, thread.length - turn.length),
    completion:
      turn[0] === undefined || turn[0].role === 'user'
        ? { status: 'error', kind: 'reply', message: 'the conversation has no answer' }
        : { status: 'ok', ...ownAnswer(answerParts(turn)), reused: false },
  };
}
