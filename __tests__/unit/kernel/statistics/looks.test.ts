import { describe, expect, test } from '@jest/globals';
import { normalQuantile } from '../../../../src/kernel/statistics/distributions.ts';
import { boundQuantile, LOOKS, lookLevels } from '../../../../src/kernel/statistics/looks.ts';
import { lookAt } from '../../../../src/kernel/statistics/sequential.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import fc, { draws, forAll } from '../../../fuzz.ts';
import { agreesWithVectors } from './vectors.ts';

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
  agreesWithVectors<Input, { nominal: [number, number] }>(
    'triesLooks',
    ({ alphaOneSided, looks }, { nominal }) => [[lookLevels(alphaOneSided, looks), nominal]],
  );

  test('spends alpha in proportion to the square of the tries, by another way of reckoning', () => {
    const spent = crossings(lookLevels(0.04), LOOKS);
    LOOKS.forEach((tries, i) => expect(spent[i]).toBeCloseTo(0.04 * (tries / 5) ** 2, 4));
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

  test("every level grows with alpha, so that Holm's alarms are nested", () => {
    forAll(
      [fc.double({ min: 0.0005, max: 0.4, noNaN: true })],
      (alpha) => {
        const [small, large] = [lookLevels(alpha), lookLevels(alpha * 1.1)];
        small.forEach((level, i) => expect(level).toBeLessThan(large[i]!));
      },
      { numRuns: draws(20) },
    );
  });
});

/** Chance of a standard normal number above z, by the trapezoid rule on its density. */
function above(z: number): number {
  const width = 1e-4;
  const places = Array.from({ length: 80_000 }, (_, i) => z + (i + 0.5) * width);
  return places.reduce(
    (sum, x) => sum + (width * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI),
    0,
  );
}

describe('boundQuantile', () => {
  const stated = [0.02, 0.02, 0.025, 0.035];

  test('leaves 2, 2, 2.5 and 3.5 % beyond the bounds after 2, 3, 4 and 5 tries, by integrating the density', () => {
    expect(LOOKS.map((tries) => above(boundQuantile(tries)))).toEqual(
      stated.map((level) => expect.closeTo(level, 6)),
    );
  });

  test('is that of five tries for more, and as strict as the first for fewer', () => {
    expect(boundQuantile(9)).toBe(boundQuantile(5));
    expect(boundQuantile(1)).toBe(boundQuantile(2));
  });

  test('rules out a drop of just the true size in under 6 % over all looks together, where bounds of 5 % each would in 10 %', () => {
    const wrong = crossings(stated, LOOKS).at(-1)!;
    expect(wrong).toBeCloseTo(0.058, 3);
    expect(crossings(Array<number>(4).fill(0.05), LOOKS).at(-1)).toBeGreaterThan(0.09);
  });

  test('makes the bound that is stated after a look: the rule of three, widened, where every try passes', () => {
    const quantiles = [2.053749, 2.053749, 1.959964, 1.811911];
    LOOKS.forEach((tries, i) => {
      const all = Array<Outcome>(tries).fill('pass');
      const suite = {
        tries: Array.from({ length: 10 }, () => ({ base: all, head: all })),
        clusters: Array<null>(10).fill(null),
        ...{ critical: new Set<number>(), steady: new Set<number>(), minDrop: 0.01 },
        tolerance: 'auto' as const,
      };
      const look = lookAt(suite, tries);
      const ruleOfThree = Math.log(20) / tries / 10;
      expect(look.interval?.low).toBeCloseTo((-ruleOfThree * quantiles[i]!) / 1.644854, 6);
    });
  });
});
