import { describe, expect, test } from '@jest/globals';
import { createMeter, priceFrom } from '../../src/core/meter.ts';
import type { Completion, ModelSettings, Request, Target } from '../../src/types.ts';
import { answer, settings } from './builders.ts';

const entry = (changes: Partial<ModelSettings>): ModelSettings => ({
  provider: 'openai', endpoint: null, model: 'gpt-4o', price: { input: 2, output: 10 }, command: [], files: [], setup: [], file: null, replaces: [],
  place: { file: 'evaldiff.yaml', line: 1 }, ...changes,
});
const models = (...entries: ModelSettings[]) => settings({ models: new Map(entries.map((one, index) => [`m${String(index)}`, one])) });
const hosted = (model: string, endpoint: string | null = null): Target => ({ provider: 'openai', endpoint, model });
const program: Target = { provider: 'program', model: 'app', command: ['node', 'a.mjs'], setup: [], files: '', commit: 'c' };
const usage = { input_tokens: 1_000_000, output_tokens: 500_000 };

describe('the price of a call', () => {
  test('is dollars per million tokens, by provider, endpoint and model', () => {
    const price = priceFrom([models(entry({}), entry({ endpoint: 'local', price: { input: 0, output: 1 } }))]);
    expect(price(hosted('gpt-4o'), usage)).toBe(7);
    expect(price(hosted('gpt-4o', 'local'), usage)).toBe(0.5);
  });

  test('is unknown where no price is given, and nothing for what runs here', () => {
    const price = priceFrom([models(entry({ price: null }))]);
    expect(price(hosted('gpt-4o'), usage)).toBeNull();
    expect(price(hosted('gpt-4o-mini'), usage)).toBeNull();
    expect(price(program, usage)).toBe(0);
  });

  test('is that of the first settings where two have one', () => {
    const [head, base] = [models(entry({ price: { input: 1, output: 1 } })), models(entry({ price: { input: 9, output: 9 } }))];
    expect(priceFrom([head, base])(hosted('gpt-4o'), usage)).toBe(1.5);
  });
});

describe('the meter', () => {
  const request = (target: Target): Request => ({ target, parameters: {}, messages: [], try: 0, schema: null, purpose: 'prompt' });
  const meterOf = (completion: Completion) => createMeter(() => Promise.resolve(completion), priceFrom([models(entry({}))]));

  test('counts calls, tokens and dollars of what was paid for, and what was reused apart', async () => {
    const meter = meterOf(answer('yes'));
    await meter.complete(request(hosted('gpt-4o')));
    meter.shared('prompt');
    expect(meter.totals()).toMatchObject({ calls: 1, reused: 1, input_tokens: 3, output_tokens: 1, cost_usd: 16e-6 });
  });

  test('has no total where one call has no price', async () => {
    const meter = meterOf(answer('yes'));
    await meter.complete(request(hosted('gpt-4o')));
    await meter.complete(request(hosted('mystery')));
    expect(meter.totals().cost_usd).toBeNull();
  });
});
