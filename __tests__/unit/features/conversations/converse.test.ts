import type { Conversation } from '../../../../src/features/conversations/conversation-rules.ts';
import {
  judgeAgain,
  leadConversation,
  type ModelCalls,
} from '../../../../src/features/conversations/conversation.ts';
import type { Message } from '../../../../src/types/model.ts';
import {
  answerer,
  answersShown,
  conversation,
  random,
  scripted,
  steering,
  verdict,
} from './dialogues.ts';

const opening: Message[] = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: 'How do I sort a list?' },
];
const target = { provider: 'openai' as const, endpoint: null, model: 'assistant' };

const asked = (ask: ModelCalls['ask']): ModelCalls => ({
  ask,
  evaluate: () => Promise.resolve([]),
});

/** Runs a dialogue; `judge` returns an evaluator's reply after `turn` answers. */
async function talk(
  judge: (turn: number, model: string) => string,
  changes: Parameters<typeof steering>[0] = {},
  say = (turn: number) => `Answer ${turn}`,
) {
  const model = scripted((request) =>
    request.purpose === 'evaluator'
      ? judge(answersShown(request), request.target.model)
      : say(Math.ceil(request.messages.length / 2)),
  );
  const ask = asked((messages) =>
    model.complete({ target, parameters: {}, messages, try: 4, schema: null, purpose: 'prompt' }),
  );
  const led = steering(changes);
  const dialogue = await leadConversation(opening, led, 4, ask, {
    complete: model.complete,
    random,
  });
  return { dialogue, ...model };
}

