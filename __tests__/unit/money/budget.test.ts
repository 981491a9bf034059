import { describe, expect, test } from '@jest/globals';
import { createGuard } from '../../../src/money/budget.ts';
import type { Completion, Request } from '../../../src/types/model.ts';

const request = (content: string, changes: Partial<Request> = {}): Request => ({
  target: { provider: 'openai', endpoint: null, model: 'm' },
  parameters: {},
  messages: [{ role: 'user', content }],
  try: 0,
  schema: null,
  purpose: 'prompt',
  ...changes,
});
const ok = (output_tokens: number | null): Completion => ({
  status: 'ok',
  output: 'text',
  finish_reason: 'stop',
  tool_calls: [],
  usage: output_tokens === null ? null : { input_tokens: 10, output_tokens },
  latency_ms: 1,
  reused: false,
});
/** A dollar per thousand output tokens; input is free. */
const price = (_target: unknown, usage: { output_tokens: number }) => usage.output_tokens / 1000;

/** Calls that are answered by hand. */
function model() {
  const open: ((completion: Completion) => void)[] = [];
  let asked = 0;
  return {
    asked: async () => {
      await turn();
      return asked;
    },
    complete: () => {
      asked += 1;
      return new Promise<Completion>((resolve) => {
        open.push(resolve);
      });
    },
    answer: async (completion: Completion) => {
      await turn();
      open.shift()?.(completion);
      await turn();
    },
  };
}

const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('the cap on calls', () => {
  test('allows exactly so many attempts, whoever makes them, and then none', () => {
    const guard = createGuard({ maxCalls: 3, maxCost: null }, price);
    expect([guard.attempt(), guard.attempt(), guard.attempt()]).toEqual([true, true, true]);
    expect(guard.reached()).toBeNull();
    expect([guard.attempt(), guard.attempt()]).toEqual([false, false]);
    expect(guard.reached()).toBe('the limit of 3 model calls (max-calls) is reached');
  });

  test('refuses further calls as budget errors without asking', async () => {
    const guard = createGuard({ maxCalls: 0, maxCost: null }, price);
    guard.attempt();
    const server = model();
    expect(await guard.ask(request('a'), server.complete)).toEqual({
      status: 'error',
      kind: 'budget',
      message: 'not asked: the limit of 0 model calls (max-calls) is reached',
    });
    expect(await server.asked()).toBe(0);
  });

  test('of none lets everything through', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: null }, price);
    for (let index = 0; index < 100; index += 1) expect(guard.attempt()).toBe(true);
    expect(await guard.ask(request('a'), async () => ok(1e9))).toEqual(ok(1e9));
    expect(guard.reached()).toBeNull();
  });
});

