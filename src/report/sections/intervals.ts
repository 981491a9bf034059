import { normalQuantile } from '../../kernel/statistics/distributions.ts';
import { mean, sum } from '../../kernel/statistics/sums.ts';
import type { Counts } from '../../kernel/statistics/table.ts';

export interface Interval {
  low: number;
  high: number;
}

/**
 * Wilson's score interval: (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n). Source: Wilson
 * 1927; recommended by Newcombe 1998 (part one).
 */
export function wilson({ passes, tries }: Counts, confidence = 0.95): Interval | null {
  if (tries === 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const rate = passes / tries;
  const scale = 1 + (z * z) / tries;
  const centre = (rate + (z * z) / (2 * tries)) / scale;
  const reach =
    (z / scale) * Math.sqrt((rate * (1 - rate)) / tries + (z * z) / (4 * tries * tries));
  return { low: passes === 0 ? 0 : centre - reach, high: passes === tries ? 1 : centre + reach };
}

const NEAR = 1e-9;

const AXIS_STEP = 0.1;

/** The smallest range of an axis, so that noise does not look large. */
const LEAST_SPAN = 0.2;

/** The axis for these shares. */
export function shareSpan(shares: readonly number[]): { floor: number; ceiling: number } {
  if (shares.length === 0) return { floor: 0, ceiling: 1 };
  const most = shares.reduce((a, b) => Math.max(a, b));
  const least = shares.reduce((a, b) => Math.min(a, b));
  let floor = Math.floor(Math.max(0, least) / AXIS_STEP + NEAR);
  let ceiling = Math.ceil(Math.min(1, most) / AXIS_STEP - NEAR);
  while (ceiling - floor < LEAST_SPAN / AXIS_STEP - NEAR || (ceiling - floor) % 2 !== 0) {
    if (floor > 0) floor -= 1;
    else ceiling += 1;
  }
  return { floor: floor / 10, ceiling: ceiling / 10 };
}

const FEWEST_PAIRS = 3;

/**
 * The mean of paired differences with its t interval, d ± t·s/√n. If all differences are equal, the
 * interval is null, because their spread is unknown and not zero.
 */
export function pairedMean(
  differences: readonly number[],
  confidence = 0.9,
): { difference: number; low: number | null; high: number | null } | null {
  const n = differences.length;
  if (n === 0) return null;
  const difference = mean(differences);
  const variance = sum(differences.map((own) => (own - difference) ** 2)) / (n - 1);
  if (n < FEWEST_PAIRS || variance <= 1e-18) return { difference, low: null, high: null };
  const reach = tQuantile((1 + confidence) / 2, n - 1) * Math.sqrt(variance / n);
  return { difference, low: difference - reach, high: difference + reach };
}

/**
 * Approximates Student's t quantile from the normal one. With at least two degrees of freedom, the
 * error is below 3 % up to the 97.5th percentile. Source: Abramowitz and Stegun 26.7.5.
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
