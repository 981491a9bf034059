import { normalQuantile } from './normal.ts';
import type { Counts } from './table.ts';

export interface Interval {
  low: number;
  high: number;
}

/**
 * Wilson's score interval for a rate: (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n), within
 * 0–1. Null without tries.
 *
 * Source: Wilson 1927; recommended by Newcombe 1998 (part one).
 */
export function wilson({ passes, tries }: Counts, confidence = 0.95): Interval | null {
  if (tries === 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const [rate, scale] = [passes / tries, 1 + (z * z) / tries];
  const centre = (rate + (z * z) / (2 * tries)) / scale;
  const reach =
    (z / scale) * Math.sqrt((rate * (1 - rate)) / tries + (z * z) / (4 * tries * tries));
  return { low: passes === 0 ? 0 : centre - reach, high: passes === tries ? 1 : centre + reach };
}