describe('the cap on cost', () => {
  test('makes a call wait for those under way and lets it go on when they were cheap', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 1 }, price);
    const server = model();
    // Three expected answers of 300 tokens have room in a dollar, a fourth has not.
    const calls = ['a', 'b', 'c', 'd'].map((content) =>
      guard.ask(request(content), server.complete),
    );
    expect(await server.asked()).toBe(3);
    await server.answer(ok(100));
    expect(await server.asked()).toBe(4);
    for (let index = 0; index < 3; index += 1) await server.answer(ok(100));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([
      'ok',
      'ok',
      'ok',
      'ok',
    ]);
    expect(guard.reached()).toBeNull();
  });

  test('stops for good when nothing under way can make room, and never goes on with smaller calls', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 1 }, price);
    const server = model();
    const calls = ['a', 'b', 'c', 'd', 'e'].map((content) =>
      guard.ask(request(content), server.complete),
    );
    for (let index = 0; index < 3; index += 1) await server.answer(ok(300));
    const completions = await Promise.all(calls);
    expect(
      completions.map((completion) => (completion.status === 'ok' ? 'ok' : completion.kind)),
    ).toEqual(['ok', 'ok', 'ok', 'budget', 'budget']);
    expect(guard.reached()).toBe(
      'the cost cap of $1 (max-cost) leaves no room for a further call; $0.9000 are spent',
    );
    expect(
      (await guard.ask(request('f', { parameters: { max_tokens: 1 } }), server.complete)).status,
    ).toBe('error');
    expect(guard.attempt()).toBe(false);
    expect(await server.asked()).toBe(3);
  });

  test('reckons with the longest answer so far, and with what the parameters allow', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 10 }, price);
    const server = model();
    const first = guard.ask(request('a'), server.complete);
    await server.answer(ok(4000));
    expect((await first).status).toBe('ok');
    const more = ['b', 'c', 'd'].map((content) => guard.ask(request(content), server.complete));
    expect(await server.asked()).toBe(2);
    const short = guard.ask(request('e', { parameters: { max_tokens: 10 } }), server.complete);
    await server.answer(ok(10));
    for (let index = 0; index < 4; index += 1) await server.answer(ok(10));
    expect((await Promise.all([...more, short])).every(({ status }) => status === 'ok')).toBe(true);
  });

  test('charges its own estimate for an answer without counts, and the input of a call that timed out', async () => {
    const input = (_target: unknown, usage: { input_tokens: number; output_tokens: number }) =>
      (usage.input_tokens + usage.output_tokens) / 100;
    const guard = createGuard({ maxCalls: null, maxCost: 3.5 }, input);
    const long = request('word '.repeat(100), { parameters: { max_tokens: 1 } });
    await guard.ask(long, async () => ok(null));
    await guard.ask(long, async () => ({ status: 'error', kind: 'timeout', message: 'late' }));
    await guard.ask(long, async () => ({ status: 'error', kind: 'server', message: '500' }));
    expect(guard.reached()).toBeNull();
    await guard.ask(long, async () => ok(null));
    expect((await guard.ask(long, async () => ok(null))).status).toBe('error');
    expect(guard.reached()).toMatch(/\$3\.\d+ are spent/);
  });

  test('begins with few calls, so that a first answer is known before many are under way', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 1000 }, price);
    const server = model();
    const calls = Array.from({ length: 300 }, (_, index) =>
      guard.ask(request(String(index)), server.complete),
    );
    expect(await server.asked()).toBe(8);
    await server.answer(ok(10));
    expect(await server.asked()).toBe(257);
    for (let index = 0; index < 299; index += 1) await server.answer(ok(10));
    expect((await Promise.all(calls)).every(({ status }) => status === 'ok')).toBe(true);
  });

  test('does not hold calls whose price nobody knows', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 0.001 }, () => null);
    const server = model();
    const calls = Array.from({ length: 20 }, (_, index) =>
      guard.ask(request(String(index)), server.complete),
    );
    expect(await server.asked()).toBe(20);
    for (let index = 0; index < 20; index += 1) await server.answer(ok(10));
    await Promise.all(calls);
    expect(guard.reached()).toBeNull();
  });

  test('lets calls through whose price is nothing', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 0 }, () => 0);
    expect((await guard.ask(request('a'), async () => ok(100))).status).toBe('ok');
  });

  test('lets what goes into one batch be gathered as a whole, and no more than there is room for', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 100 }, price);
    const server = model();
    const inBatch = {
      target: {
        provider: 'openai' as const,
        endpoint: null,
        model: 'm',
        transport: 'batch' as const,
      },
    };
    // At 300 tokens each, which is what is usual, 333 have room.
    const calls = Array.from({ length: 400 }, (_, index) =>
      guard.ask(request(String(index), inBatch), server.complete),
    );
    expect(await server.asked()).toBe(333);
    for (let index = 0; index < 333; index += 1) await server.answer(ok(100));
    expect(await server.asked()).toBe(400);
    for (let index = 0; index < 67; index += 1) await server.answer(ok(100));
    expect((await Promise.all(calls)).every(({ status }) => status === 'ok')).toBe(true);
  });

  test('makes direct calls wait for direct calls only, however many wait in a batch', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 1000 }, price);
    const [batch, server] = [model(), model()];
    const inBatch = {
      target: {
        provider: 'openai' as const,
        endpoint: null,
        model: 'm',
        transport: 'batch' as const,
      },
    };
    const batched = Array.from({ length: 500 }, (_, index) =>
      guard.ask(request(String(index), inBatch), batch.complete),
    );
    const direct = Array.from({ length: 9 }, (_, index) =>
      guard.ask(request(`d${String(index)}`), server.complete),
    );
    expect([await batch.asked(), await server.asked()]).toEqual([500, 8]);
    for (let index = 0; index < 9; index += 1) await server.answer(ok(10));
    expect((await Promise.all(direct)).every(({ status }) => status === 'ok')).toBe(true);
    for (let index = 0; index < 500; index += 1) await batch.answer(ok(10));
    await Promise.all(batched);
  });
});
