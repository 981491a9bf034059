import { boundQuantile, lookLevels, lookPlan } from '../../../../src/kernel/plan/looks.ts';
import { normalQuantile } from '../../../../src/kernel/statistics/distributions.ts';
import { lookAt } from '../../../../src/kernel/statistics/look.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import fc, { draws, forAll } from '../../../fuzz.ts';
import { agreesWithVectors } from '../statistics/vectors.ts';

const [SMALL, LARGE] = [lookPlan(99), lookPlan(100)];

/** Probability of crossing the bound by each look, from convolving a random walk on a fine grid. */
function crossings(levels: readonly number[], looks: readonly number[]) {
  const last = looks.at(-1)!;
  const width = 0.04;
  const places = Array.from({ length: 401 }, (_, i) => (i - 200) * width);
  const density = (x: number, variance: number) =>
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
    // A grid cell that contains the bound counts with the fraction above it.
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
    ({ alphaOneSided, looks }, { nominal }) => [
      [lookLevels(alphaOneSided, { tries: looks, power: 2 }), nominal],
    ],
  );

  test.each([
    ['the square of the tries', SMALL],
    ['the tries', LARGE],
  ])('spends alpha in proportion to %s, as an independent calculation confirms', (_, plan) => {
    const spent = crossings(lookLevels(0.04, plan), plan.tries);
    plan.tries.forEach((tries, i) =>
      expect(spent[i]).toBeCloseTo(0.04 * (tries / 5) ** plan.power, 4),
    );
  });

  test('returns zero levels for alpha 0, and levels below alpha for a tiny or large alpha', () => {
    expect(lookLevels(0, SMALL)).toEqual([0, 0, 0, 0]);
    for (const alpha of [1e-9, 1e-4, 0.4]) {
      const levels = lookLevels(alpha, SMALL);
      expect(levels[0]! / (0.16 * alpha)).toBeCloseTo(1, 6);
      expect(levels[3]! / alpha).toBeLessThan(1);
      expect(levels[3]! / alpha).toBeGreaterThan(0.3);
    }
  });

  test("increases with alpha, as Holm's method requires", () => {
    forAll(
      [fc.double({ min: 0.0005, max: 0.4, noNaN: true })],
      (alpha) => {
        for (const plan of [SMALL, LARGE]) {
          const [small, large] = [lookLevels(alpha, plan), lookLevels(alpha * 1.1, plan)];
          small.forEach((level, i) => expect(level).toBeLessThan(large[i]!));
        }
      },
      { numRuns: draws(20) },
    );
  });
});

/** P(Z > z) of a standard normal, by numerical integration of its density. */
function above(z: number) {
  const width = 1e-4;
  const places = Array.from({ length: 80_000 }, (_, i) => z + (i + 0.5) * width);
  return places.reduce(
    (sum, x) => sum + (width * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI),
    0,
  );
}

describe('lookPlan', () => {
  test('plans the first interim test after one try in a suite of 100 questions or more, otherwise after two', () => {
    expect([SMALL.tries, LARGE.tries]).toEqual([
      [2, 3, 4, 5],
      [1, 2, 3, 4, 5],
    ]);
  });
});

describe('boundQuantile', () => {
  test.each([SMALL, LARGE])(
    'leaves the specified tail probability beyond the bound of each interim test',
    (plan) => {
      expect(plan.tries.map((tries) => above(boundQuantile(plan, tries)))).toEqual(
        plan.bounds.map((level) => expect.closeTo(level, 6)),
      );
    },
  );

  test("uses the last interim test's quantile for more tries, and the first one's for fewer", () => {
    expect(boundQuantile(SMALL, 9)).toBe(boundQuantile(SMALL, 5));
    expect(boundQuantile(SMALL, 1)).toBe(boundQuantile(SMALL, 2));
  });

  test('excludes the true drop in fewer than 6 % of runs, over all interim tests together', () => {
    expect(crossings(SMALL.bounds, SMALL.tries).at(-1)).toBeCloseTo(0.058, 3);
    expect(crossings(LARGE.bounds, LARGE.tries).at(-1)).toBeLessThan(0.055);
    const each = Array<number>(4).fill(0.05);
    expect(crossings(each, SMALL.tries).at(-1)).toBeGreaterThan(0.09);
  });

  test('gives the bound of the rule of three, widened for interim tests, if every try passes', () => {
    const quantiles = [2.053749, 2.053749, 1.959964, 1.811911];
    SMALL.tries.forEach((tries, i) => {
      const all = Array<Outcome>(tries).fill('pass');
      const row = { tries: { base: all, head: all }, cluster: null };
      const look = lookAt(Array(10).fill(row), tries, boundQuantile(SMALL, tries));
      const ruleOfThree = Math.log(20) / tries / 10;
      expect(look.interval?.low).toBeCloseTo((-ruleOfThree * quantiles[i]!) / 1.644854, 6);
    });
  });
});
