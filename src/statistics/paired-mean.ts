import { normalQuantile } from './normal.ts';

/** With fewer pairs the spread of their differences says too little. */
const FEWEST_PAIRS = 3;

/**
 * Mean of paired differences with its t interval, d ± t·s/√n. The interval is null with fewer than
 * three pairs, or when all differences are equal, since their spread is then unknown rather than
 * zero. Null without pairs.
 */
export function pairedMean(
  differences: readonly number[],
  confidence = 0.9,
): { difference: number; low: number | null; high: number | null } | null {
  const n = differences.length;
  if (n === 0) return null;
  const difference = differences.reduce((sum, one) => sum + one, 0) / n;
  const variance = differences.reduce((sum, one) => sum + (one - difference) ** 2, 0) / (n - 1);
  if (n < FEWEST_PAIRS || variance <= 1e-18) return { difference, low: null, high: null };
  const reach = tQuantile((1 + confidence) / 2, n - 1) * Math.sqrt(variance / n);
  return { difference, low: difference - reach, high: difference + reach };
}

/**
 * Quantile of Student's t from the normal one, in powers of 1/ν; from two degrees of freedom and up
 * to the 97.5th percentile within 3 %, from five within 0.1 %.
 *
 * Source: Abramowitz and Stegun 26.7.5.
 */
export function tQuantile(p: number, freedom: number): number {
  const z = normalQuantile(p);
  const square = z * z;
  const terms = [
    (z * (square + 1)) / 4,
    (z * (5 * square ** 2 + 16 * square + 3)) / 96,
    (z * (3 * square ** 3 + 19 * square ** 2 + 17 * square - 15)) / 384,
    (z * (79 * square ** 4 + 776 * square ** 3 + 1482 * square ** 2 - 1920 * square - 945)) / 92160,
  ];
  return terms.reduce((sum, term, index) => sum + term / freedom ** (index + 1), z);
}
