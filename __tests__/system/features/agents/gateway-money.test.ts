import { describe, expect, test } from '@jest/globals';
import { createLedger, type Ledger } from '../../../../src/money/ledger.ts';
import { member, type JsonMap } from '../../../../src/types/plain.ts';
import type { Price } from '../../../../src/types/price.ts';
import { ANTHROPIC, CHAT, eventText, GEMINI, WIRES } from '../../../stand-ins/agents/wires.ts';
import type { WireCase } from '../../../stand-ins/agents/wires.ts';
import {
  ask,
  askStream,
  memoryStore,
  startGateway,
  startVendor,
  termsFor,
  unlimited,
  type Vendor,
} from './gateway-setting.ts';

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
function dear(wire: WireCase, most = 64_000): Promise<Vendor> {
  return startVendor(({ body, path }, response) => {
    const output = limitIn(body) ?? most;
    const billed = <T>(reply: T): T =>
      JSON.parse(
        JSON.stringify(reply, (key, value: unknown) => {
          if (/^(output_tokens|completion_tokens|candidatesTokenCount)$/.test(key)) return output;
          return key === 'thoughtsTokenCount' ? 0 : value;
        }),
      ) as T;
    const isStreamed = body['stream'] === true || path.includes('alt=sse');
    response.setHeader('content-type', isStreamed ? 'text/event-stream' : 'application/json');
    response.end(
      isStreamed
        ? eventText(billed(wire.events('a', 'm-1'))).join('')
        : JSON.stringify(billed(wire.reply('a', 'm-1'))),
    );
  });
}

function capped(limit: number): Ledger {
  const maxCost = { limit, from: '--max-cost', isDefault: false };
  return createLedger({ maxCalls: null, maxCost }, price);
}

const questions = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `question ${String(index)}`);

/** Messages requires a limit, so its client sends a high one. The other clients send none. */
const clients = WIRES.map((wire): WireCase =>
  wire === ANTHROPIC
    ? { ...wire, body: (text, more) => wire.body(text, { max_tokens: 64_000, ...more }) }
    : wire,
);

describe.each(clients)('the money of parallel calls of $name', (wire) => {
  test.each([
    ['JSON', ask],
    ['streams', askStream],
  ] as const)('stays within the limit of the run (%s)', async (_, send) => {
    const vendor = await dear(wire);
    const gateway = await startGateway(vendor, { ledger: unlimited(price) });
    const ticket = gateway.open(termsFor(wire, { limits: { turns: 40, usd: 1 } }));
    const got = await Promise.all(questions(40).map((text) => send(gateway, wire, ticket, text)));
    const { whole, refused } = ticket.end();
    expect(whole.usd).toBeLessThanOrEqual(1);
    expect(whole.usd).toBeGreaterThan(0.4);
    expect(got.filter(({ status }) => status === 200)).toHaveLength(vendor.requests.length);
    expect(vendor.requests.every(({ body }) => limitIn(body) !== null)).toBe(true);
    expect(new Set(refused.map(({ why }) => why))).toEqual(new Set(['usd']));
  });

  test('stays within the cap of all runs together, which then stop', async () => {
    const vendor = await dear(wire);
    const ledger = capped(3);
    const gateway = await startGateway(vendor, { ledger: () => ledger });
    const runs = [0, 1, 2].map((index) =>
      gateway.open(termsFor(wire, { try: index, limits: { turns: 40, usd: 100 } })),
    );
    await Promise.all(
      runs.flatMap((run) => questions(10).map((text) => ask(gateway, wire, run, text))),
    );
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
    const vendor = await dear(wire);
    const gateway = await startGateway(vendor, { ledger: unlimited(price) });
    const target = { provider: wire.wire, endpoint: null, model };
    const ticket = gateway.open(termsFor(wire, { target, limits: { turns: 9, usd } }));
    await ask(gateway, wire, ticket, 'hello', { body: { model, ...body } });
    return vendor.requests[0]?.body;
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
    const vendor = await dear(CHAT, 100);
    const stored = memoryStore();
    const gateway = await startGateway(vendor, { ledger: unlimited(price), stored });
    for (const usd of [1, 0.1])
      await ask(gateway, CHAT, gateway.open(termsFor(CHAT, { limits: { turns: 1, usd } })));
    expect(vendor.requests).toHaveLength(1);
  });

  test('is not set for a model without a price', async () => {
    const vendor = await dear(CHAT);
    const gateway = await startGateway(vendor, { ledger: unlimited(() => null) });
    await ask(gateway, CHAT, gateway.open(termsFor(CHAT)));
    expect(limitIn(vendor.requests[0]?.body ?? {})).toBeNull();
  });
});

test('a run that cost more than its limit says so', async () => {
  // This vendor ignores the limit.
  const vendor = await startVendor((_, response) => {
    const reply = { ...CHAT.reply('a', 'm-1') };
    const usage = { prompt_tokens: 10, completion_tokens: 100_000 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...reply, usage }));
  });
  const gateway = await startGateway(vendor, { ledger: unlimited(price) });
  const ticket = gateway.open(termsFor(CHAT, { limits: { turns: 9, usd: 1 } }));
  await ask(gateway, CHAT, ticket);
  expect(ticket.end().refused).toEqual([
    { why: 'usd', message: 'this run cost $1.5000, more than its limit of $1' },
  ]);
});
