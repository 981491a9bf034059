import {
  completionOf,
  fromThread,
  type Dialogue,
} from '../../../../src/features/conversations/dialogue.ts';
import type { Usage } from '../../../../src/types/answer.ts';
import type { Message } from '../../../../src/types/model.ts';

const thread = (written: string): Message[] =>
  written.split(' ').map((part) => ({
    role: part.startsWith('a') ? 'assistant' : part.startsWith('s') ? 'system' : 'user',
    content: part,
  }));
const turnsOf = (written: string) => {
  const { opening, turns } = fromThread(thread(written));
  return {
    opening: opening.map(({ content }) => content).join(' '),
    turns: turns.map(({ result: { question, answer } }) => [question, answer]),
  };
};

const withAnswers = (dialogue: Dialogue, changes: (index: number) => object): Dialogue => ({
  ...dialogue,
  turns: dialogue.turns.map((turn, index) => ({
    ...turn,
    answers: turn.answers.map((answer) => ({ ...answer, ...changes(index) })),
  })),
});

describe('recorded thread', () => {
  test.each([
    ['u1 a1', 'u1', [['u1', 'a1']]],
    [
      's u1 a1 u2 a2',
      's u1',
      [
        ['u1', 'a1'],
        ['u2', 'a2'],
      ],
    ],
    [
      'u1 u2 a1 a2 u3 a3',
      'u1 u2',
      [
        ['u2', 'a2'],
        ['u3', 'a3'],
      ],
    ],
    ['a0 u1 a1', 'a0 u1', [['u1', 'a1']]],
    ['u1 a1 u2', 'u1', [['u1', 'a1']]],
    ['s a1', 's', [['', 'a1']]],
  ])('%s is split into an opening and turns', (written, opening, turns) => {
    expect(turnsOf(written)).toEqual({ opening, turns });
  });
});

describe('completion of a dialogue', () => {
  const recorded = fromThread(thread('s u1 a1 u2 a2 u3 a3'));
  const spent = (usage: (index: number) => Usage | null): Dialogue =>
    withAnswers(recorded, (index) => ({
      usage: usage(index),
      latency_ms: 10 * (index + 1),
      reused: index === 0,
    }));

  test('is the last answer, with all previous messages', () => {
    const { messages, completion } = completionOf(recorded);
    expect(messages.map(({ content }) => content)).toEqual(['s', 'u1', 'a1', 'u2', 'a2', 'u3']);
    expect(completion).toMatchObject({ status: 'ok', parts: [{ type: 'text', text: 'a3' }] });
  });

  test('sums latency and tokens if all are known', () => {
    const own = { input_tokens: 4, output_tokens: 1 };
    const partly = spent((index) => (index === 1 ? null : own));
    expect(completionOf(partly).completion).toMatchObject({
      usage: null,
      latency_ms: 60,
      reused: false,
    });
    expect(completionOf(spent(() => own)).completion).toMatchObject({
      usage: { input_tokens: 12, output_tokens: 3 },
    });
  });

  test('is the error that ended the dialogue', () => {
    expect(
      completionOf({
        ...recorded,
        error: { kind: 'reply', message: 'unreadable' },
      }).completion,
    ).toEqual({ status: 'error', kind: 'reply', message: 'unreadable' });
  });
});

describe('completion flags (such as stored or truncated) of a dialogue', () => {
  test.each([
    [{ ended: 'length' }, {}, { ended: 'length' }],
    [{ ended: 'refused' }, {}, { ended: 'refused' }],
    [{ ended: 'other', ended_as: 'novel' }, {}, { ended: 'other', ended_as: 'novel' }],
    [{}, { ended: 'tool_calls' }, { ended: 'tool_calls' }],
  ])('of two answers, %j and %j, are combined to %j', (first, second, expected) => {
    const dialogue = fromThread(thread('u1 a1 u2 a2'));
    const flagged = withAnswers(dialogue, (index) => (index === 0 ? first : second));
    expect(completionOf(flagged).completion).toMatchObject(expected);
  });

  test('say that it is stored if any answer is stored, and name the model of that answer', () => {
    const dialogue = fromThread(thread('u1 a1 u2 a2 u3 a3'));
    const served = (model: string) => ({ model, fingerprint: null, at: 0 });
    const kept = withAnswers(dialogue, (index) => ({
      served: served(index === 2 ? 'new' : 'old'),
      ...(index === 1 ? { stored: true } : {}),
    }));
    const { completion } = completionOf(kept);
    expect(completion).toMatchObject({ stored: true, served: { model: 'old' } });
    expect(completionOf(dialogue).completion).not.toHaveProperty('stored');
  });
});
