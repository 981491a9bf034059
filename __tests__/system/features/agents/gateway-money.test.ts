import { createLedger } from '../../../../src/money/ledger.ts';
import { member, type JsonMap } from '../../../../src/types/plain.ts';
import type { Price } from '../../../../src/types/price.ts';
import {
  ANTHROPIC,
  CHAT,
  GEMINI,
  replyOf,
  WIRES,
  type WireCase,
} from '../../../stand-ins/agents/wires.ts';
import { openRun, sendReply, SENDS, startRun, unlimited, type Handler } from './gateway-setting.ts';

/** $15 per million output tokens and $3 per million input tokens. */
const price: Price = (_, { input_tokens, output_tokens }) =>
  (3 * input_tokens + 15 * output_tokens) / 1e6;

/** The limit of output tokens in a request, in the words of its API. */
function limitIn(body: JsonMap): number | null {
  const limits = [
    ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'].map((name) => body[name]),
    member(body['generationConfig'], 'maxOutputTokens'),
  ].filter((limit) => typeof limit === 'number');
  return limits.length === 0 ? null : Math.max(...limits);
}

/** Bills each reply with as many output tokens as the request allows. */
const dear =
  (wire: WireCase, most = 64_000): Handler =>
  (request, response) => {
    const output = limitIn(request.body) ?? most;
    sendReply(request, response, replyOf(wire, 'a', { output, thoughts: 0 }));
  };

const startDear = (wire: WireCase, given: Parameters<typeof startRun>[1] = {}) =>
  startRun(wire, { vendor: dear(wire), ledger: unlimited(price), ...given });

const questions = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `question ${index}`);

/** Messages requires a limit, so its client sends a high one. The other clients send none. */
const clients = WIRES.map((wire): WireCase =>
  wire === ANTHROPIC
    ? { ...wire, body: (text, more) => wire.body(text, { max_tokens: 64_000, ...more }) }
    : wire,
);

describe.each(clients)('the money of parallel calls of $name', (wire) => {
  test.each(SENDS)('stays within the limit of the run (%s)', async (send) => {
    const run = await startDear(wire, { terms: { limits: { turns: 40, usd: 1 } } });
    const got = await Promise.all(questions(40).map((text) => run[send](text)));
    const { whole, refused } = run.end();
    expect(whole.usd).toBeLessThanOrEqual(1);
    expect(whole.usd).toBeGreaterThan(0.4);
    expect(got.filter(({ status }) => status === 200)).toHaveLength(run.requests.length);
    expect(run.requests.every(({ body }) => limitIn(body) !== null)).toBe(true);
    expect(new Set(refused.map(({ why }) => why))).toEqual(new Set(['usd']));
  });

  test('stays within the cap of all runs together, which then stop', async () => {
    const maxCost = { limit: 3, from: '--max-cost', isDefault: false };
    const ledger = createLedger({ maxCalls: null, maxCost }, price);
    const limits = { turns: 40, usd: 100 };
    const first = await startDear(wire, { ledger: () => ledger, terms: { limits } });
    const more = [1, 2].map((index) => openRun(first.gateway, wire, { try: index, limits }));
    const runs = [first, ...more];
    await Promise.all(runs.flatMap(({ ask }) => questions(10).map((text) => ask(text))));
    const records = runs.map((run) => run.end());
    const spent = records.reduce((sum, { whole }) => sum + (whole.usd ?? 0), 0);
    expect(spent).toBeLessThanOrEqual(3);
    expect(spent).toBeGreaterThan(2);
    expect(ledger.halt()?.why).toContain('the cost cap of $3 (--max-cost)');
    expect(records.flatMap(({ refused }) => refused.map(({ why }) => why))).toContain('budget');
  });
});

describe('the limit of output tokens that the gateway sends', () => {
  const sentBy = async (
    wire: WireCase,
    body: JsonMap,
    { usd = 1, model = 'm-1' } = {},
  ): Promise<JsonMap | undefined> => {
    const target = { provider: wire.wire, endpoint: null, model };
    const { ask, requests } = await startDear(wire, {
      terms: { target, limits: { turns: 9, usd } },
    });
    await ask('hello', { body: { model, ...body } });
    return requests[0]?.body;
  };

  test("is the client's own if the run can pay for it", async () => {
    expect(await sentBy(ANTHROPIC, { max_tokens: 32_000 })).toMatchObject({ max_tokens: 32_000 });
    expect(await sentBy(CHAT, { max_tokens: 500 })).not.toHaveProperty('max_completion_tokens');
  });

  test('is what the run can still pay for if the client asks for more', async () => {
    const body = await sentBy(ANTHROPIC, { max_tokens: 64_000 }, { usd: 0.3 });
    expect(Number(body?.['max_tokens'])).toBeLessThanOrEqual(20_000);
    expect(Number(body?.['max_tokens'])).toBeGreaterThan(19_000);
  });

  test('is the longest output of a known model if the client sets none', async () => {
    const model = 'gpt-5.4-mini';
    expect(await sentBy(CHAT, {}, { model, usd: 9 })).toMatchObject({
      max_completion_tokens: 128_000,
    });
  });

  test('keeps the other members of a generation config', async () => {
    const generationConfig = { temperature: 0 };
    expect(await sentBy(GEMINI, { generationConfig })).toMatchObject({
      generationConfig: { temperature: 0, maxOutputTokens: 32_768 },
    });
  });

  test('is never too low for the thinking that the client asks for: the call is refused', async () => {
    const thinking = { type: 'enabled', budget_tokens: 30_000 };
    const body = { max_tokens: 32_000, thinking };
    expect(await sentBy(ANTHROPIC, body, { usd: 0.3 })).toBeUndefined();
    expect(await sentBy(ANTHROPIC, body, { usd: 0.5 })).toMatchObject({ max_tokens: 32_000 });
  });

  test('is not part of the key of a stored reply', async () => {
    const limits = { turns: 1, usd: 1 };
    const vendor = dear(CHAT, 100);
    const { ask, gateway, requests } = await startDear(CHAT, { vendor, terms: { limits } });
    await ask();
    await openRun(gateway, CHAT, { limits: { ...limits, usd: 0.1 } }).ask();
    expect(requests).toHaveLength(1);
  });

  test('is not set for a model without a price', async () => {
    const { ask, requests } = await startDear(CHAT, { ledger: unlimited(() => null) });
    await ask();
    expect(requests.map(({ body }) => limitIn(body))).toEqual([null]);
  });
});

test('a run that cost more than its limit says so', async () => {
  // This vendor ignores the limit.
  const { ask, end } = await startDear(CHAT, {
    vendor: (request, response) =>
      sendReply(request, response, replyOf(CHAT, 'a', { input: 10, output: 100_000 })),
  });
  await ask();
  expect(end().refused).toEqual([
    { why: 'content', message: 'this run cost $1.5000, more than its limit of $1' },
  ]);
});
