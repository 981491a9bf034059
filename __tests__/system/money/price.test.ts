import { loadListPrices } from '../../../src/app/session/edges.ts';
import { vendorOf } from '../../../src/config/model-names.ts';
import { priceFrom, type ListPrice } from '../../../src/money/price.ts';
import { type Target, asDirect } from '../../../src/types/model.ts';
import type { VendorName } from '../../../src/types/vendors/names.ts';
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

  const claude =
    'claude-opus-5-5 claude-opus-5 claude-opus-4-8-v1:0 claude-opus-4-7-v1:0 claude-opus-4-6-v1 claude-opus-4-5-20251101-v1:0 claude-sonnet-5-5 claude-sonnet-5-v1:0 claude-sonnet-4-6 claude-sonnet-4-5-20250929-v1:0 claude-haiku-4-5-20251001-v1:0 claude-fable-5-1-v1:0 claude-fable-5-v1:0'.split(
      ' ',
    );
  const named = (prefix: string, names: string) =>
    names.split(' ').map((name) => `${prefix}${name}`);
  const NAMES: Partial<Record<VendorName, string[]>> = {
    bedrock: [
      ...['', 'us.', 'eu.', 'apac.', 'global.'].flatMap((area) =>
        claude.map((name) => `${area}anthropic.${name}`),
      ),
      ...named('arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.', claude.join(' ')),
      ...named('us.', 'amazon.nova-2-lite-v1:0 meta.llama4-scout-17b-instruct-v1:0'),
      ...named('amazon.nova-', 'lite-v1:0 micro-v1:0 pro-v1:0 premier-v1:0'),
      ...named('openai.gpt-', '5.4 5.5 oss-120b-1:0 oss-20b-1:0'),
      ...named('mistral.', 'mistral-large-3-675b-instruct ministral-3-8b-instruct'),
      ...named('', 'deepseek.r1-v1:0 qwen.qwen3-32b-v1:0 writer.palmyra-x5-v1:0'),
    ],
    vertex: [
      ...named(
        'publishers/google/models/gemini-',
        '2.5-pro 2.5-flash 3.5-flash 3.6-flash 3.8-flash',
      ),
      ...named('publishers/anthropic/models/claude-', 'opus-5-5 sonnet-4-5@20250929'),
    ],
    azure: named('gpt-', '5.4 5.4-mini 5.5 6-luna 6-astra 4o'),
    fireworks: named('accounts/fireworks/models/', 'gpt-oss-120b kimi-k2p6 deepseek-v4-pro'),
    moonshot: named('kimi-', 'k2.5 k2.6 k3'),
    zai: named('glm-', '5.2 5.3'),
    cohere: named('command-', 'a-03-2025 r-plus'),
  };

  test('prices the names that clouds and other vendors use', async () => {
    const list = await loadListPrices(new Date('2026-11-29'));
    const all = Object.entries(NAMES) as [VendorName, string[]][];
    expect(all.flatMap(([, names]) => names).length).toBeGreaterThan(115);
    const odd = all.flatMap(([vendor, names]) =>
      names.filter((name) => {
        const known = vendor === 'azure' || vendorOf(name) === vendor;
        return !known || !((list(vendor, name)?.(input(1000)) ?? 0) > 0);
      }),
    );
    expect(odd).toEqual([]);
  });

  test('is not used for a reply that states its cost', () => {
    const price = priceFrom([unpriced], listed);
    const cached = { read: 0, written: 0, cost: 0.25 };
    expect(price(GPT, usage, cached)).toBe(0.25);
    expect(priceFrom([flat(1)], listed)(GPT, usage, cached)).toBe(1.5);
  });

  test('has no price for an unknown model', async () =>
    expect(await priceOf('openai', 'no-such-model-ever')).toBeNull());
});
