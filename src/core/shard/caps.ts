import type { Caps } from '../spend/budget.ts';
import type { Portion } from '../spend/forecast.ts';
import type { Shard } from './part.ts';

/**
 * What the shards of a sweep were paid for: attempts, and US dollars as far as prices are known.
 */
export interface Spent {
  calls: number;
  cost: number;
}

/**
 * What a shard plans, and what the sweep does; `cost` in US dollars, null where a price is not
 * known.
 */
export interface Portions {
  calls: Portion;
  cost: Portion | null;
}

/**
 * A shard's share of the caps, which hold for the sweep as a whole: as large as its part of the
 * planned calls, and of what these cost. The shares never come to more than the caps, and a plan
 * that fits into a cap fits into its shares: by calls alone, a shard that got the dear questions
 * would stop at a share that it cannot keep.
 */
export function shareOf({ maxCalls, maxCost }: Caps, { calls, cost }: Portions): Caps {
  // In whole numbers, for the product of a fraction could fall short of the calls that are planned.
  return {
    maxCalls: maxCalls === null ? null : Math.floor(portion(maxCalls, calls)),
    maxCost:
      maxCost === null ? null : portion(maxCost, cost === null || cost.whole === 0 ? calls : cost),
  };
}

function portion(cap: number, { part, whole }: Portion): number {
  return whole === 0 ? 0 : (cap * part) / whole;
}

/** What is left of the caps for a merge, once the shards have been paid for. */
export function restOf({ maxCalls, maxCost }: Caps, spent: Spent): Caps {
  return {
    maxCalls: maxCalls === null ? null : Math.max(0, maxCalls - spent.calls),
    maxCost: maxCost === null ? null : Math.max(0, maxCost - spent.cost),
  };
}

/**
 * The caps that a run itself is held to: a shard to its share, a merge to what the shards have
 * left.
 */
export function ownCaps(
  caps: Caps,
  { shard, merged }: { shard?: Shard | undefined; merged?: Spent | undefined },
  portions: () => Portions,
): Caps {
  if (shard !== undefined) return shareOf(caps, portions());
  return merged === undefined ? caps : restOf(caps, merged);
}
