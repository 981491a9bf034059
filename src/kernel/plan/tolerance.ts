import { hasBothSides, type Unit } from '../statistics/clusters.ts';
import { normalQuantile } from '../statistics/distributions.ts';
import { flawlessReach } from '../statistics/interval.ts';
import type { Look } from '../statistics/look.ts';
import { mean, meanOrNull } from '../statistics/sums.ts';
import { isComparable, type Table } from '../statistics/table.ts';
import { boundQuantile, FIRST_TRIES, type LookPlan } from './looks.ts';

const AUTO = { least: 0.05, most: 0.1 };

/**
 * `auto` is the smallest drop that the tests detect (`visible`), at least 5 and at most 10 points.
 */
export function resolveTolerance(tolerance: number | 'auto', visible: number | null): number {
  return tolerance === 'auto'
    ? Math.min(AUTO.most, Math.max(AUTO.least, visible ?? AUTO.most))
    : tolerance;
}

/**
 * The smallest drop (0–1) that the plan's last look (interim test) detects. With such a drop, a
 * suite would not have stopped earlier.
 */
export function visibleAt(
  { tables, units }: Look,
  plan: LookPlan,
  levels: readonly number[],
): number | null {
  const design = designOf(tables, units);
  const last = plan.tries.at(-1) ?? Infinity;
  const tries = Number.isFinite(last) ? { base: last, head: last } : design.tries;
  return visibleDrop({ ...design, tries }, levels.at(-1) ?? 0);
}

/** If a small suite's rate is equal on both sides, this many tries per side rule out a drop. */
const SMALL_TRIES = 3;

/**
 * A suite is small if even tries that all pass cannot rule out a drop of this share of the
 * tolerance.
 */
const SMALL_SHARE = 0.7;

const ZERO_TOLERANCE = 1e-12;

/**
 * How a look rules out a drop. `bound`: the interval is above −tolerance. `not-lower`: head's rate
 * is not lower at the last look (in a small suite, at any look). That is enough, because more tries
 * would rarely reveal a drop.
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

/**
 * With few references, the estimate moves towards `variance`, which counts as much as `weight`
 * references.
 */
const VARIANCE_PRIOR = { variance: 0.05, weight: 10 };

/**
 * Variance of tries within an item: the mean of p(1 − p), 0–¼, estimated by k(n − k)/(n(n − 1))
 * over sides with at least two tries. If no side has two: half the share of tables whose sides
 * differ.
 */
export function withinVariance(tables: readonly Table[]): number | null {
  const sides = tables.flatMap(({ base, head }) => [base, head]).filter(({ tries }) => tries >= 2);
  if (sides.length > 0)
    return mean(
      sides.map(({ passes, tries }) => (passes * (tries - passes)) / (tries * (tries - 1))),
    );
  const single = tables.filter(({ base, head }) => base.tries === 1 && head.tries === 1);
  return single.length > 0
    ? mean(single.map(({ base, head }) => (base.passes === head.passes ? 0 : 0.5)))
    : null;
}

export function shrunkVariance(tables: readonly Table[]): number {
  const estimate = withinVariance(tables);
  if (estimate === null) return VARIANCE_PRIOR.variance;
  const { variance, weight } = VARIANCE_PRIOR;
  return (estimate * tables.length + variance * weight) / (tables.length + weight);
}

interface Design {
  references: number;
  /** Tries per reference (harmonic mean). */
  tries: { base: number; head: number };
  /** Between 0 and ¼. */
  variance: number;
  /** Mean pass rate before the drop, 0–1. */
  rate: number;
}

/**
 * With fewer changes in one direction, the suite's test rarely detects a drop at alpha 0.05
 * (simulated).
 */
const MIN_CHANGES = 5.5;

const ITERATIONS = 200;

/**
 * The smallest uniform drop of the mean pass rate (0–1) that is detected with the given power: the
 * fixed point of d = (z_{1−alpha} + z_power)·√[(v/nB + min(¼, v + d(1 − d/m))/nH) / N], with v the
 * variance and m the rate, but at least 5.5 / (N·min(nB, nH)). For small suites, the formula alone
 * is up to 2.8 times too optimistic. Null if not even a drop to 0 is detected.
 */
export function visibleDrop(
  { references, tries, variance, rate }: Design,
  alpha = 0.05,
  power = 0.8,
): number | null {
  if (references === 0 || tries.base === 0 || tries.head === 0) return null;
  const z = normalQuantile(1 - alpha) + normalQuantile(power);
  const needed = (drop: number) => {
    const share = rate > 0 ? Math.min(1, drop / rate) : 1;
    const onHead = Math.min(0.25, variance + drop * (1 - share));
    return z * Math.sqrt((variance / tries.base + onHead / tries.head) / references);
  };
  let drop = 0.05;
  for (let i = 0; i < ITERATIONS; i++) drop = (drop + needed(drop)) / 2;
  const fewest =
    (MIN_CHANGES + Math.log2(0.05 / alpha)) / (references * Math.min(tries.base, tries.head));
  const visible = Math.max(drop, fewest);
  return visible < rate ? visible : null;
}

export function designOf(tables: readonly Table[], units: readonly Unit[] = tables): Design {
  const compared = tables.filter(isComparable);
  const harmonic = (side: 'base' | 'head') =>
    compared.length === 0 ? 0 : 1 / mean(compared.map((table) => 1 / table[side].tries));
  return {
    references: units.filter(hasBothSides).length,
    tries: { base: harmonic('base'), head: harmonic('head') },
    variance: shrunkVariance(compared),
    rate: meanOrNull(compared.map(({ base }) => base.passes / base.tries)) ?? 0,
  };
}