describe('dialogue', () => {
  test('ends with the outcome complete as soon as all criteria are satisfied', async () => {
    const { dialogue, by } = await talk((turn) =>
      verdict(turn < 2 ? 'yyn' : 'yyy', 'And in reverse?'),
    );
    expect(dialogue.outcome).toBe('complete');
    expect(dialogue.turns.map(({ result }) => result)).toEqual([
      {
        question: 'How do I sort a list?',
        asked_by: null,
        answer: 'Answer 1',
        satisfied: { understanding: true, correctness: true, completeness: false },
        verdicts: [
          {
            evaluator: 'judge',
            words: { understanding: 'yes', correctness: 'yes', completeness: 'no' },
            analysis: 'Because.',
            follow_up: 'And in reverse?',
          },
        ],
      },
      {
        question: 'And in reverse?',
        asked_by: 'judge',
        answer: 'Answer 2',
        satisfied: { understanding: true, correctness: true, completeness: true },
        verdicts: [
          expect.objectContaining({
            words: { understanding: 'yes', correctness: 'yes', completeness: 'yes' },
          }),
        ],
      },
    ]);
    expect(by('prompt').map(({ messages }) => messages)).toEqual([
      opening,
      [
        ...opening,
        { role: 'assistant', content: 'Answer 1' },
        { role: 'user', content: 'And in reverse?', by: 'evaluator' },
      ],
    ]);
  });

  test('ignores a follow-up question once all criteria are satisfied', async () => {
    const { dialogue, by } = await talk(() => verdict('yyy', 'One more thing?'));
    expect(dialogue).toMatchObject({
      outcome: 'complete',
      turns: [{ result: { asked_by: null } }],
    });
    expect(by('prompt')).toHaveLength(1);
  });

  test('ends with the outcome max_steps after the last step, without another question', async () => {
    const { dialogue, by } = await talk((turn) => verdict('nnn', `Question ${turn + 1}`), {
      max_steps: 3,
    });
    expect(dialogue.outcome).toBe('max_steps');
    expect(dialogue.turns.map(({ result: { question } }) => question)).toEqual([
      'How do I sort a list?',
      'Question 2',
      'Question 3',
    ]);
    expect([by('prompt').length, by('evaluator').length]).toEqual([3, 3]);
  });

  test('ends with the outcome no_follow_up if no evaluator wrote a question', async () => {
    expect((await talk(() => verdict('yny'))).dialogue).toMatchObject({
      outcome: 'no_follow_up',
      turns: [{ result: { answer: 'Answer 1' } }],
      error: null,
    });
  });

  test('ends with the outcome model_error if the answer fails, without calling an evaluator', async () => {
    const { dialogue, by } = await talk(
      () => verdict('nnn', 'Go on'),
      {},
      (turn) => {
        if (turn === 2) throw 'no reply after 120 s';
        return 'Answer';
      },
    );
    expect(dialogue).toMatchObject({
      outcome: 'model_error',
      error: { kind: 'timeout', message: 'no reply after 120 s' },
      turns: [{ answers: [{ parts: [{ type: 'text', text: 'Answer' }] }] }, { answers: [] }],
    });
    expect(dialogue.turns.at(-1)?.result).toEqual({
      question: 'Go on',
      asked_by: 'judge',
      answer: null,
      verdicts: [],
      satisfied: null,
    });
    expect(by('evaluator')).toHaveLength(1);
  });

  test('ends with the outcome evaluator_error after one retry', async () => {
    const { dialogue, by } = await talk(() => 'As an AI I would rather not say.');
    expect(dialogue).toMatchObject({
      outcome: 'evaluator_error',
      error: {
        message:
          'the evaluator judge gave no readable verdict on understanding, correctness, completeness: "As an AI I would rather not say."',
      },
      turns: [{ result: { answer: 'Answer 1', verdicts: [], satisfied: null } }],
    });
    expect(by('evaluator')).toHaveLength(2);
    expect(by('evaluator')[1]?.messages.at(-1)?.content).toContain(
      'could not be read: it gave no single word for understanding, correctness, completeness',
    );
    // The first reply stays cached; the second question is asked again in the next run.
    expect(by('evaluator')[0]?.usable).toBeUndefined();
    expect(
      ['No word.', verdict('yyn')].map((output) => by('evaluator')[1]?.usable?.(output)),
    ).toEqual([false, true]);
  });

  test('ends with the outcome evaluator_error if one of several evaluators fails, and keeps the other verdicts', async () => {
    const { dialogue } = await talk(
      (_, model) => {
        if (model === 'b') throw 'rate limit';
        return verdict('yyy');
      },
      { models: ['a', 'b'] },
    );
    expect(dialogue).toMatchObject({
      outcome: 'evaluator_error',
      error: { message: 'the evaluator b failed: rate limit' },
      turns: [{ result: { verdicts: [{ evaluator: 'a' }], satisfied: null } }],
    });
  });

  test('continues after a retry if the first verdict was incomplete', async () => {
    let asked = 0;
    const { dialogue } = await talk(() =>
      asked++ === 0 ? '### Understanding\nyes' : verdict('yyy'),
    );
    expect([dialogue.outcome, asked]).toEqual(['complete', 2]);
  });

  test('does not retry if a verdict is unknown', async () => {
    const { by } = await talk(() => verdict('yuy'));
    expect(by('evaluator')).toHaveLength(1);
  });

  test('follows the first unsatisfied evaluator and combines verdicts by the rules', async () => {
    const { dialogue } = await talk(
      (turn, model) =>
        turn === 1
          ? verdict(model === 'a' ? 'yyy' : 'ynn', `${model} asks`)
          : verdict(model === 'a' ? 'yyn' : 'yyy'),
      { models: ['a', 'b', 'c'] },
    );
    expect(
      dialogue.turns.map(({ result: { asked_by, question } }) => [asked_by, question]),
    ).toEqual([
      [null, 'How do I sort a list?'],
      ['b', 'b asks'],
    ]);
    expect(dialogue.turns.map(({ result: { satisfied } }) => satisfied)).toEqual([
      { understanding: true, correctness: false, completeness: true },
      { understanding: true, correctness: true, completeness: true },
    ]);
    expect(dialogue.outcome).toBe('complete');
  });

  test("calls every evaluator with the try's index, structured output and its own model", async () => {
    const { by } = await talk(() => verdict('yyy'), { models: ['a', 'b'] });
    expect(
      by('evaluator').map(({ target: { model }, try: index, schema }) => [
        model,
        index,
        schema?.name,
      ]),
    ).toEqual([
      ['a', 4, 'evaluation'],
      ['b', 4, 'evaluation'],
    ]);
    expect(by('evaluator')[0]?.schema?.json).toMatchObject({
      required: ['analysis', 'understanding', 'correctness', 'completeness', 'follow_up'],
      additionalProperties: false,
    });
  });

  test('sends different requests to two evaluators with the same model', async () => {
    const { by, dialogue } = await talk(() => verdict('yyy'), { models: ['a', 'a'] });
    const [first, second] = by('evaluator').map(({ messages }) => JSON.stringify(messages));
    expect(first).not.toBe(second);
    expect(dialogue.turns[0]?.result.verdicts.map(({ evaluator }) => evaluator)).toEqual([
      'a',
      'a (2)',
    ]);
  });

  describe('with a script', () => {
    const say = (word: string, names?: string[]) => {
      const model = scripted((request) =>
        request.purpose === 'evaluator' ? verdict(word, 'Not asked', 'So.', names) : 'Answer',
      );
      const ask = asked((messages) =>
        model.complete({
          target,
          parameters: {},
          messages,
          try: 0,
          schema: null,
          purpose: 'prompt',
        }),
      );
      return { ...model, ask, tools: { complete: model.complete, random } };
    };
    const turns = [{ user: 'One' }, { user: 'Two', expected: 'x' }];
    const script = { turns, persona: 'a nurse', criteria: { kind: 'no blame' } };

    test.each(['yyyn', 'nnnn'])(
      "asks the script's questions instead of the evaluators' follow-ups: %s",
      async (word) => {
        const names = ['understanding', 'correctness', 'completeness', 'kind'];
        const { ask, tools } = say(word, names);
        const dialogue = await leadConversation(opening, steering(), 0, ask, tools, script);
        expect(
          dialogue.turns.map(({ result: { question, asked_by } }) => [question, asked_by]),
        ).toEqual([
          ['One', null],
          ['Two', null],
        ]);
        expect(dialogue.outcome).toBe('no_follow_up');
        expect(dialogue.turns[1]?.result.satisfied).toMatchObject({ kind: false });
      },
    );

    test("is complete only after the script's last turn", async () => {
      const { ask, tools } = say('yyy');
      const dialogue = await leadConversation(opening, steering(), 0, ask, tools, { turns });
      expect([dialogue.outcome, dialogue.turns.length]).toEqual(['complete', 2]);
      const again = await judgeAgain(dialogue, steering(), 0, tools);
      expect([again.outcome, again.turns.length]).toEqual(['complete', 2]);
    });

    test("tells the evaluators the script's persona if the instructions do not mention it", async () => {
      const { ask, tools, by } = say('yyy');
      await leadConversation(opening, steering({ instructions: 'Judge.' }), 0, ask, tools, script);
      const [asked] = by('evaluator');
      expect(asked?.messages[0]?.content).toMatch(/^Judge\.\nThe person who asks: a nurse\n/);
      expect(asked?.messages[1]?.content).toContain('- kind: no blame\n');
    });
  });

  test('is an error without an evaluator model', async () => {
    const { complete } = scripted(() => 'Answer');
    const led = { ...steering(), evaluators: [] };
    const dialogue = await leadConversation(
      opening,
      led,
      0,
      asked((messages) =>
        complete({ target, parameters: {}, messages, try: 0, schema: null, purpose: 'prompt' }),
      ),
      { complete, random },
    );
    expect(dialogue.outcome).toBe('evaluator_error');
  });
});

