import { flawlessReach } from '../statistics/interval.ts';
import type { Look } from '../statistics/look.ts';
import { designOf, visibleDrop } from '../statistics/visible-drop.ts';
import { boundQuantile, FIRST_TRIES, type LookPlan } from './looks.ts';

/** Range of the `auto` tolerance. */
const AUTO = { least: 0.05, most: 0.1 };

/** As configured, or the smallest detectable drop (`visible`) within 5 to 10 points. */
export function toleranceOf(tolerance: number | 'auto', visible: number | null): number {
  return tolerance === 'auto'
    ? Math.min(AUTO.most, Math.max(AUTO.least, visible ?? AUTO.most))
    : tolerance;
}

/**
 * Smallest detectable drop, 0–1; null: none. A suite that stopped early would have continued to the
 * plan's last look had it looked worse, so this is the drop detectable there, at that look's level.
 */
export function visibleAt(
  { tables, units }: Pick<Look, 'tables' | 'units'>,
  plan: LookPlan,
  levels: readonly number[],
): number | null {
  const design = designOf(tables, units);
  const last = plan.tries.at(-1) ?? Infinity;
  const tries = Number.isFinite(last) ? { base: last, head: last } : design.tries;
  return visibleDrop({ ...design, tries }, levels.at(-1) ?? 0);
}

/** Tries per side after which a small suite may be calm with a difference of at least 0. */
const SMALL_TRIES = 3;

/** A suite is small if the bound requires nearly flawless tries. */
const SMALL_SHARE = 0.7;

/** Tolerance for a difference of 0. */
const ZERO_TOLERANCE = 1e-12;

/**
 * Whether this look rules out a drop: the bound is above −tolerance, or the difference is not
 * negative and no more tries follow (`isLast`) or the suite is small. A small suite with head ahead
 * stops immediately, because waiting would detect few more drops.
 */
export function ruledOutBy(
  look: Look,
  tolerance: number,
  { plan, isLast }: { plan: LookPlan; isLast: boolean },
): 'bound' | 'not-lower' | null {
  const { interval, tries } = look;
  if (interval === null) return null;
  if (interval.low > -tolerance) return 'bound';
  const { difference } = interval;
  if (difference < -ZERO_TOLERANCE) return null;
  const flawless = flawlessReach(look.units.length, tries, boundQuantile(plan, tries));
  const isSmall = Number.isFinite(tries) && flawless >= SMALL_SHARE * tolerance;
  const from = difference > ZERO_TOLERANCE ? FIRST_TRIES : SMALL_TRIES;
  return isLast || (isSmall && tries >= from) ? 'not-lower' : null;
}
