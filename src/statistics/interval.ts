import { headMoments } from './hypergeometric.ts';
import type { Table } from './table.ts';
import { isComparable } from './table.ts';

/**
 * Mean over the tables of (pass rate on head − pass rate on base), −1 to 1; null when no table has
 * tries on both sides.
 */
export function meanDifference(tables: readonly Table[]): number | null {
  const compared = tables.filter(isComparable);
  if (compared.length === 0) return null;
  const sum = compared.reduce(
    (total, { base, head }) => total + head.passes / head.tries - base.passes / base.tries,
    0,
  );
  return sum / compared.length;
}

/** The normal 0.95 quantile: two-sided 90 %. */
const Z_90 = 1.6448536269514722;

/**
 * Interval for `meanDifference` on these very tables: d ± z·SE, cut to [−1, 1], with SE² = (1/N²)[Σ
 * (1/nB + 1/nH)² V_i + 2·mean(1/(nB·nH))], V_i the permutation variance of `headMoments`. It agrees
 * with `suiteTest`; the second term generalises the "+2" of Bonett and Price 2012 and keeps the
 * width above zero even when every difference is equal. The default z makes it a two-sided 90 %
 * interval. Null when no table has tries on both sides.
 */
export function differenceInterval(
  tables: readonly Table[],
  z = Z_90,
): { difference: number; low: number; high: number } | null {
  const compared = tables.filter(isComparable);
  const difference = meanDifference(compared);
  if (difference === null) return null;
  let [variance, floor] = [0, 0];
  for (const table of compared) {
    const [base, head] = [table.base.tries, table.head.tries];
    variance += (1 / base + 1 / head) ** 2 * headMoments(table).variance;
    floor += 1 / (base * head);
  }
  const reach = (z * Math.sqrt(variance + (2 * floor) / compared.length)) / compared.length;
  return {
    difference,
    low: Math.max(-1, difference - reach),
    high: Math.min(1, difference + reach),
  };
}
