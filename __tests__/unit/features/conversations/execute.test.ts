import { execute, type PlannedTry } from '../../../../src/kernel/ask/execute.ts';
import { createGeneration } from '../../../../src/kernel/select/generation.ts';
import { drawnAgain } from '../../../../src/trials/draws.ts';
import { prompt, reference } from '../../app/run/builders.ts';
import { answerer, conversation, random, scripted, verdict } from './dialogues.ts';

const target = { provider: 'openai' as const, endpoint: null, model: 'gpt-4o' };
const noCode = () => Promise.reject(new Error('no code runs here'));
const planned = (side: 'base' | 'head', index: number): PlannedTry => ({
  run: 0,
  suite: 'p',
  side,
  try: index,
  answerer: null,
  generation: createGeneration(
    prompt(),
    { model: 'gpt-4o', parameters: {}, target },
    reference('a'),
  ),
});

describe('conversation tries', () => {
  test('share answers only if their evaluators are equal', async () => {
    const model = scripted(({ purpose }) => (purpose === 'evaluator' ? verdict('yyy') : 'fine'));
    const led = (instructions: string): PlannedTry => ({
      ...planned('head', 0),
      answerer: answerer(conversation({ instructions })),
    });
    const answers = await execute([led('Be kind.'), led('Be strict.'), led('Be kind.')], {
      complete: model.complete,
      evaluate: noCode,
      random,
    });
    expect([model.by('prompt').length, model.by('evaluator').length]).toEqual([2, 2]);
    expect(
      answers.map(({ completion }) => completion.status === 'ok' && completion.reused),
    ).toEqual([false, false, true]);
  });

  test('get a new try index in each repetition of a dialogue, and so do their evaluator calls', async () => {
    const model = scripted(({ purpose }) => (purpose === 'evaluator' ? verdict('yyy') : 'fine'));
    const first: PlannedTry = { ...planned('base', 1), answerer: answerer() };
    const recorded: PlannedTry = {
      ...first,
      run: 1,
      generation: {
        kind: 'recorded',
        thread: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: 'a' },
        ],
        fingerprint: 'recorded',
      },
    };
    const again = (one: PlannedTry): PlannedTry => ({
      ...one,
      side: 'head',
      generation: drawnAgain(one.generation, 100),
    });
    await execute([first, again(first), recorded, again(recorded)], {
      complete: model.complete,
      evaluate: noCode,
      random,
    });
    expect(model.by('prompt').map((request) => request.try)).toEqual([1, 101]);
    expect(
      model
        .by('evaluator')
        .map((request) => request.try)
        .sort(),
    ).toEqual([1, 1, 101, 101]);
  });
});
