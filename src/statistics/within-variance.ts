import type { Counts, Table } from './table.ts';

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

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
