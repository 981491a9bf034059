import { createMeter } from '../../../src/money/meter.ts';
import { priceFrom, type ListPrice } from '../../../src/money/price.ts';
import type { Completion, Request, Target } from '../../../src/types/model.ts';
import { answer, hostedTarget, modelSettings, settingsWithModels } from '../app/run/builders.ts';

const GPT = hostedTarget('gpt-4o');
const replay: Target = {
  provider: 'replay',
  model: 'gpt-4o',
  file: 'r.jsonl',
  content: '',
  commit: '',
};
const program: Target = {
  provider: 'program',
  model: 'app',
  command: ['app'],
  setup: [],
  files: '',
  commit: '',
};
const usage = { input_tokens: 3, output_tokens: 1 };
const yes = (changes: object = {}) => ({ ...answer('yes'), ...changes }) as Completion;
const error = (changes: object = {}) =>
  ({ status: 'error', kind: 'reply', message: 'odd', ...changes }) as Completion;

/** A meter whose model returns these completions in order and repeats the last one. */
function meterOf(
  completions: Completion | Completion[] = yes(),
  price = priceFrom([settingsWithModels(modelSettings())]),
) {
  const given = [completions].flat();
  const next = () => Promise.resolve(given.length > 1 ? given.shift()! : given[0]!);
  const meter = createMeter(next, price);
  const call = async (target: Target = GPT) => {
    const messages: Request['messages'] = [];
    const request = { target, parameters: {}, messages, try: 0, schema: null };
    await meter.complete({ ...request, purpose: 'prompt' });
    return meter.totals();
  };
  return { ...meter, call };
}

describe('meter', () => {
  test('counts a run of prompt code as a call without a price, like a program', () => {
    const { ran, totals } = meterOf();
    ran('prompt');
    const counts = { calls: 1, cost_usd: null };
    expect(totals()).toMatchObject({
      ...counts,
      unpriced: 'programs',
      by_purpose: { prompt: counts },
    });
  });

  test('counts recordings separately from calls and reused answers, at no cost', async () => {
    const { call, shared, totals } = meterOf();
    await call();
    await call(replay);
    shared('prompt', { target: replay, usage: null });
    const counts = { calls: 1, reused: 0, replayed: 2 };
    expect(totals()).toMatchObject({ ...counts, by_purpose: { prompt: counts } });
    const missing = meterOf(error({ kind: 'recording' }));
    expect(await missing.call(replay)).toMatchObject({ calls: 0, replayed: 0 });
  });

  test('counts paid calls, tokens and dollars separately from reused answers', async () => {
    const { call, shared, totals } = meterOf();
    await call();
    shared('prompt', { target: GPT, usage });
    const counts = { calls: 1, reused: 1, replayed: 0, cost_usd: 16e-6, saved_usd: 16e-6 };
    expect(totals()).toEqual({ ...counts, ...usage, by_purpose: { prompt: counts } });
  });

  const large = { usage: { input_tokens: 3000, output_tokens: 1 } };

  test("applies the vendor's cache prices to calls, but counts a reused answer as saving the full price", async () => {
    const cached = { ...large, cached: { read: 2000, written: 500 } };
    const list: ListPrice =
      () =>
      ({ input_tokens }, { read = 0, written = 0 } = { read: 0, written: 0 }) =>
        input_tokens - read + written;
    const { call } = meterOf([yes(cached), yes({ ...cached, reused: true })], priceFrom([], list));
    await call();
    const tokens = { input_tokens: 3000, cached_tokens: 2000 };
    expect(await call()).toMatchObject({ ...tokens, cost_usd: 1500, saved_usd: 3000 });
  });

  test("prices an endpoint's model only if the endpoint declares its vendor and model", () => {
    const list: ListPrice = (vendor, model) =>
      vendor === 'openai' && model === 'gpt-5.4' ? ({ output_tokens }) => output_tokens : null;
    const price = priceFrom([], list);
    const ours = { provider: 'openai', endpoint: 'azure', model: 'dep-1' } as const;
    expect(price({ ...ours, is: { provider: 'openai', model: 'gpt-5.4' } }, large.usage)).toBe(1);
    expect(price(ours, large.usage)).toBeNull();
  });

  test.each([
    [{ input: 2, output: 10 }, 6010e-6],
    [{ input: 2, output: 10, cached: 0.5 }, 3010e-6],
    [{ input: 2, output: 10, cached: 0 }, 2010e-6],
  ])('with price %j charges cached input tokens at the cache price', async (price, dollars) => {
    const models = settingsWithModels(modelSettings({ price }));
    const completion = yes({ ...large, cached: { read: 2000, written: 0 } });
    const { cost_usd } = await meterOf(completion, priceFrom([models])).call();
    expect(cost_usd).toBeCloseTo(dollars, 9);
  });

  const twice = { attempts: 2 };
  test.each<[string, Completion, object]>([
    ['every attempt', yes({ attempts: 3 }), { calls: 3, cost_usd: 16e-6 }],
    [
      'replies without an answer',
      yes({ ...twice, spent: [{ usage }] }),
      { input_tokens: 6, cost_usd: 32e-6 },
    ],
    [
      'no cost after an unreadable reply',
      yes({ ...twice, spent: [{ usage: null }] }),
      { calls: 2, cost_usd: null },
    ],
    ['no cost of a reply without counts', yes({ spent: [{ usage: null }] }), { cost_usd: null }],
    ['one request of an error', error(), { calls: 1, cost_usd: 0 }],
    ['five requests of an error', error({ attempts: 5 }), { calls: 5, cost_usd: 0 }],
    [
      'replies of an error that were counted',
      error({ ...twice, spent: [{ usage }, { usage }] }),
      { calls: 2, cost_usd: 32e-6 },
    ],
    [
      'no cost of an error whose reply is unreadable',
      error({ spent: [{ usage: null }] }),
      { calls: 1, cost_usd: null },
    ],
    ['no request that was not sent', error({ unsent: true }), { calls: 0, cost_usd: 0 }],
    ['no call that the budget ended', error({ kind: 'budget' }), { calls: 0, cost_usd: 0 }],
    ['no call that was aborted', error({ kind: 'aborted' }), { calls: 0, cost_usd: 0 }],
    ['a call that timed out', error({ kind: 'timeout' }), { calls: 1, cost_usd: 0 }],
  ])('counts %s', async (_, completion, totals) => {
    expect(await meterOf(completion).call()).toMatchObject(totals);
  });

  test('reports a null cost if one call has no known price', async () => {
    const { call } = meterOf();
    await call();
    expect((await call(hostedTarget('mystery'))).cost_usd).toBeNull();
  });

  test("reports when only the project's programs have no price", async () => {
    const { call, totals } = meterOf();
    expect(totals()).not.toHaveProperty('unpriced');
    const recorded = await call(replay);
    expect(recorded).toMatchObject({ cost_usd: 0 });
    expect(recorded).not.toHaveProperty('unpriced');
    expect(await call(program)).toMatchObject({ cost_usd: null, unpriced: 'programs' });
    const both = await call();
    expect(both).toMatchObject({ cost_usd: null });
    expect(both).not.toHaveProperty('unpriced');
  });

  test('reports null savings if one reused answer has no known price', async () => {
    const { call, shared, totals } = meterOf(yes({ reused: true }));
    const saved = { calls: 0, reused: 1, cost_usd: 0, saved_usd: 16e-6 };
    expect(await call()).toMatchObject(saved);
    shared('prompt');
    expect(totals()).toMatchObject({ reused: 2, saved_usd: null });
  });
});
