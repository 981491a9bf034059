import { loadListPrices } from '../../../../src/app/session/edges.ts';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import { createMeter } from '../../../../src/money/meter.ts';
import { priceFrom } from '../../../../src/money/price.ts';
import type { Message, Request } from '../../../../src/types/model.ts';
import type { Json } from '../../../../src/types/plain.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import {
  startModelServer,
  vendorUrls,
  type ModelServer,
  type Script,
} from '../../../stand-ins/models/server.ts';
import { signatureOf } from '../../../stand-ins/models/transcripts.ts';
import { options, requestTo, until } from '../../../unit/edges/providers/providers-setting.ts';

const MODEL = 'claude-sonnet-5-5';
/** 600 tokens in the stand-in; the model caches prefixes from 512 tokens. */
const LONG = 'Be kind. '.repeat(267);

type Setting = Awaited<ReturnType<typeof start>>;

async function start(
  vendor: VendorName,
  { caching = true, answer = () => ({}) }: { caching?: boolean; answer?: Script } = {},
) {
  const server = await startModelServer({ caching, answer });
  const providers = createProviders(options({ vendorUrls: vendorUrls(server) }));
  afterThisTest(server.close);
  afterThisTest(providers.close);
  const price = priceFrom([], await loadListPrices(new Date('2026-11-22')));
  const meter = createMeter(providers.complete, price);
  return {
    server,
    ask: (messages: Message[], others: Partial<Request> & { model?: string } = {}) =>
      meter.complete(requestTo(vendor, { model: MODEL, ...others, messages })),
    totals: () => meter.totals(),
  };
}

function about(question: string, system = LONG): Message[] {
  return [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ];
}

/** Position of the cache marker in each request: `system` or a message index. */
function marks({ requests }: ModelServer): (string | number | null)[] {
  const isMarked = (part: unknown) => JSON.stringify(part ?? '').includes('cache_control');
  return requests.map(({ body }) => {
    if (isMarked(body['system'])) return 'system';
    const place = (body['messages'] as unknown[]).findIndex(isMarked);
    return place === -1 ? null : place;
  });
}

async function askInTurn(
  { ask }: Setting,
  count: number,
  { system = LONG, ...others }: Parameters<Setting['ask']>[1] & { system?: string } = {},
) {
  for (let index = 0; index < count; index++) await ask(about(`question ${index}`, system), others);
}

