import { describe, expect, test } from '@jest/globals';
import { createGuard } from '../../../src/money/budget.ts';
import type { Completion, Request } from '../../../src/types/model.ts';
import { answered } from '../metrics/samples.ts';

const target = { provider: 'openai' as const, endpoint: null, model: 'm' };
const inBatch = { target: { ...target, transport: 'batch' as const } };
const request = (content: string, changes: Partial<Request> = {}): Request => ({
  target,
  parameters: {},
  messages: [{ role: 'user', content }],
  try: 0,
  schema: null,
  purpose: 'prompt',
  ...changes,
});
const most = (max_tokens: number) => ({ parameters: { max_tokens } });
const ok = (output_tokens: number | null): Completion => ({
  ...answered('text'),
  usage: output_tokens === null ? null : { input_tokens: 10, output_tokens },
});
type Price = Parameters<typeof createGuard>[1];
/** A dollar per thousand output tokens; input is free. */
const price: Price = (_target, { output_tokens }) => output_tokens / 1000;

const turn = () =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** A model whose calls stay open until the test answers them. */
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
    answer: async (count: number, tokens: number) => {
      for (let index = 0; index < count; index += 1) {
        await turn();
        open.shift()?.(ok(tokens));
        await turn();
      }
    },
  };
}

/** A guard with a cost limit, and `count` calls that wait for it. */
function capped(maxCost: number, count = 0, changes: Partial<Request> = {}, of: Price = price) {
  const guard = createGuard({ maxCalls: null, maxCost }, of);
  const server = model();
  const ask = (content: string, more = changes, to = server) =>
    guard.ask(request(content, more), to.complete);
  const calls = Array.from({ length: count }, (_, index) => ask(String(index)));
  return { guard, server, ask, calls };
}
const states = async (calls: Promise<Completion>[]) =>
  (await Promise.all(calls)).map((one) => (one.status === 'ok' ? 'ok' : one.kind));
const allOk = async (calls: Promise<Completion>[]) =>
  expect(new Set(await states(calls))).toEqual(new Set(['ok']));

describe('limit on calls', () => {
  test('allows exactly the given number of attempts', () => {
    const guard = createGuard({ maxCalls: 3, maxCost: null }, price);
    expect([guard.attempt(), guard.attempt(), guard.attempt()]).toEqual([true, true, true]);
    expect(guard.reached()).toBeNull();
    expect([guard.attempt(), guard.attempt()]).toEqual([false, false]);
    expect(guard.reached()).toBe('the limit of 3 model calls (max-calls) is reached');
  });

  test('rejects further calls with a budget error without calling the model', async () => {
    const guard = createGuard({ maxCalls: 0, maxCost: null }, price);
    guard.attempt();
    const server = model();
    expect(await guard.ask(request('a'), server.complete)).toEqual({
      status: 'error',
      kind: 'budget',
      message: 'no call was made: the limit of 0 model calls (max-calls) is reached',
    });
    expect(await server.asked()).toBe(0);
  });

  test('allows every call if the limit is null', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: null }, price);
    for (let index = 0; index < 100; index += 1) expect(guard.attempt()).toBe(true);
    expect(await guard.ask(request('a'), async () => ok(1e9))).toEqual(ok(1e9));
    expect(guard.reached()).toBeNull();
  });
});

