import { describe, expect, test } from '@jest/globals';
import { RULES } from '../../../benchmarks/verdicts/rules.ts';
import { drawRates, drawTries, NOISE } from '../../../benchmarks/verdicts/scenarios.ts';
import { studentCdf } from '../../../benchmarks/verdicts/student.ts';
import { createRandom } from '../../../src/statistics/random.ts';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe('the simulation behind the table of verdicts', () => {
  test.each([
    [-2, 4, 0.0580582617584],
    [2, 5, 0.949030260585],
    [0.3, 49, 0.617276905108],
    [-5, 199, 6.27369662625e-7],
  ])('studentCdf(%d, %d) agrees with scipy.stats.t.cdf', (t, freedom, expected) => {
    expect(studentCdf(t, freedom)).toBeCloseTo(expected, 8);
  });

  test.each(Object.entries(NOISE))(
    'a %s suite has the pass rates of its Beta law',
    (noise, [a, b]) => {
      const { base } = drawRates(
        20_000,
        noise as keyof typeof NOISE,
        { kind: 'nothing' },
        createRandom(noise),
      )!;
      expect(Math.abs(mean(base) - a / (a + b))).toBeLessThan(0.01);
      expect(
        Math.abs(mean(base.map((rate) => rate * (1 - rate))) - (a * b) / ((a + b) * (a + b + 1))),
      ).toBeLessThan(0.003);
    },
  );

  test.each(['everywhere', 'broken'] as const)(
    'an effect of kind %s takes exactly its drop',
    (kind) => {
      const { base, head } = drawRates(50, 'typical', { kind, drop: 0.07 }, createRandom(1))!;
      expect(mean(base) - mean(head)).toBeCloseTo(0.07, 10);
      expect(head.every((rate, i) => rate >= 0 && rate <= base[i]!)).toBe(true);
      expect(drawRates(50, 'typical', { kind, drop: 1 }, createRandom(1))).toBeNull();
    },
  );

  test('every rule is red when everything breaks and quiet when every try passes, at the cost of its tries', () => {
    const suite = (head: number) =>
      drawTries(
        { base: Array<number>(30).fill(1), head: Array<number>(30).fill(head) },
        createRandom(1),
      );
    for (const rule of RULES) {
      expect([rule.name, rule.judge(suite(0)).red, rule.judge(suite(1)).red]).toEqual([
        rule.name,
        true,
        false,
      ]);
    }
    expect(RULES.map(({ judge }) => judge(suite(1)).calls / 30)).toEqual([
      2, 10, 6, 6, 10, 10, 6, 10, 4,
    ]);
  });
});
