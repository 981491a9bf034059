import type { Complete, Completion, Purpose, Request, Settings, Target, Usage, UsageTotals } from '../types.ts';
import { canonicalJson } from './canonical.ts';
import { targetIdentity } from './generation.ts';

/** Dollars for one call, or null when no price is known. */
export type Price = (target: Target, usage: Usage) => number | null;

interface Count { calls: number; reused: number; input: number; output: number; cost: number; unpriced: boolean }

/** Counts what is asked: calls that were paid for, answers that were reused, tokens and cost, by purpose. */
export interface Meter {
  complete: Complete;
  /** An answer that was shared without asking at all. */
  shared(purpose: Purpose): void;
  totals(): UsageTotals;
}

export function createMeter(complete: Complete, price: Price): Meter {
  const counts = new Map<Purpose, Count>();
  const of = (purpose: Purpose): Count => {
    const found = counts.get(purpose) ?? { calls: 0, reused: 0, input: 0, output: 0, cost: 0, unpriced: false };
    counts.set(purpose, found);
    return found;
  };
  return {
    complete: async (request) => {
      const completion = await complete(request);
      record(of(request.purpose), request, completion, price);
      return completion;
    },
    shared: (purpose) => { of(purpose).reused += 1; },
    totals: () => totalsOf(counts),
  };
}

function record(count: Count, { target }: Request, completion: Completion, price: Price): void {
  if (completion.status === 'ok' && completion.reused) {
    count.reused += 1;
    return;
  }
  count.calls += 1;
  if (completion.status === 'error') return;
  const { usage } = completion;
  const cost = usage === null ? null : price(target, usage);
  count.input += usage?.input_tokens ?? 0;
  count.output += usage?.output_tokens ?? 0;
  if (cost === null) count.unpriced = true;
  else count.cost += cost;
}

function totalsOf(counts: ReadonlyMap<Purpose, Count>): UsageTotals {
  const all = [...counts.values()];
  const sum = (pick: (count: Count) => number): number => all.reduce((total, count) => total + pick(count), 0);
  const costOf = ({ cost, unpriced }: Count): number | null => (unpriced ? null : cost);
  return {
    calls: sum(({ calls }) => calls),
    reused: sum(({ reused }) => reused),
    input_tokens: sum(({ input }) => input),
    output_tokens: sum(({ output }) => output),
    cost_usd: all.some(({ unpriced }) => unpriced) ? null : sum(({ cost }) => cost),
    by_purpose: Object.fromEntries([...counts].map(([purpose, count]) => [purpose, { calls: count.calls, reused: count.reused, cost_usd: costOf(count) }])),
  };
}

/** Prices by the settings' `models`, where two name one target the first; programs and recordings cost nothing here. */
export function priceFrom(settings: readonly Settings[]): Price {
  const prices = new Map(settings.flatMap(({ models }) => [...models.values()]).reverse().flatMap(({ provider, endpoint, model, price }) => (
    price === null || provider === 'program' || provider === 'replay' ? [] : [[identity({ provider, endpoint, model }), price] as const]
  )));
  return (target, usage) => {
    if (target.provider === 'replay' || target.provider === 'program') return 0;
    const price = prices.get(identity(target));
    return price === undefined ? null : (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1e6;
  };
}

function identity(target: Target): string {
  return canonicalJson(targetIdentity(target));
}
