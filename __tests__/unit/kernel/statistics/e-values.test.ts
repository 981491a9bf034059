import {
  eValueFdr,
  eValueOf,
  pairFactor,
  tryPairs,
  type PairedTry,
} from '../../../../src/kernel/statistics/e-values.ts';
import fc, { forAll } from '../../../fuzz.ts';

const PAIRS: PairedTry[] = [true, false].flatMap((base) =>
  [true, false].map((head) => ({ base, head })),
);
const chance = (rate: number, { base, head }: PairedTry) =>
  (base ? rate : 1 - rate) * (head ? rate : 1 - rate);
const rates = fc.double({ min: 0, max: 1, noNaN: true });
const inner = fc.double({ min: 0.01, max: 0.99, noNaN: true });

describe('pairFactor', () => {
  test('has a mean of at most 1 for any pass rate that both sides share, and for any bet', () => {
    forAll([rates, inner, inner], (rate, base, head) => {
      const mean = PAIRS.reduce(
        (sum, pair) => sum + chance(rate, pair) * pairFactor({ base, head }, pair),
        0,
      );
      expect(mean).toBeLessThanOrEqual(1 + 1e-12);
    });
  });
});

describe('eValueOf', () => {
  test('has a mean of at most 1 even with optional stopping', () => {
    const stopped = (rate: number, path: PairedTry[], probability: number): number => {
      const value = eValueOf(path);
      if (value >= 5 || path.length === 6) return value * probability;
      return PAIRS.reduce(
        (sum, pair) => sum + stopped(rate, [...path, pair], probability * chance(rate, pair)),
        0,
      );
    };
    for (const rate of [0, 0.05, 0.3, 0.5, 0.8, 0.95, 1])
      expect(stopped(rate, [], 1)).toBeLessThanOrEqual(1 + 1e-12);
  });

  test('starts at 1 and more than triples with each pair that passed on base and failed on head', () => {
    const broke = (count: number) =>
      eValueOf(Array.from({ length: count }, () => ({ base: true, head: false })));
    expect(broke(0)).toBe(1);
    for (let count = 1; count < 8; count++)
      expect(broke(count + 1) / broke(count)).toBeGreaterThan(3);
  });

  test('excludes tries with an unjudged side', () => {
    expect(
      tryPairs({ base: ['pass', 'error', 'pass'], head: ['fail', 'fail', 'ungraded', 'fail'] }),
    ).toEqual([{ base: true, head: false }]);
  });
});

describe('eValueFdr', () => {
  test('is n / (j · e) for the j-th largest of n values, made monotone', () => {
    const values = [40, 1, 400, 100];
    const q = eValueFdr(values);
    expect(values.map((value) => q.get(value))).toEqual([
      expect.closeTo(4 / (3 * 40), 12),
      1,
      expect.closeTo(0.01, 12),
      expect.closeTo(0.02, 12),
    ]);
  });
});