describe('a prompt prefix shared by many requests', () => {
  test('is written to the cache once and then read at a lower price', async () => {
    const setting = await start('anthropic');
    await askInTurn(setting, 20);
    expect(marks(setting.server)).toEqual([null, ...Array<string>(19).fill('system')]);
    const { cost_usd: warm, input_tokens: input, cached_tokens: read } = setting.totals();
    expect(read).toBeGreaterThan(18 * 600);
    // The same requests without cache prices.
    const list = (await loadListPrices(new Date('2026-11-22')))('anthropic', MODEL)!;
    const cold = list({ input_tokens: input, output_tokens: 20 * 5 });
    expect(warm).toBeLessThan(cold * 0.35);
  });

  test('is written by only one of several concurrent requests, without delaying the others', async () => {
    const held: (() => void)[] = [];
    const setting = await start('anthropic', {
      answer: ({ index }) =>
        index === 0 ? {} : new Promise((resolve) => held.push(() => resolve({}))),
    });
    await setting.ask(about('first'));
    const asked = ['a', 'b', 'c', 'd'].map((question) => setting.ask(about(question)));
    await until(() => held.length === 4);
    for (const release of held) release();
    await Promise.all(asked);
    expect(marks(setting.server).filter((mark) => mark !== null)).toEqual(['system']);
  });

  test('is written by the next request if the first writing request failed', async () => {
    const setting = await start('anthropic', {
      answer: ({ index }) =>
        index === 1 ? { status: 400, error: { message: 'no such thing' } } : {},
    });
    await askInTurn(setting, 4);
    expect(marks(setting.server)).toEqual([null, 'system', 'system', 'system']);
    expect(setting.totals().cached_tokens).toBeGreaterThan(600);
  });

  test('ends with the last shared message', async () => {
    const setting = await start('anthropic');
    const shown = (question: string): Message[] => [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: LONG },
      { role: 'assistant', content: 'Understood.' },
      { role: 'user', content: question },
    ];
    for (const question of ['a', 'b', 'c']) await setting.ask(shown(question));
    expect(marks(setting.server)).toEqual([null, 1, 1]);
    const roles = setting.server.requests[1]?.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
  });

  const call = (id: string, given: string) => ({ id, name: 'stock', arguments: given });
  const result = (id: string, content: string): Message => ({
    ...{ role: 'tool', id, name: 'stock', content },
  });
  const dialogue = (...more: Message[]): Message[] => [
    { role: 'user', content: LONG },
    {
      ...{ role: 'assistant', content: '' },
      tool_calls: [call('call00001', '{"crate":1}'), call('call00002', '{"crate":2}')],
    },
    ...more,
  ];
  const tools: Json = [{ name: 'stock', input_schema: { type: 'object' } }];
  const blocks = ({ requests }: ModelServer) =>
    (requests.at(-1)?.body['messages'] as { content: object[] }[]).flatMap(
      ({ content }) => content,
    );
  const isMarked = (block: unknown) => JSON.stringify(block).includes('cache_control');

  test('can end with the results of tools, and not with what the user says after them', async () => {
    const setting = await start('anthropic');
    for (const question of ['a', 'b', 'c']) {
      const results = [result('call00001', '41'), result('call00002', '')];
      const messages = dialogue(...results, { role: 'user', content: question });
      await setting.ask(messages, { parameters: { tools } });
    }
    expect(setting.server.refused).toEqual([]);
    expect(marks(setting.server)).toEqual([null, 2, 2]);
    expect(blocks(setting.server).filter(isMarked)).toEqual([
      {
        ...{ type: 'tool_result', tool_use_id: 'call00002' },
        cache_control: { type: 'ephemeral' },
      },
    ]);
    expect(setting.totals().cached_tokens).toBeGreaterThan(512);
  });

  test('can end with a call without text', async () => {
    const setting = await start('anthropic');
    for (const [index, one] of ['40', '41', '42'].entries())
      await setting.ask(
        dialogue(result('call00001', one), result('call00002', `${index} of ${one}`)),
        { parameters: { tools } },
      );
    expect(setting.server.refused).toEqual([]);
    expect(marks(setting.server)).toEqual([null, 1, 1]);
    expect(blocks(setting.server).filter(isMarked)).toMatchObject([
      { type: 'tool_use', id: 'call00002' },
    ]);
  });

  test('is another one if only the arguments of a call or its thinking differ', async () => {
    const setting = await start('anthropic');
    const [user, asked, ...rest] = dialogue(result('call00001', '41'), result('call00002', '7'), {
      role: 'user',
      content: 'And now?',
    });
    const thinking = 'Hm.';
    const data = [
      { type: 'thinking', thinking, signature: signatureOf(thinking) },
      { type: 'tool_use', id: 'toolu_1', name: 'stock', input: {} },
      { type: 'tool_use', id: 'toolu_2', name: 'stock', input: {} },
    ];
    const own = { ...asked!, opaque: { api: 'messages', model: MODEL, data } } as Message;
    const other = { ...asked!, tool_calls: [call('call00001', '{}'), call('call00002', '{}')] };
    const short = { ...user!, content: 'Hi. '.repeat(400) } as Message;
    const long = { ...rest[0]!, content: LONG } as Message;
    for (const each of [asked!, own, other as Message])
      await setting.ask([short, each, long, ...rest.slice(1)], { parameters: { tools } });
    expect(setting.server.refused).toEqual([]);
    expect(marks(setting.server)).toEqual([null, null, null]);
  });

  test('is cached separately for each model and each set of parameters', async () => {
    const setting = await start('anthropic');
    await setting.ask(about('a'));
    await setting.ask(about('b'), { parameters: { max_tokens: 9 } });
    await setting.ask(about('c'), { model: 'claude-opus-5' });
    expect(marks(setting.server)).toEqual([null, null, null]);
  });
});

