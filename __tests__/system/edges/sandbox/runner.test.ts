import { jest } from '@jest/globals';
import type { ThreadAnswer, Link, Listener } from '../../../../src/edges/sandbox/link.ts';
import { createRunner } from '../../../../src/edges/sandbox/runner.ts';
import type { CodeJob } from '../../../../src/types/model.ts';

type Request = { id: string; variables: string };
type Script = (request: Request, listener: Listener, earlier: Request[]) => void;

const job: CodeJob = {
  suite: 'p',
  side: 'head',
  language: 'python',
  code: 'code',
  outputs: ['metric'],
  inputs: [{ a: 0 }, { a: 1 }, { a: 2 }],
};
const options = {
  language: 'python' as const,
  mode: 'sandbox' as const,
  timeoutSeconds: 5,
  clock: { now: () => 0, left: Infinity },
  log: () => undefined,
};
const value = (metric: unknown): unknown => ({ status: 'ok', values: { metric } });

/** An honest answer: the variable `a` as metric. */
const answer = ({ id, variables }: Request, rest: Partial<ThreadAnswer> = {}): ThreadAnswer => ({
  id,
  outcome: 'reply',
  printed: { text: '', cut: false },
  spent: false,
  reply: JSON.stringify({ values: { metric: (JSON.parse(variables) as { a: number }).a } }),
  ...rest,
});
const replying = (reply: string) => (request: Request) => answer(request, { reply });
const honest: Script = (request, listener) => listener.answer(answer(request));

const failed = (message: string) => ({ status: 'error', cause: 'sandbox', message });
const forged = failed("wrote to evaldiff's internal channel");

/** Workers that follow one script each, in the order of their start; the last one is used again. */
function scripted(scripts: Script | Script[], settings: Partial<typeof options> = {}) {
  const list = [scripts].flat();
  const workers: { listener: Listener; killed: boolean; requests: Request[] }[] = [];
  const runner = createRunner(
    async (listener) => {
      const script = list[Math.min(workers.length, list.length - 1)]!;
      const worker = { listener, killed: false, requests: [] as Request[] };
      workers.push(worker);
      const link: Link = {
        begin: () => undefined,
        send(id, variables) {
          const request = { id, variables };
          worker.requests.push(request);
          queueMicrotask(() => worker.killed || script(request, listener, worker.requests));
        },
        kill: () => void (worker.killed = true),
        close: async () => void (worker.killed = true),
      };
      return { status: 'started', link };
    },
    { ...options, ...settings },
  );
  return { runner, workers };
}

afterEach(() => void jest.useRealTimers());

