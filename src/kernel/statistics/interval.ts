import { hasBothSides, nullMoments, triesOf, type Unit } from './clusters.ts';
import { mean, meanOrNull, sum } from './sums.ts';
import { isComparable, type Table } from './table.ts';

/** Head's pass rate − base's (−1 to 1), averaged over tables. */
export function meanDifference(tables: readonly Table[]): number | null {
  const compared = tables.filter(isComparable);
  return meanOrNull(
    compared.map(({ base, head }) => head.passes / head.tries - base.passes / base.tries),
  );
}

/** For one-sided 95 %, or two-sided 90 %. */
const Z_SINGLE = 1.6448536269514722;

/** Makes the bound ln 20 / tries if all tries pass (rule of three). */
const FLOOR = (Math.log(20) / Z_SINGLE) ** 2;

/**
 * Interval for `meanDifference`: d ± z·SE, cut to [−1, 1], with SE² = (1/N²)[V +
 * FLOOR·mean(1/(nB·nH))·m²]. V is the permutation variance of Σ (rate on head − rate on base) over
 * the `units` of N tables, and m the mean number of tables in a unit. The second term keeps the
 * width positive if all differences are equal.
 */
export function differenceInterval(
  tables: readonly Table[],
  { units = tables, z = Z_SINGLE }: { units?: readonly Unit[]; z?: number } = {},
): { difference: number; low: number; high: number } | null {
  const difference = meanDifference(tables);
  if (difference === null) return null;
  const compared = tables.filter(isComparable).length;
  const parts = units.filter(hasBothSides).map((unit) => {
    const { base, head } = triesOf(unit);
    return {
      variance: (1 / base + 1 / head) ** 2 * nullMoments(unit).variance,
      floor: 1 / (base * head),
    };
  });
  const variance = sum(parts.map((part) => part.variance));
  const floor = FLOOR * mean(parts.map((part) => part.floor));
  const reach = (z * Math.sqrt(variance + floor * (compared / parts.length) ** 2)) / compared;
  return {
    difference,
    low: Math.max(-1, difference - reach),
    high: Math.min(1, difference + reach),
  };
}

/** Even if all tries pass, the interval cannot rule out drops up to this one. */
export function flawlessReach(questions: number, tries: number, z: number): number {
  return Math.min(1, (z * Math.sqrt(FLOOR)) / tries) / Math.max(1, questions);
}