describe('limit on cost', () => {
  test('delays a call until running calls turn out cheap', async () => {
    // The expected answer has 300 tokens: three fit into a dollar, a fourth does not.
    const { guard, server, calls } = capped(1, 4);
    expect(await server.asked()).toBe(3);
    await server.answer(1, 100);
    expect(await server.asked()).toBe(4);
    await server.answer(3, 100);
    await allOk(calls);
    expect(guard.reached()).toBeNull();
  });

  test("counts the cost of a request's files before the answer arrives", async () => {
    // A dollar buys a million input tokens: two PDFs of 400,000 tokens fit, a third does not.
    const perInput: Price = (_target, { input_tokens }) => input_tokens / 1e6;
    const pdf = { type: 'file', path: 'a.pdf', media_type: 'application/pdf', id: 'a1' } as const;
    const parts = [{ ...pdf, bytes: 870_000 }];
    const messages = [{ role: 'user' as const, content: '', parts }];
    const { server, calls } = capped(1, 3, { messages }, perInput);
    expect(await server.asked()).toBe(2);
    await server.answer(3, 1);
    await allOk(calls);
  });

  test('rejects all later calls, even cheaper ones, once the running calls cannot free any budget', async () => {
    const { guard, server, calls, ask } = capped(1, 5);
    await server.answer(3, 300);
    expect(await states(calls)).toEqual(['ok', 'ok', 'ok', 'budget', 'budget']);
    expect(guard.reached()).toBe(
      'another call could exceed the cost cap of $1 (max-cost); $0.9000 is spent',
    );
    expect((await ask('f', most(1))).status).toBe('error');
    expect(guard.attempt()).toBe(false);
    expect(await server.asked()).toBe(3);
  });

  test('estimates with the longest answer so far, limited by `max_tokens`', async () => {
    const { server, ask, calls } = capped(10, 1);
    await server.answer(1, 4000);
    await allOk(calls);
    const more = ['b', 'c', 'd'].map((content) => ask(content));
    expect(await server.asked()).toBe(2);
    const short = ask('e', most(10));
    await server.answer(5, 10);
    await allOk([...more, short]);
  });

  test('charges an estimate for an answer without token counts, and the input of a timed-out call', async () => {
    const input: Price = (_target, { input_tokens, output_tokens }) =>
      (input_tokens + output_tokens) / 100;
    const guard = createGuard({ maxCalls: null, maxCost: 3.5 }, input);
    const long = request('word '.repeat(100), most(1));
    const ask = (reply: Completion) => guard.ask(long, async () => reply);
    await ask(ok(null));
    await ask({ status: 'error', kind: 'timeout', message: 'late' });
    await ask({ status: 'error', kind: 'server', message: '500' });
    expect(guard.reached()).toBeNull();
    await ask(ok(null));
    expect((await ask(ok(null))).status).toBe('error');
    expect(guard.reached()).toMatch(/\$3\.\d+ is spent/);
  });

  test("charges the full limit of an agent's run if the usage of one of its paid calls is unknown", async () => {
    const calls = { ...target, most: 10, usd: 0.6 };
    const program = { provider: 'program', model: 'agent', command: ['agent'], setup: [] };
    const agent = { target: { ...program, files: '', commit: '', calls } } as Partial<Request>;
    const killed: Completion = { status: 'error', kind: 'timeout', message: 'late', attempts: 3 };
    const spendTwice = async (completion: Completion): Promise<string | null> => {
      const { guard } = capped(1);
      for (const each of ['a', 'b'])
        await guard.ask(request(each, agent), () => Promise.resolve(completion));
      return guard.reached();
    };
    expect(await spendTwice(killed)).toContain('1');
    expect(await spendTwice({ ...killed, attempts: 0 })).toBeNull();
    const usage = { input_tokens: 0, output_tokens: 1 };
    expect(await spendTwice({ ...killed, spent: [{ usage }] })).toBeNull();
  });

  test('runs at most eight calls until the first answer is known', async () => {
    const { server, calls } = capped(1000, 300);
    expect(await server.asked()).toBe(8);
    await server.answer(1, 10);
    expect(await server.asked()).toBe(257);
    await server.answer(299, 10);
    await allOk(calls);
  });

  test('does not delay calls with an unknown price', async () => {
    const { guard, server, calls } = capped(0.001, 20, {}, () => null);
    expect(await server.asked()).toBe(20);
    await server.answer(20, 10);
    await Promise.all(calls);
    expect(guard.reached()).toBeNull();
  });

  test('allows calls that cost nothing even if the limit is zero', async () => {
    const { guard } = capped(0, 0, {}, () => 0);
    expect((await guard.ask(request('a'), async () => ok(100))).status).toBe('ok');
  });

  test('admits as many calls to one batch as the budget allows', async () => {
    // At the expected 300 tokens each, 333 calls fit.
    const { server, calls } = capped(100, 400, inBatch);
    expect(await server.asked()).toBe(333);
    await server.answer(333, 100);
    expect(await server.asked()).toBe(400);
    await server.answer(67, 100);
    await allOk(calls);
  });

  test('does not delay direct calls while other calls wait in a batch', async () => {
    const { server: batch, calls, ask } = capped(1000, 500, inBatch);
    const server = model();
    const direct = Array.from({ length: 9 }, (_, index) => ask(`d${String(index)}`, {}, server));
    expect([await batch.asked(), await server.asked()]).toEqual([500, 8]);
    await server.answer(9, 10);
    await allOk(direct);
    await batch.answer(500, 10);
    await Promise.all(calls);
  });
});