describe('the highest number of calls of a dialogue', () => {
  test.each<[Conversation['tool_results'], number]>([
    [null, 3 * (1 + 2)],
    ['end', 3 * (1 + 2)],
    [{ stock: { text: '41', place: { file: 't.yaml', line: 1 } } }, 3 * (10 + 2)],
  ])('counts the calls of each turn: %j', (tool_results, most) => {
    expect(answerer(conversation({ models: ['a', 'b'], tool_results })).mostCalls).toBe(most);
  });
});

describe('re-judging a dialogue', () => {
  const again = async (
    recorded: string[],
    judge: (turn: number) => string,
    changes: Parameters<typeof steering>[0] = {},
  ) => {
    const { dialogue } = await talk((turn) => recorded[turn - 1] ?? verdict('nnn', 'More?'), {
      max_steps: 3,
    });
    const model = scripted((request) => judge(answersShown(request)));
    return {
      before: dialogue,
      dialogue: await judgeAgain(dialogue, steering(changes), 4, {
        complete: model.complete,
        random,
      }),
      ...model,
    };
  };
  const long = [verdict('nnn', 'B?'), verdict('nnn', 'C?'), verdict('yyy')];

  test('requests no new answers and stops at the first turn that satisfies all criteria', async () => {
    const { before, dialogue, by, requests } = await again(long, (turn) =>
      verdict(turn < 2 ? 'ynn' : 'yyy', 'Something else'),
    );
    expect([before.outcome, before.turns.length]).toEqual(['complete', 3]);
    expect([dialogue.outcome, dialogue.turns.length]).toEqual(['complete', 2]);
    expect(by('evaluator')).toHaveLength(2);
    expect(requests.filter(({ purpose }) => purpose !== 'evaluator')).toEqual([]);
    expect(dialogue.turns.map(({ result: { question, answer } }) => [question, answer])).toEqual(
      before.turns.slice(0, 2).map(({ result: { question, answer } }) => [question, answer]),
    );
  });

  test('fails if the recording ends before the criteria are satisfied', async () => {
    expect((await again([verdict('yyy')], () => verdict('nnn', 'But?'))).dialogue).toMatchObject({
      outcome: 'no_follow_up',
      turns: [{ result: { answer: 'Answer 1' } }],
    });
  });

  test('stops earlier if the new scoring has a lower max_steps', async () => {
    const { dialogue, by } = await again(long, () => verdict('nnn', 'But?'), { max_steps: 2 });
    expect([dialogue.outcome, dialogue.turns.length, by('evaluator').length]).toEqual([
      'max_steps',
      2,
      2,
    ]);
  });

  test('ends in the same error as the recording, unless an earlier turn satisfies all criteria', async () => {
    const broken = [verdict('nnn', 'B?'), 'unreadable'];
    expect((await again(broken, () => verdict('nnn', 'C?'))).dialogue).toMatchObject({
      outcome: 'evaluator_error',
      turns: [{}, {}],
    });
    expect((await again(broken, () => verdict('yyy'))).dialogue).toMatchObject({
      outcome: 'complete',
      turns: [{}],
    });
  });
});
