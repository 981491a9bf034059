import { describe, expect, test } from '@jest/globals';
import { createGuard } from '../../../../src/money/budget.ts';
import { forecastWords } from '../../../../src/money/cost-cap.ts';
import { createMeter } from '../../../../src/money/meter.ts';
import { priceFrom, type ListPrice } from '../../../../src/money/price.ts';
import type { Completion, Request, Target } from '../../../../src/types/model.ts';
import { answer, modelSettings, settingsWithModels } from '../../app/run/builders.ts';

const asked = { provider: 'anthropic', endpoint: null, model: 'sonnet' } as const;
const target: Target = {
  provider: 'program',
  model: 'claude-code with sonnet',
  command: ['evaldiff-agent', '{}'],
  setup: [],
  files: '',
  commit: '',
  calls: { ...asked, most: 30, usd: 1 },
};
const request: Request = {
  target,
  parameters: {},
  messages: [],
  try: 0,
  schema: null,
  purpose: 'prompt',
};

/** A dollar per thousand output tokens of the model behind the agent. */
const list: ListPrice = (vendor, model) =>
  vendor === 'anthropic' && model === 'sonnet' ? (usage) => usage.output_tokens / 1000 : null;
const price = priceFrom([settingsWithModels()], list);

const used = (output_tokens: number) => ({ input_tokens: 0, output_tokens });
const ended = (changes: object = {}): Completion =>
  ({ ...answer('Done.'), usage: used(500), attempts: 2, ...changes }) as Completion;

describe('money of an agent', () => {
  test('is that of the model that it calls', () => {
    expect(price(target, used(500))).toBe(0.5);
  });

  test('follows the price of that model in the settings', () => {
    const own = modelSettings({ ...asked, price: { input: 0, output: 2000 } });
    expect(priceFrom([settingsWithModels(own)], list)(target, used(500))).toBe(1);
  });

  test('counts the paid calls alone if others were replayed', async () => {
    const meter = createMeter(() => Promise.resolve(ended({ paid: { usage: used(100) } })), price);
    await meter.complete(request);
    expect(meter.totals()).toMatchObject({ calls: 2, output_tokens: 100, cost_usd: 0.1 });
  });

  test('counts the calls and the tokens of a run that failed', async () => {
    const failed: Completion = {
      status: 'error',
      kind: 'timeout',
      message: 'late',
      attempts: 3,
      spent: [{ usage: used(200) }],
    };
    const meter = createMeter(() => Promise.resolve(failed), price);
    await meter.complete(request);
    expect(meter.totals()).toMatchObject({ calls: 3, output_tokens: 200, cost_usd: 0.2 });
  });

  test('stays below the cap, because each run reserves its limit', async () => {
    const guard = createGuard({ maxCalls: null, maxCost: 2.5 }, price);
    const open: ((completion: Completion) => void)[] = [];
    const ask = () => guard.ask(request, () => new Promise((resolve) => void open.push(resolve)));
    const runs = [ask(), ask(), ask()];
    await new Promise((resolve) => void setImmediate(resolve));
    expect(open).toHaveLength(2);
    open.shift()?.(ended({ paid: { usage: used(900) } }));
    await runs[0];
    // 0.9 spent and 1 reserved leave no room for another dollar.
    expect(open).toHaveLength(1);
    open.shift()?.(ended({ paid: { usage: used(10) } }));
    await runs[1];
    await new Promise((resolve) => void setImmediate(resolve));
    expect(open).toHaveLength(1);
  });

  test('is stated by its limits before the run', () => {
    const agents = { runs: 24, most_calls: 720, most_usd: 24 };
    const forecast = { models: [], stored: 0, unpriced: [], cost_usd: 0 };
    expect(forecastWords({ ...forecast, agents })).toBe(
      '24 runs of agents, whose calls and cost are known only afterwards: by the limits of their ' +
        'suites at most 720 calls and $24.00',
    );
  });
});