describe('a sandbox worker', () => {
  test('is reused for the next job', async () => {
    const { runner, workers } = scripted(honest);
    expect(await runner.run(job)).toEqual([value(0), value(1), value(2)]);
    expect(await runner.run(job)).toEqual([value(0), value(1), value(2)]);
    expect(workers).toHaveLength(1);
  });

  test.each<[string, (request: Request, earlier: Request[]) => ThreadAnswer]>([
    ['an unknown id', (request) => answer(request, { id: '999' })],
    ['the id of a later request', (request, earlier) => answer(request, { id: earlier[2]!.id })],
    ['the id of an earlier request', (request, earlier) => answer(request, { id: earlier[0]!.id })],
    ['a reply that is not JSON', replying('ok')],
    ['a reply that is a list', replying('[]')],
    ['a value too many', replying('{"values":{"metric":1,"result":true}}')],
    ['a value of another name', replying('{"values":{"__proto__":1}}')],
    ['NaN', replying('{"values":{"metric":NaN}}')],
  ])('is replaced if it answers with %s, and only that evaluation is lost', async (_, forge) => {
    const script: Script = (request, listener, earlier) => {
      listener.answer(request.variables === '{"a":1}' ? forge(request, earlier) : answer(request));
    };
    const { runner, workers } = scripted([script, honest]);
    expect(await runner.run(job)).toEqual([value(0), forged, value(2)]);
    expect(workers.map(({ killed }) => killed)).toEqual([true, false]);
  });

  test('is replaced if it answers twice, and its second answer never counts', async () => {
    const twice: Script = (request, listener) => {
      listener.answer(answer(request));
      listener.answer(answer(request));
    };
    const { runner, workers } = scripted([twice, honest]);
    expect(await runner.run(job)).toEqual([value(0), forged, value(2)]);
    expect(workers[0]!.killed).toBe(true);
  });

  test('is replaced if it sends something between two jobs', async () => {
    const { runner, workers } = scripted(honest);
    await runner.run(job);
    workers[0]!.listener.answer(answer(workers[0]!.requests[0]!));
    expect(workers[0]!.killed).toBe(true);
    expect(await runner.run(job)).toEqual([value(0), value(1), value(2)]);
    expect(workers).toHaveLength(2);
  });

  test('cannot affect the worker that replaced it, even if it exits or answers late', async () => {
    const { runner, workers } = scripted([
      (request, listener) => listener.answer(answer(request, { id: 'x' })),
      (request, listener) => {
        workers[0]!.listener.ended('exit');
        workers[0]!.listener.answer(answer(request, { reply: '{"values":{"metric":"late"}}' }));
        listener.answer(answer(request));
      },
    ]);
    expect(await runner.run(job)).toEqual([forged, value(1), value(2)]);
    expect(workers).toHaveLength(2);
  });

  test('loses only its current evaluation if it exits', async () => {
    const ending: Script = (request, listener) =>
      request.variables === '{"a":1}' ? listener.ended('exit') : honest(request, listener, []);
    const { runner } = scripted([ending, honest]);
    const lost = failed('ended the Python process');
    expect(await runner.run(job)).toEqual([value(0), lost, value(2)]);
  });

  test('gets three seconds beyond the time limit before it is killed', async () => {
    jest.useFakeTimers();
    const { runner, workers } = scripted([() => undefined, honest]);
    const results = runner.run(job);
    await jest.advanceTimersByTimeAsync(7_999);
    expect(workers[0]!.killed).toBe(false);
    await jest.advanceTimersByTimeAsync(1);
    const stopped = failed('took longer than 5 s and was stopped');
    expect(await results).toEqual([stopped, value(1), value(2)]);
    expect(workers[0]!.killed).toBe(true);
  });

  test('has at most 64 pending requests', async () => {
    let most = 0;
    const { runner } = scripted((request, listener, requests) => {
      most = Math.max(most, requests.length - requests.indexOf(request));
      listener.answer(answer(request));
    });
    const inputs = Array.from({ length: 500 }, (_, a) => ({ a }));
    expect(await runner.run({ ...job, inputs })).toEqual(inputs.map(({ a }) => value(a)));
    expect(most).toBe(64);
  });
});

describe('running code', () => {
  test('is stopped once all code of the run has used an hour', async () => {
    let now = 0;
    const clock = { now: () => now, left: 3600 };
    const slow: Script = (request, listener) => {
      now += 1799;
      listener.answer(answer(request));
    };
    const { runner } = scripted(slow, { clock });
    const inputs = Array.from({ length: 5 }, (_, a) => ({ a }));
    const ended = failed(
      'was not run: all code of this run has used its limit of 1 h together; make the code faster, or set code: host in the workflow',
    );
    const results = await runner.run({ ...job, inputs });
    expect(results).toEqual([value(0), value(1), value(2), ended, ended]);
    expect(await runner.run({ ...job, code: 'another' })).toEqual([ended, ended, ended]);
  });

  test('finishes all jobs of one suite before the next, so that a process is reused', async () => {
    const { runner } = scripted(honest);
    const order: string[] = [];
    await Promise.all(
      ['p', 'q', 'p', 'q'].map(async (suite, index) => {
        await runner.run({ ...job, suite });
        order.push(`${suite}${index}`);
      }),
    );
    expect(order).toEqual(['p0', 'p2', 'q1', 'q3']);
  });
});

describe('values of a reply', () => {
  test.each([
    ['{"metric":1,"result":1}', 'result must be True or False, not number'],
    [`{"metric":"${'é'.repeat(32768)}","result":true}`, 'metric is larger than 64 KiB'],
    ['{"metric":[[[[[[[[]]]]]]]],"result":true}', null],
    ['{"metric":[[[[[[[[[]]]]]]]]],"result":true}', 'metric is nested deeper than 8 levels'],
  ])('are validated, because user code can forge replies: %.40s', async (values, message) => {
    const { runner } = scripted((request, listener) =>
      listener.answer(answer(request, { reply: `{"values":${values}}` })),
    );
    const outputs = ['metric', 'result'];
    expect(await runner.run({ ...job, outputs, inputs: [{}] })).toEqual([
      message === null
        ? expect.objectContaining({ status: 'ok' })
        : { status: 'error', cause: 'code', message },
    ]);
  });
});
