import {
  execute,
  type PlannedTry,
  BATCH_WINDOW,
  WINDOW,
} from '../../../../src/kernel/ask/execute.ts';
import { createGeneration } from '../../../../src/kernel/select/generation.ts';
import { textOf } from '../../../../src/types/answer.ts';
import type { CodeJob, Completion, Evaluate, Request } from '../../../../src/types/model.ts';
import type { Json } from '../../../../src/types/plain.ts';
import { answer, prompt, reference } from '../../app/run/builders.ts';

const target = { provider: 'openai' as const, endpoint: null, model: 'gpt-4o' };
const noCode: Evaluate = async () => {
  throw new Error('no code runs here');
};
const random = (purpose: string) => purpose;
const planned = (
  side: 'base' | 'head',
  id: string,
  index: number,
  text = 'Say {q}',
): PlannedTry => ({
  run: ['a', 'b'].indexOf(id),
  suite: 'p',
  side,
  try: index,
  answerer: null,
  generation: createGeneration(
    prompt({ messages: [{ role: 'user', content: text, place: { file: 'p', line: 1 } }] }),
    { model: 'gpt-4o', parameters: {}, target },
    reference(id),
  ),
});

function recorder(
  reply: (request: Request, count: number) => Completion = (_, count) => answer(`answer ${count}`),
) {
  const requests: Request[] = [];
  return { requests, complete: async (request: Request) => reply(request, requests.push(request)) };
}

describe('prompt code', () => {
  const place = { file: 'prompts/p.yaml', line: 1 };
  const ran = async (values: Record<string, Json>) => {
    const generation = createGeneration(
      prompt({
        messages: [{ role: 'user', content: 'Say {q}', place }],
        code: { source: 'output = q', language: 'python', place },
      }),
      { model: null, parameters: {}, target: null },
      reference('a'),
    );
    const jobs: CodeJob[] = [];
    const [found] = await execute([{ ...planned('head', 'a', 0), generation }], {
      complete: () => Promise.reject(new Error('no model is called here')),
      evaluate: async (job) => {
        jobs.push(job);
        return [{ status: 'ok', values }];
      },
      random,
    });
    expect(jobs.map(({ outputs }) => outputs)).toEqual([['output', 'messages?']]);
    return found;
  };

  test('may return an answer without a prompt; metrics then get the messages of the prompt file as the prompt', async () => {
    const found = await ran({ output: 'hi' });
    expect(found?.messages).toMatchObject([{ role: 'user', content: 'Say a' }]);
    expect(found?.completion).toMatchObject({ status: 'ok', latency_ms: null });
  });

  test("can return the prompt as messages with LangChain's roles", async () => {
    const messages = [
      { role: 'human', content: 'ping' },
      { role: 'ai', content: 'pong' },
    ];
    const found = await ran({ output: { content: 'hi' }, messages });
    expect(found?.messages).toEqual([
      { role: 'user', content: 'ping' },
      { role: 'assistant', content: 'pong' },
    ]);
  });
});

