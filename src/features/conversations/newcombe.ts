import type { Counts } from '../../kernel/statistics/table.ts';
import { wilson, type Interval } from '../../report/sections/intervals.ts';

/**
 * Interval of the difference between two rates, from −1 to 1. Source: Newcombe 1998 (part two),
 * method 10.
 */
export function newcombe(first: Counts, second: Counts, confidence = 0.95): Interval | null {
  const [ofFirst, ofSecond] = [wilson(first, confidence), wilson(second, confidence)];
  if (ofFirst === null || ofSecond === null) return null;
  const [p, q] = [first.passes / first.tries, second.passes / second.tries];
  const reach = (a: number, b: number) => Math.sqrt(a * a + b * b);
  return {
    low: p - q - reach(p - ofFirst.low, ofSecond.high - q),
    high: p - q + reach(ofFirst.high - p, q - ofSecond.low),
  };
}
