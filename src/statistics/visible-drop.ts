import { normalQuantile } from './distributions.ts';
import { mean } from './sums.ts';
import { isComparable, type Counts, type Table } from './table.ts';

/**
 * The estimate is drawn towards this by as many tables, so that small or silent suites get a
 * sensible value.
 */
const PRIOR = { variance: 0.05, weight: 10 };

/**
 * How much single tries scatter about their own item's pass rate: mean of p(1 − p), 0–¼. Estimated
 * by the mean of k(n − k)/(n(n − 1)) over all sides with two tries or more; with single tries on
 * both sides, by half the share of tables whose sides differ. Null when neither exists.
 */
export function withinVariance(tables: readonly Table[]): number | null {
  const sides = tables.flatMap(({ base, head }) => [base, head]).filter(({ tries }) => tries >= 2);
  if (sides.length > 0) return mean(sides.map(scatter));
  const single = tables.filter(({ base, head }) => base.tries === 1 && head.tries === 1);
  return single.length > 0
    ? mean(single.map(({ base, head }) => (base.passes === head.passes ? 0 : 0.5)))
    : null;
}

/**
 * `withinVariance` drawn towards 0.05 with the weight of ten tables; 0.05 when nothing can be
 * estimated.
 */
export function shrunkVariance(tables: readonly Table[]): number {
  const estimate = withinVariance(tables);
  if (estimate === null) return PRIOR.variance;
  const { variance, weight } = PRIOR;
  return (estimate * tables.length + variance * weight) / (tables.length + weight);
}

function scatter({ passes, tries }: Counts): number {
  return (passes * (tries - passes)) / (tries * (tries - 1));
}

/** A comparison as planned: how much of it there is, and how noisy it is. */
interface Design {
  references: number;
  /** Tries of each reference on either side; a harmonic mean where they differ. */
  tries: { base: number; head: number };
  /** As `withinVariance`, 0–¼. */
  variance: number;
  /** Mean pass rate before the drop, 0–1. */
  rate: number;
}

/**
 * Changes one way that the suite test needs to see before it can usually call them at alpha = 0.05;
 * found by simulation.
 */
const FEWEST_CHANGES = 5.5;

const ROUNDS = 200;

/**
 * The smallest fall of the mean pass rate (0–1) that is called with the given power when every
 * reference falls alike: the fixed point of d = (z_{1−alpha} + z_power)·√[(v/nB + min(¼, v + d(1 −
 * d/m))/nH) / N], not below 5.5 / (N·min(nB, nH)), with v the variance and m the rate. The drop's
 * own noise and the discreteness of small suites are in it; the textbook formula is up to 2.8 times
 * too optimistic. An alpha half as large takes one more change. Null: no drop can be seen, because
 * the smallest visible one is larger than the rate itself.
 */
export function visibleDrop(
  { references, tries, variance, rate }: Design,
  alpha = 0.05,
  power = 0.8,
): number | null {
  if (references === 0 || tries.base === 0 || tries.head === 0) return null;
  const z = normalQuantile(1 - alpha) + normalQuantile(power);
  const needed = (drop: number): number => {
    const share = rate > 0 ? Math.min(1, drop / rate) : 1;
    const onHead = Math.min(0.25, variance + drop * (1 - share));
    return z * Math.sqrt((variance / tries.base + onHead / tries.head) / references);
  };
  let drop = 0.05;
  for (let i = 0; i < ROUNDS; i++) drop = (drop + needed(drop)) / 2;
  const fewest =
    (FEWEST_CHANGES + Math.log2(0.05 / alpha)) / (references * Math.min(tries.base, tries.head));
  const visible = Math.max(drop, fewest);
  return visible < rate ? visible : null;
}

/** The design of a comparison that was run, from the tables that have tries on both sides. */
export function designOf(tables: readonly Table[]): Design {
  const compared = tables.filter(isComparable);
  const mean = (value: (table: Table) => number): number =>
    compared.reduce((sum, table) => sum + value(table), 0) / Math.max(1, compared.length);
  const harmonic = (value: (table: Table) => number): number =>
    compared.length === 0 ? 0 : 1 / mean((table) => 1 / value(table));
  return {
    references: compared.length,
    tries: { base: harmonic(({ base }) => base.tries), head: harmonic(({ head }) => head.tries) },
    variance: shrunkVariance(compared),
    rate: mean(({ base }) => base.passes / base.tries),
  };
}