describe('execute', () => {
  test('makes one call for identical requests of the same try and marks the second answer as reused', async () => {
    const { requests, complete } = recorder();
    const answers = await execute([planned('base', 'a', 0), planned('head', 'a', 0)], {
      complete,
      evaluate: noCode,
      random,
    });
    expect(requests).toHaveLength(1);
    expect(answers.map(({ completion }) => completion)).toEqual([
      answer('answer 1'),
      { ...answer('answer 1'), reused: true },
    ]);
  });

  test.each([
    ['direct', WINDOW],
    ['batch', 3000],
  ])('allows more concurrent calls to a model if they are batched: %s', async (transport, most) => {
    const batched = { ...target, ...(transport === 'batch' ? { transport } : {}) };
    const tries = Array.from({ length: 3000 }, (_, index): PlannedTry => {
      const one = planned('head', 'a', index);
      return {
        ...one,
        generation: { ...one.generation, target: batched } as PlannedTry['generation'],
      };
    });
    let waiting: (() => void)[] = [];
    let peak = 0;
    const answers = execute(tries, {
      complete: () =>
        new Promise((resolve) => {
          waiting.push(() => {
            resolve(answer('x'));
          });
        }),
      evaluate: noCode,
      random,
    });
    for (let left = tries.length; left > 0;) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      peak = Math.max(peak, waiting.length);
      left -= waiting.length;
      const round = waiting;
      waiting = [];
      for (const settle of round) settle();
    }
    expect([peak, (await answers).length]).toEqual([most, 3000]);
    expect(BATCH_WINDOW).toBeGreaterThan(3000);
  });

  test('never shares one answer between two tries of a reference', async () => {
    const { requests, complete } = recorder();
    const answers = await execute([planned('head', 'a', 0), planned('head', 'a', 1)], {
      complete,
      evaluate: noCode,
      random,
    });
    expect(requests.map((request) => request.try)).toEqual([0, 1]);
    expect(
      answers.map(({ completion }) => completion.status === 'ok' && textOf(completion)),
    ).toEqual(['answer 1', 'answer 2']);
  });

  test('sends different prompts separately and fills in the variables', async () => {
    const { requests, complete } = recorder();
    await execute([planned('base', 'a', 0), planned('head', 'a', 0, 'Tell {q}')], {
      complete,
      evaluate: noCode,
      random,
    });
    expect(requests.map(({ messages }) => messages[0]?.content)).toEqual(['Say a', 'Tell a']);
    expect(requests[0]).toEqual({
      target,
      parameters: {},
      messages: [{ role: 'user', content: 'Say a' }],
      try: 0,
      schema: null,
      purpose: 'prompt',
    });
  });

  test('returns an error of one try without failing the others', async () => {
    const { complete } = recorder((_, count) =>
      count === 1 ? { status: 'error', kind: 'timeout', message: 'too slow' } : answer('fine'),
    );
    const answers = await execute([planned('head', 'a', 0), planned('head', 'b', 0)], {
      complete,
      evaluate: noCode,
      random,
    });
    expect(answers.map(({ completion }) => completion.status)).toEqual(['error', 'ok']);
  });

  test('returns an error without a call if a reference has no value for a variable', async () => {
    const { requests, complete } = recorder();
    const generation = createGeneration(
      prompt(),
      { model: 'gpt-4o', parameters: {}, target },
      reference('a', {
        input: {},
        problem: 'prompts/tests/p.yaml:5: reference 1 has no value for {q}',
      }),
    );
    const [answer] = await execute(
      [{ run: 0, suite: 'p', side: 'head', try: 0, generation, answerer: null }],
      { complete, evaluate: noCode, random },
    );
    expect(answer?.completion).toEqual({
      status: 'error',
      kind: 'reference',
      message: 'prompts/tests/p.yaml:5: reference 1 has no value for {q}',
    });
    expect(requests).toEqual([]);
  });

  test('accepts the output of prompt code as text or as an object with content', async () => {
    const generation = createGeneration(
      prompt({ code: { source: 'output = q', language: 'python', place: { file: 'p', line: 1 } } }),
      { model: null, parameters: {}, target: null },
      reference('a'),
    );
    const outputs = ['plain', { content: 'from an object' }];
    const seen: unknown[] = [];
    const evaluate: Evaluate = async (job) => {
      seen.push(job.inputs);
      return [{ status: 'ok', values: { output: outputs[seen.length - 1] ?? null } }];
    };
    const { complete } = recorder();
    const answers = await execute(
      [
        { run: 0, suite: 'p', side: 'head', try: 0, generation, answerer: null },
        { run: 0, suite: 'p', side: 'head', try: 1, generation, answerer: null },
      ],
      { complete, evaluate, random },
    );
    expect(
      answers.map(({ completion }) => completion.status === 'ok' && textOf(completion)),
    ).toEqual(['plain', 'from an object']);
    expect(seen[0]).toEqual([{ q: 'a' }]);
  });
});
