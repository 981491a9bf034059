import { loadListPrices } from '../../../src/app/session/prices.ts';
import { priceFrom, type ListPrice } from '../../../src/money/price.ts';
import { type Target, asDirect } from '../../../src/types/model.ts';
import { hostedTarget, modelSettings, settingsWithModels } from '../../unit/app/run/builders.ts';

const GPT = hostedTarget('gpt-4o');
const LOCAL = hostedTarget('gpt-4o', 'local');
const program: Target = {
  provider: 'program',
  model: 'app',
  command: ['node', 'a.mjs'],
  setup: [],
  files: '',
  commit: 'c',
};
const replay: Target = {
  provider: 'replay',
  model: 'gpt-4o',
  file: 'r.jsonl',
  content: 'x',
  commit: 'c',
};
const usage = { input_tokens: 1_000_000, output_tokens: 500_000 };
type Own = Parameters<typeof modelSettings>[0];
const settingsOf = (...models: Own[]) => settingsWithModels(...models.map(modelSettings));
const unpriced = settingsOf({ price: null });
const flat = (price: number) => settingsOf({ price: { input: price, output: price } });
const listed: ListPrice = (vendor, model) =>
  vendor === 'openai' && model === 'gpt-4o' ? () => 42 : null;

describe('the price of a call', () => {
  const local = settingsOf({}, { endpoint: 'local', price: { input: 0, output: 1 } });
  const ofProgram = settingsOf({
    ...{ provider: 'program', model: 'app', command: ['node', 'a.mjs'] },
    price: { input: 1, output: 0 },
  });

  test.each<[string, Parameters<typeof priceFrom>, Target, number | null]>([
    ['is dollars per million tokens, by model', [[local]], GPT, 7],
    ['is that of its endpoint', [[local]], LOCAL, 0.5],
    ['is unknown if its settings give none', [[unpriced]], GPT, null],
    ['is unknown without settings', [[unpriced]], hostedTarget('gpt-4o-mini'), null],
    ['is unknown for a program', [[unpriced]], program, null],
    ['is nothing for a recording', [[unpriced]], replay, 0],
    ['is that of the first settings that have one', [[flat(1), flat(9)]], GPT, 1.5],
    ['of a program is the one it is given', [[ofProgram]], program, 1],
    [
      'of a program does not depend on its files',
      [[ofProgram]],
      { ...program, files: 'others' },
      1,
    ],
    ['of another program is unknown', [[ofProgram]], { ...program, command: ['node', 'b'] }, null],
    ["is the vendor's own if the settings give none", [[unpriced], listed], GPT, 42],
    ["is never the vendor's for a server of the workflow", [[unpriced], listed], LOCAL, null],
    ["is the settings' where the vendor has one too", [[settingsOf({})], listed], GPT, 7],
  ])('%s', (_, given, target, dollars) => {
    expect(priceFrom(...given)(target, usage)).toBe(dollars);
  });

  test('is half in a batch, and full if the same model is called without a batch', () => {
    const price = priceFrom([settingsOf({})], (_, name) => (name === 'listed' ? () => 3 : null));
    const batched = (model: string): Target => ({
      provider: 'openai',
      endpoint: null,
      model,
      transport: 'batch',
    });
    const prices = ['gpt-4o', 'listed', 'unknown'].map((name) => price(batched(name), usage));
    expect(prices).toEqual([3.5, 1.5, null]);
    expect(price(asDirect(batched('gpt-4o')), usage)).toBe(7);
    expect(asDirect(program)).toBe(program);
  });
});

describe('the bundled price list', () => {
  const input = (input_tokens: number) => ({ input_tokens, output_tokens: 0 });
  const priceOf = async (...of: Parameters<ListPrice>) =>
    (await loadListPrices(new Date('2026-01-01')))(...of)!;

  test('prices models of both vendors in proportion to their tokens', async () => {
    const gpt = await priceOf('openai', 'gpt-4o');
    expect(gpt(input(1_000_000))).toBeCloseTo(gpt(input(1000)) * 1000, 6);
    const claude = await priceOf('anthropic', 'claude-sonnet-4-5');
    expect(claude({ input_tokens: 1000, output_tokens: 1000 })).toBeGreaterThan(0.001);
  });

  test('charges long inputs at a separate rate if the vendor has one', async () => {
    const price = await priceOf('anthropic', 'claude-sonnet-4-5');
    expect(price(input(900_000))).toBeGreaterThan(price(input(90_000)) * 10);
  });

  test.each([
    ['anthropic', 'claude-sonnet-4-5', { read: 0.1, written: 1.25 }],
    ['openai', 'gpt-5.4-mini', { read: 0.1, written: 1 }],
    ['openai', 'gpt-4', { read: 1, written: 1 }],
  ] as const)('includes the prompt cache prices of %s: %s', async (vendor, model, share) => {
    const price = await priceOf(vendor, model);
    const cached = (read: number, written: number) => price(input(1000), { read, written });
    expect(cached(1000, 0)).toBeCloseTo(price(input(1000)) * share.read, 9);
    expect(cached(0, 1000)).toBeCloseTo(price(input(1000)) * share.written, 9);
  });

  test('has no price for an unknown model', async () =>
    expect(await priceOf('openai', 'no-such-model-ever')).toBeNull());
});
