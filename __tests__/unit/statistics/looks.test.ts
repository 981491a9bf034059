import { describe, expect, test } from '@jest/globals';
import { normalQuantile } from '../../../src/statistics/distributions.ts';
import { LOOKS, lookLevels } from '../../../src/statistics/looks.ts';
import fc, { draws } from '../../fuzz.ts';
import { expectClose, vectors } from './vectors.ts';

/** Chance of a crossing by each look, by convolving a walk on a fine grid. */
function crossings(levels: readonly number[], looks: readonly number[]): number[] {
  const last = looks.at(-1)!;
  const width = 0.04;
  const places = Array.from({ length: 401 }, (_, i) => (i - 200) * width);
  const density = (x: number, variance: number): number =>
    Math.exp(-(x * x) / (2 * variance)) / Math.sqrt(2 * Math.PI * variance);
  let before: Float64Array | null = null;
  let time = 0;
  let crossed = 0;
  return looks.map((tries, k) => {
    const now = tries / last;
    const step = now - time;
    const law: Float64Array = Float64Array.from(places, (place) =>
      before === null
        ? density(place, now)
        : before.reduce(
            (sum, mass, i) => sum + mass * width * density(place - places[i]!, step),
            0,
          ),
    );
    const bound = normalQuantile(1 - levels[k]!) * Math.sqrt(now);
    // The cell that the bound cuts counts by its part above it.
    const above = places.map((place) => Math.min(1, Math.max(0, (place - bound) / width + 0.5)));
    crossed += law.reduce((sum, mass, i) => sum + mass * width * above[i]!, 0);
    before = law.map((mass, i) => mass * (1 - above[i]!));
    time = now;
    return crossed;
  });
}

describe('lookLevels', () => {
  type Input = { looks: [number, number]; alphaOneSided: number };
  test.each(vectors<Input, { nominal: [number, number] }>('triesLooks'))(
    'agrees with $source for looks $input.looks',
    ({ input, expected, tol }) => {
      const levels = lookLevels(input.alphaOneSided, input.looks);
      expectClose(levels[0], expected.nominal[0], tol);
      expectClose(levels[1], expected.nominal[1], tol);
    },
  );

  test('spends alpha in proportion to the square of the tries, by another way of reckoning', () => {
    const spent = crossings(lookLevels(0.04), LOOKS);
    LOOKS.forEach((tries, i) => {
      expect(spent[i]).toBeCloseTo(0.04 * (tries / 5) ** 2, 4);
    });
  });

  test('spends nothing of nothing, and stays within alpha where it is tiny or large', () => {
    expect(lookLevels(0)).toEqual([0, 0, 0, 0]);
    for (const alpha of [1e-9, 1e-4, 0.4]) {
      const levels = lookLevels(alpha);
      expect(levels[0]! / (0.16 * alpha)).toBeCloseTo(1, 6);
      expect(levels[3]! / alpha).toBeLessThan(1);
      expect(levels[3]! / alpha).toBeGreaterThan(0.3);
    }
  });

  test('every level grows with alpha, so that Holm’s alarms are nested', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.0005, max: 0.4, noNaN: true }), (alpha) => {
        const [small, large] = [lookLevels(alpha), lookLevels(alpha * 1.1)];
        small.forEach((level, i) => {
          expect(level).toBeLessThan(large[i]!);
        });
      }),
      { numRuns: draws(20) },
    );
  });
});
