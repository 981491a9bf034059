import type { Counts } from './table.ts';
import type { Interval } from './wilson.ts';
import { wilson } from './wilson.ts';

/** Items by their word on base and on head. */
export interface PairedCounts {
  passPass: number;
  passFail: number;
  failPass: number;
  failFail: number;
}

/**
 * Interval for (rate of one − rate of other) of two independent samples, by joining their Wilson
 * intervals. Null when a sample is empty.
 *
 * Source: Newcombe 1998 (part two), method 10.
 */
export function newcombe(one: Counts, other: Counts, confidence = 0.95): Interval | null {
  return joined(one, other, 0, confidence);
}

/**
 * Interval for (head's rate − base's rate) when both rates are of the same items. The Wilson
 * intervals are joined with the correlation of the pairs, φ, whose numerator is lowered by n/2 when
 * positive. Null without items.
 *
 * Source: Newcombe 1998 (paired proportions), method 10.
 */
export function newcombePaired(
  { passPass, passFail, failPass, failFail }: PairedCounts,
  confidence = 0.95,
): Interval | null {
  const tries = passPass + passFail + failPass + failFail;
  const [head, base] = [passPass + failPass, passPass + passFail];
  const spread = Math.sqrt(head * (tries - head) * base * (tries - base));
  const product = passPass * failFail - passFail * failPass;
  const numerator = product > 0 ? Math.max(product - tries / 2, 0) : product;
  return joined(
    { passes: head, tries },
    { passes: base, tries },
    spread > 0 ? numerator / spread : 0,
    confidence,
  );
}

function joined(
  one: Counts,
  other: Counts,
  correlation: number,
  confidence: number,
): Interval | null {
  const [ofOne, ofOther] = [wilson(one, confidence), wilson(other, confidence)];
  if (ofOne === null || ofOther === null) return null;
  const [p, q] = [one.passes / one.tries, other.passes / other.tries];
  const reach = (a: number, b: number): number =>
    Math.sqrt(Math.max(0, a * a - 2 * correlation * a * b + b * b));
  return {
    low: p - q - reach(p - ofOne.low, ofOther.high - q),
    high: p - q + reach(ofOne.high - p, q - ofOther.low),
  };
}
