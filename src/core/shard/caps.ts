import type { Caps } from '../spend/budget.ts';
import type { Shard } from './part.ts';

/** What the shards of a sweep were paid for: attempts, and US dollars as far as prices are known. */
export interface Spent { calls: number; cost: number }

/**
 * A shard's share of the caps, which hold for the sweep as a whole: as large as its part of the planned calls. The shares
 * never come to more than the caps, and a plan that fits into a cap fits into its shares.
 *
 * @param part calls that the shard plans.
 * @param whole calls that the sweep plans.
 */
export function shareOf({ maxCalls, maxCost }: Caps, part: number, whole: number): Caps {
  const share = whole === 0 ? 0 : part / whole;
  return {
    // In whole numbers, for the product of a fraction could fall short of the calls that are planned.
    maxCalls: maxCalls === null ? null : whole === 0 ? 0 : Math.floor((maxCalls * part) / whole),
    maxCost: maxCost === null ? null : maxCost * share,
  };
}

/** What is left of the caps for a merge, once the shards have been paid for. */
export function restOf({ maxCalls, maxCost }: Caps, spent: Spent): Caps {
  return {
    maxCalls: maxCalls === null ? null : Math.max(0, maxCalls - spent.calls),
    maxCost: maxCost === null ? null : Math.max(0, maxCost - spent.cost),
  };
}

/** The caps that a run itself is held to: a shard to its share, a merge to what the shards have left. */
export function ownCaps(caps: Caps, { shard, merged }: { shard?: Shard | undefined; merged?: Spent | undefined }, calls: { part: number; whole: number }): Caps {
  if (shard !== undefined) return shareOf(caps, calls.part, calls.whole);
  return merged === undefined ? caps : restOf(caps, merged);
}
