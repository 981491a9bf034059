import { describe, expect, test } from '@jest/globals';
import { loadListPrices } from '../../../src/app/session/prices.ts';
import { asDirect, priceFrom, type ListPrice } from '../../../src/money/price.ts';
import type { Target } from '../../../src/types/model.ts';
import { hostedTarget, modelSettings, settingsWithModels } from '../../unit/app/run/builders.ts';

const program: Target = {
  provider: 'program',
  model: 'app',
  command: ['node', 'a.mjs'],
  setup: [],
  files: '',
  commit: 'c',
};
const usage = { input_tokens: 1_000_000, output_tokens: 500_000 };

describe('the price of a call', () => {
  test('is dollars per million tokens, by provider, endpoint and model', () => {
    const price = priceFrom([
      settingsWithModels(
        modelSettings(),
        modelSettings({ endpoint: 'local', price: { input: 0, output: 1 } }),
      ),
    ]);
    expect(price(hostedTarget('gpt-4o'), usage)).toBe(7);
    expect(price(hostedTarget('gpt-4o', 'local'), usage)).toBe(0.5);
  });

  test('is unknown where no price is given, also for a program; recordings cost nothing', () => {
    const price = priceFrom([settingsWithModels(modelSettings({ price: null }))]);
    expect(price(hostedTarget('gpt-4o'), usage)).toBeNull();
    expect(price(hostedTarget('gpt-4o-mini'), usage)).toBeNull();
    expect(price(program, usage)).toBeNull();
    expect(
      price(
        { provider: 'replay', model: 'gpt-4o', file: 'r.jsonl', content: 'x', commit: 'c' },
        usage,
      ),
    ).toBe(0);
  });

  test('is that of the first settings where two have one', () => {
    const [head, base] = [
      settingsWithModels(modelSettings({ price: { input: 1, output: 1 } })),
      settingsWithModels(modelSettings({ price: { input: 9, output: 9 } })),
    ];
    expect(priceFrom([head, base])(hostedTarget('gpt-4o'), usage)).toBe(1.5);
  });

  test('of a program is the one it is given, whatever its files are', () => {
    const price = priceFrom([
      settingsWithModels(
        modelSettings({
          provider: 'program',
          model: 'app',
          command: ['node', 'a.mjs'],
          price: { input: 1, output: 0 },
        }),
      ),
    ]);
    expect(price(program, usage)).toBe(1);
    expect(price({ ...program, files: 'others', commit: 'd' }, usage)).toBe(1);
    expect(price({ ...program, command: ['node', 'b.mjs'] }, usage)).toBeNull();
  });

  test("is the vendor's own where the settings give none, and never that for a server of the workflow's", () => {
    const list: ListPrice = (vendor, model) =>
      vendor === 'openai' && model === 'gpt-4o' ? () => 42 : null;
    const price = priceFrom([settingsWithModels(modelSettings({ price: null }))], list);
    expect(price(hostedTarget('gpt-4o'), usage)).toBe(42);
    expect(price(hostedTarget('gpt-4o', 'local'), usage)).toBeNull();
    expect(
      priceFrom([settingsWithModels(modelSettings())], list)(hostedTarget('gpt-4o'), usage),
    ).toBe(7);
  });
});

describe('the bundled list', () => {
  test('prices models of both vendors, with the same result for one long look and many short ones', async () => {
    const list = await loadListPrices(new Date('2026-01-01'));
    const price = list('openai', 'gpt-4o');
    expect(price?.({ input_tokens: 1_000_000, output_tokens: 0 })).toBeCloseTo(
      price!({ input_tokens: 1000, output_tokens: 0 }) * 1000,
      6,
    );
    expect(
      list('anthropic', 'claude-sonnet-4-5')?.({ input_tokens: 1000, output_tokens: 1000 }),
    ).toBeGreaterThan(0.001);
  });

  test('charges long inputs by their own rate where the vendor has one', async () => {
    const price = (await loadListPrices(new Date('2026-01-01')))('anthropic', 'claude-sonnet-4-5')!;
    expect(price({ input_tokens: 900_000, output_tokens: 0 })).toBeGreaterThan(
      price({ input_tokens: 90_000, output_tokens: 0 }) * 10,
    );
  });

  test.each([
    ['anthropic', 'claude-sonnet-4-5', { read: 0.1, written: 1.25 }],
    ['openai', 'gpt-5.4-mini', { read: 0.1, written: 1 }],
    ['openai', 'gpt-4', { read: 1, written: 1 }],
  ] as const)(
    'has the price of what went through the prompt cache of %s: %s',
    async (vendor, model, share) => {
      const price = (await loadListPrices(new Date('2026-01-01')))(vendor, model)!;
      const usage = { input_tokens: 1000, output_tokens: 0 };
      const full = price(usage);
      expect(price(usage, { read: 1000, written: 0 })).toBeCloseTo(full * share.read, 9);
      expect(price(usage, { read: 0, written: 1000 })).toBeCloseTo(full * share.written, 9);
    },
  );

  test('knows nothing of a model it does not have', async () => {
    expect(
      (await loadListPrices(new Date('2026-01-01')))('openai', 'no-such-model-ever'),
    ).toBeNull();
  });

  test('is half of any price in a batch, and what it is directly for those who ask for that', () => {
    const list: ListPrice = (_, name) => (name === 'listed' ? () => 3 : null);
    const price = priceFrom([settingsWithModels(modelSettings())], list);
    const batched = (name: string): Target => ({
      provider: 'openai',
      endpoint: null,
      model: name,
      transport: 'batch',
    });
    expect([
      price(batched('gpt-4o'), usage),
      price(batched('listed'), usage),
      price(batched('unknown'), usage),
    ]).toEqual([3.5, 1.5, null]);
    expect(price(asDirect(batched('gpt-4o')), usage)).toBe(7);
    expect(asDirect(program)).toBe(program);
  });
});