describe('a cache marker is not set', () => {
  test("on a prefix below the model's minimum length", async () => {
    const setting = await start('anthropic');
    await askInTurn(setting, 3, { system: LONG.slice(0, 2000) });
    expect(marks(setting.server)).toEqual([null, null, null]);
    await askInTurn(setting, 3, { model: 'claude-haiku-4-5' });
    expect(marks(setting.server).slice(3)).toEqual([null, null, null]);
  });

  test.each([
    ['claude-fable-5-1', 512],
    ['claude-opus-5-5', 512],
    ['claude-opus-5', 512],
    ['claude-haiku-5-5', 512],
    ['claude-sonnet-5', 1024],
    ['claude-sonnet-4-6', 1024],
    ['claude-opus-4-8', 1024],
    ['claude-opus-4-7', 2048],
    ['claude-opus-4-6', 4096],
    ['claude-haiku-4-5', 4096],
  ])('for %s on a prefix below %i tokens, but is set at that length', async (model, least) => {
    const setting = await start('anthropic');
    await askInTurn(setting, 3, { model, system: 'x'.repeat(least * 4 - 1) });
    expect(marks(setting.server)).toEqual([null, null, null]);
    await askInTurn(setting, 3, { model, system: 'y'.repeat(least * 4) });
    expect(marks(setting.server).slice(3)).toEqual([null, 'system', 'system']);
    expect(setting.totals().cached_tokens).toBeGreaterThanOrEqual(least);
  });

  test('if the prompt file sets its own markers, or if the model is unknown', async () => {
    const setting = await start('anthropic');
    await askInTurn(setting, 3, { parameters: { cache_control: { type: 'ephemeral' } } });
    await askInTurn(setting, 3, { model: 'claude-of-tomorrow' });
    expect(marks(setting.server)).toEqual(Array<null>(6).fill(null));
  });

  test('for OpenAI, which caches automatically and receives an unchanged body', async () => {
    const setting = await start('openai');
    const long = LONG.repeat(2);
    await askInTurn(setting, 3, { model: 'gpt-5.4-mini', system: long });
    expect(marks(setting.server)).toEqual([null, null, null]);
    expect(setting.server.requests[2]?.body['messages']).toEqual(about('question 2', long));
    const { cached_tokens: read, input_tokens: input, cost_usd: warm } = setting.totals();
    expect(read).toBe(2 * 1152);
    const list = (await loadListPrices(new Date('2026-11-22')))('openai', 'gpt-5.4-mini')!;
    expect(warm).toBeLessThan(list({ input_tokens: input, output_tokens: 15 }));
  });
});

describe('cached tokens', () => {
  test.each([
    ['openai', 'gpt-5.4-mini'],
    ['openai', 'gpt-5-pro'],
    ['anthropic', MODEL],
  ] as const)('are read from the replies of %s: %s', async (vendor, model) => {
    const { ask } = await start(vendor, {
      caching: false,
      answer: () => ({ usage: { input: 900, output: 5, read: 700, written: 100 } }),
    });
    expect(await ask(about('a'), { model })).toMatchObject({
      usage: { input_tokens: 900, output_tokens: 5 },
      cached: { read: 700, written: 100 },
    });
  });

  test("cannot exceed the call's input tokens, whatever the server reports", async () => {
    const { ask, totals } = await start('openai', {
      caching: false,
      answer: () => ({ usage: { input: 10, output: 5, read: 1_000_000, written: 50 } }),
    });
    expect(await ask(about('a'), { model: 'gpt-5.4-mini' })).toMatchObject({
      cached: { read: 10, written: 0 },
    });
    expect(totals().cost_usd).toBeGreaterThan(0);
  });
});
