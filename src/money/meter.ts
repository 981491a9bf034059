import type { SuiteRun } from '../kernel/plan/suite-run.ts';
import { mean } from '../kernel/statistics/sums.ts';
import type { Usage } from '../types/answer.ts';
import {
  asDirect,
  calledModel,
  isHosted,
  type Complete,
  type Completion,
  type MeteredUsage,
  type OkCompletion,
  type Request,
  type Target,
} from '../types/model.ts';
import type { Purpose } from '../types/plain.ts';
import type { Price } from '../types/price.ts';
import type { UsageTotals } from '../types/usage-totals.ts';

const NO_COUNT = {
  calls: 0,
  reused: 0,
  replayed: 0,
  input: 0,
  cached: 0,
  output: 0,
  cost: 0,
  unpriced: false,
  elsewhere: false,
  saved: 0,
  unknownSaved: false,
};

type Count = typeof NO_COUNT;

export interface Meter {
  complete: Complete;
  /** Counts a reused answer. `saved`: what a new call would have used. */
  shared(purpose: Purpose, saved?: { target: Target; usage: Usage | null } | null): void;
  /** Counts a run of prompt code as one call without a price. */
  ran(purpose: Purpose): void;
  totals(): UsageTotals;
}

export function createMeter(complete: Complete, price: Price): Meter {
  const counts = new Map<Purpose, Count>();
  const of = (purpose: Purpose): Count => {
    const found = counts.get(purpose) ?? { ...NO_COUNT };
    counts.set(purpose, found);
    return found;
  };
  return {
    complete: async (request) => {
      const completion = await complete(request);
      recordCompletion(of(request.purpose), request, completion, price);
      return completion;
    },
    shared: (purpose, saved = null) => {
      if (saved?.target.provider === 'replay') of(purpose).replayed += 1;
      else reuse(of(purpose), savedCost(saved, price));
    },
    ran: (purpose) => {
      of(purpose).calls += 1;
      of(purpose).unpriced = true;
    },
    totals: () => usageTotals(counts),
  };
}

function recordCompletion(
  count: Count,
  { target }: Request,
  completion: Completion,
  price: Price,
): void {
  count.calls += completion.refused ?? 0;
  const isMetered = isHosted(target) || calledModel(target) !== null;
  for (const each of isMetered ? (completion.spent ?? []) : [])
    if (countTokens(count, target, each, price) === null) count.unpriced = true;
  if (completion.status === 'error') countFailed(count, target, completion);
  else countAnswered(count, target, completion, price);
}

function countAnswered(count: Count, target: Target, completion: OkCompletion, price: Price): void {
  if (target.provider === 'replay') {
    count.replayed += 1;
    return;
  }
  if (completion.reused) {
    reuse(count, savedCost({ target, usage: completion.usage }, price));
    return;
  }
  count.calls += completion.attempts ?? 1;
  const cost = countTokens(count, target, completion.paid ?? completion, price);
  count.elsewhere ||= isElsewhere(target, cost);
  if (cost === null) count.unpriced = true;
}

function countFailed(
  count: Count,
  target: Target,
  { kind, unsent, attempts }: Extract<Completion, { status: 'error' }>,
): void {
  const isUnmade = unsent === true || kind === 'budget' || kind === 'aborted';
  const made = attempts ?? (isUnmade ? 0 : 1);
  if (made === 0 || target.provider === 'replay') return;
  count.calls += made;
  count.elsewhere ||= isElsewhere(target, null);
}

function savedCost(
  saved: { target: Target; usage: Usage | null } | null,
  price: Price,
): number | null {
  return saved === null || saved.usage === null ? null : price(saved.target, saved.usage);
}

function countTokens(
  count: Count,
  target: Target,
  { usage, cached }: MeteredUsage,
  price: Price,
): number | null {
  if (usage === null) return null;
  const cost = price(target, usage, cached);
  count.input += usage.input_tokens;
  count.cached += cached?.read ?? 0;
  count.output += usage.output_tokens;
  count.cost += cost ?? 0;
  return cost;
}

function isElsewhere({ provider }: Target, cost: number | null): boolean {
  return provider !== 'program' || cost !== null;
}

function reuse(count: Count, saved: number | null): void {
  count.reused += 1;
  if (saved === null) count.unknownSaved = true;
  else count.saved += saved;
}

function usageTotals(counts: ReadonlyMap<Purpose, Count>): UsageTotals {
  const all = [...counts.values()];
  const sum = (key: Exclude<keyof Count, 'unpriced' | 'elsewhere' | 'unknownSaved'>) =>
    all.reduce((total, count) => total + count[key], 0);
  const isUnpriced = all.some(({ unpriced }) => unpriced);
  const cached = sum('cached');
  return {
    calls: sum('calls'),
    reused: sum('reused'),
    replayed: sum('replayed'),
    input_tokens: sum('input'),
    ...(cached === 0 ? {} : { cached_tokens: cached }),
    output_tokens: sum('output'),
    cost_usd: isUnpriced ? null : sum('cost'),
    ...(isUnpriced && !all.some(({ elsewhere }) => elsewhere)
      ? { unpriced: 'programs' as const }
      : {}),
    saved_usd: all.some(({ unknownSaved }) => unknownSaved) ? null : sum('saved'),
    by_purpose: Object.fromEntries(
      [...counts].map(([purpose, count]) => [
        purpose,
        {
          calls: count.calls,
          reused: count.reused,
          replayed: count.replayed,
          cost_usd: count.unpriced ? null : count.cost,
          saved_usd: count.unknownSaved ? null : count.saved,
        },
      ]),
    ),
  };
}

/**
 * What a thousand calls like head's cost in US dollars, without batches or reused answers. Null if
 * unknown.
 */
export function costPer1000Calls({ scoring, runs }: SuiteRun, price: Price): number | null {
  const costs = runs.flatMap(({ affected: { head: generation }, head }) =>
    head
      .filter(({ byHead }) => byHead.parts !== null)
      .map(({ byHead: { usage } }) =>
        generation?.kind === 'request' && usage !== null && scoring.answerer === null
          ? price(asDirect(generation.target), usage)
          : null,
      ),
  );
  const known = costs.filter((cost) => cost !== null);
  if (known.length === 0 || known.length < costs.length) return null;
  return mean(known) * 1000;
}
