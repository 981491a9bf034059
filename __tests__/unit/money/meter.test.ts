import { describe, expect, test } from '@jest/globals';
import { createMeter, type ListPrice, priceFrom } from '../../../src/money/price.ts';
import type { Completion, Request, Target } from '../../../src/types/model.ts';
import { answer, hostedTarget, modelSettings, settingsWithModels } from '../app/run/builders.ts';

describe('the meter', () => {
  const request = (target: Target): Request => ({
    target,
    parameters: {},
    messages: [],
    try: 0,
    schema: null,
    purpose: 'prompt',
  });
  const meterOf = (completion: Completion) =>
    createMeter(
      () => Promise.resolve(completion),
      priceFrom([settingsWithModels(modelSettings())]),
    );
  const replay: Target = {
    provider: 'replay',
    model: 'gpt-4o',
    file: 'r.jsonl',
    content: '',
    commit: '',
  };

  test('counts what recordings give apart: no call, nothing reused, no price', async () => {
    const meter = meterOf(answer('x'));
    await meter.complete(request(hostedTarget('gpt-4o')));
    await meter.complete(request(replay));
    meter.shared('prompt', { target: replay, usage: null });
    expect(meter.totals()).toMatchObject({ calls: 1, reused: 0, replayed: 2 });
    expect(meter.totals().by_purpose.prompt).toMatchObject({ calls: 1, reused: 0, replayed: 2 });
    const missing = meterOf({ status: 'error', kind: 'recording', message: 'none' });
    await missing.complete(request(replay));
    expect(missing.totals()).toMatchObject({ calls: 0, replayed: 0 });
  });

  test('counts no call where nothing was sent', async () => {
    const meter = meterOf({ status: 'error', kind: 'key', message: 'no', unsent: true });
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals().calls).toBe(0);
  });

  test('counts calls, tokens and dollars of what was paid for, and what was reused apart', async () => {
    const meter = meterOf(answer('yes'));
    await meter.complete(request(hostedTarget('gpt-4o')));
    meter.shared('prompt', {
      target: hostedTarget('gpt-4o'),
      usage: { input_tokens: 3, output_tokens: 1 },
    });
    expect(meter.totals()).toEqual({
      calls: 1,
      reused: 1,
      replayed: 0,
      input_tokens: 3,
      output_tokens: 1,
      cost_usd: 16e-6,
      saved_usd: 16e-6,
      by_purpose: {
        prompt: { calls: 1, reused: 1, replayed: 0, cost_usd: 16e-6, saved_usd: 16e-6 },
      },
    });
  });

  test('prices what the vendor read from its cache as such, counts it, and never what an answer saves', async () => {
    const completion: Completion = {
      ...answer('yes'),
      status: 'ok',
      usage: { input_tokens: 3000, output_tokens: 1 },
      cached: { read: 2000, written: 500 },
    } as Completion;
    const list: ListPrice =
      () =>
      ({ input_tokens }, cached) =>
        input_tokens - (cached?.read ?? 0) + (cached?.written ?? 0);
    const given = [completion, { ...completion, reused: true } as Completion];
    const meter = createMeter(
      () => Promise.resolve(given.shift() ?? completion),
      priceFrom([], list),
    );
    await meter.complete(request(hostedTarget('gpt-4o')));
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals()).toMatchObject({
      input_tokens: 3000,
      cached_tokens: 2000,
      cost_usd: 1500,
      saved_usd: 3000,
    });
  });

  test.each([
    [{ input: 2, output: 10 }, 6010e-6],
    [{ input: 2, output: 10, cached: 0.5 }, 3010e-6],
    [{ input: 2, output: 10, cached: 0 }, 2010e-6],
  ])('prices with %j what the server read from its cache', async (price, dollars) => {
    const completion = {
      ...answer('yes'),
      usage: { input_tokens: 3000, output_tokens: 1 },
      cached: { read: 2000, written: 0 },
    } as Completion;
    const meter = createMeter(
      () => Promise.resolve(completion),
      priceFrom([settingsWithModels(modelSettings({ price }))]),
    );
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals().cost_usd).toBeCloseTo(dollars, 9);
  });

  const usage = { input_tokens: 3, output_tokens: 1 };
  test.each<[string, Partial<Completion>, object]>([
    ['counts every attempt', { attempts: 3 }, { calls: 3, cost_usd: 16e-6 }],
    [
      'adds replies without an answer',
      { attempts: 2, spent: [{ usage }] },
      { input_tokens: 6, cost_usd: 32e-6 },
    ],
    [
      'knows no cost after a reply that cannot be read',
      { attempts: 2, spent: [{ usage: null }] },
      { calls: 2, cost_usd: null },
    ],
    [
      'knows no cost where a reply does not count',
      { spent: [{ usage: null }] },
      { cost_usd: null },
    ],
  ])('%s', async (_, changes, totals) => {
    const meter = meterOf({ ...answer('yes'), ...changes } as Completion);
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals()).toMatchObject(totals);
  });

  test.each<[string, Partial<Completion>, object]>([
    ['one request', {}, { calls: 1, cost_usd: 0 }],
    ['five requests', { attempts: 5 }, { calls: 5, cost_usd: 0 }],
    [
      'replies that were counted',
      { attempts: 2, spent: [{ usage }, { usage }] },
      { calls: 2, cost_usd: 32e-6 },
    ],
    ['a reply that cannot be read', { spent: [{ usage: null }] }, { calls: 1, cost_usd: null }],
    ['no request', { unsent: true }, { calls: 0, cost_usd: 0 }],
  ])('counts of an error: %s', async (_, changes, totals) => {
    const error = { status: 'error', kind: 'reply', message: 'odd', ...changes };
    const meter = meterOf(error as Completion);
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals()).toMatchObject(totals);
  });

  test('has no total where one call has no price', async () => {
    const meter = meterOf(answer('yes'));
    await meter.complete(request(hostedTarget('gpt-4o')));
    await meter.complete(request(hostedTarget('mystery')));
    expect(meter.totals().cost_usd).toBeNull();
  });

  test('says where all that has no price went to programs of the project, which nobody else is paid for', async () => {
    const program: Target = {
      provider: 'program',
      model: 'app',
      command: ['app'],
      setup: [],
      files: '',
      commit: '',
    };
    const meter = meterOf(answer('yes'));
    expect(meter.totals()).not.toHaveProperty('unpriced');
    await meter.complete(
      request({ provider: 'replay', model: 'r', file: 'r.jsonl', content: 'c', commit: '' }),
    );
    expect(meter.totals()).toMatchObject({ cost_usd: 0 });
    expect(meter.totals()).not.toHaveProperty('unpriced');
    await meter.complete(request(program));
    expect(meter.totals()).toMatchObject({ cost_usd: null, unpriced: 'programs' });
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals()).toMatchObject({ cost_usd: null });
    expect(meter.totals()).not.toHaveProperty('unpriced');
  });

  test('does not know what was saved where one reused answer has no price', async () => {
    const meter = meterOf({ ...answer('yes'), reused: true } as Completion);
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals()).toMatchObject({ calls: 0, reused: 1, cost_usd: 0, saved_usd: 16e-6 });
    meter.shared('prompt');
    expect(meter.totals()).toMatchObject({ reused: 2, saved_usd: null });
  });

  test.each([
    ['budget', 0],
    ['aborted', 0],
    ['timeout', 1],
  ] as const)('takes a call that ended as %s for %d calls', async (kind, calls) => {
    const meter = meterOf({ status: 'error', kind, message: 'no' });
    await meter.complete(request(hostedTarget('gpt-4o')));
    expect(meter.totals()).toMatchObject({ calls, cost_usd: 0 });
  });
});
