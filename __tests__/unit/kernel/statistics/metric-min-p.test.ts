import type { SuiteLedger } from '../../../../src/kernel/plan/ledger.ts';
import { lookAt } from '../../../../src/kernel/statistics/look.ts';
import {
  fallenMetrics,
  isFall,
  metricWithLeastP,
  metricsBeyondChance,
  minPOverMetrics,
} from '../../../../src/kernel/statistics/metric-min-p.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { draws } from '../../../fuzz.ts';
import { fine, ledger, repeat, tried, withMetrics } from './ledgers.ts';

const lookTwo = (of: SuiteLedger) => lookAt(of.references, 2);

/** One metric drops as much as another rises, so the pass rate does not change. */
const exchanged = withMetrics({
  tone: [...repeat(8, tried('00', '11')), ...fine(12)],
  facts: [...repeat(8, tried('11', '00')), ...fine(12)],
});

describe('minPOverMetrics', () => {
  test('is the exact mid-p if there is only one metric', () => {
    const look = lookTwo(ledger([...repeat(4, tried('11', '00')), ...fine(6)]));
    expect(minPOverMetrics(look, 0.05)).toBe(look.test.midDown);
    // Each of the four has all its passes on base: one of six permutations.
    expect(look.test.midDown).toBeCloseTo(1 / 6 ** 4 / 2, 12);
  });

  test("finds a metric that dropped although the suite's pass rate did not", () => {
    const look = lookTwo(exchanged);
    expect(look.test.midDown).toBeCloseTo(0.5, 9);
    expect(minPOverMetrics(look, 0.04)).toBeLessThan(1e-4);
    expect(isFall(look, 0.04, 0.01)).toBe(true);
    expect(metricWithLeastP(look).metric).toBe('facts');
    expect([fallenMetrics(look, 0.01), metricsBeyondChance(look, 1)]).toEqual([
      ['facts'],
      ['facts'],
    ]);
  });

  test('does not correct for metrics that only repeat another metric', () => {
    const tries = [...repeat(4, tried('11', '01')), ...fine(16)];
    const alone = lookTwo(ledger(tries)).test.midDown;
    const copied = lookTwo(withMetrics({ a: tries, b: tries, c: tries }));
    // Bonferroni would give four times this p.
    expect(minPOverMetrics(copied, 0.1)).toBeGreaterThan(0.7 * alone);
    expect(minPOverMetrics(copied, 0.1)).toBeLessThan(1.3 * alone);
  });

  test('does not correct for metrics whose largest possible drop is small', () => {
    const fell = [...repeat(8, tried('11', '00')), ...fine(12)];
    const rare = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [
        `rare ${i}`,
        fine(20).map((own, at) => (at === i % 20 ? tried('10', '11') : own)),
      ]),
    );
    const look = lookTwo(withMetrics({ fell, ...rare }));
    expect(minPOverMetrics(look, 0)).toBeLessThan(3 * metricWithLeastP(look).test.midDown);
  });

  test('finds the one metric of many that dropped', () => {
    // Twenty metrics fail half of their tries on both sides; one drops by 30 points.
    const noisy = repeat(50, tried('10', '01'));
    const fell = [...repeat(15, tried('11', '00')), ...fine(35)];
    const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [String(i), noisy]));
    const look = lookTwo(withMetrics({ ...twenty, fell }));
    expect(metricWithLeastP(look)).toMatchObject({
      metric: 'fell',
      difference: expect.closeTo(-0.3),
    });
    expect(metricsBeyondChance(look, 1)).toEqual(['fell']);
    expect(isFall(look, 0.02, 0.01)).toBe(true);
  });

  test("is deterministic and at most Bonferroni's p", () => {
    const look = () => lookTwo(withMetrics({ a: many(3), b: many(4), c: many(5) }));
    const [first, second] = [look(), look()];
    expect(minPOverMetrics(first, 0.2)).toBe(minPOverMetrics(second, 0.2));
    expect(minPOverMetrics(first, 0.2)).toBeLessThanOrEqual(
      4 * metricWithLeastP(first).test.midDown,
    );
  });

  test('has the stated false-alarm rate for any metrics', () => {
    const random = createRandom('columns are honest');
    const runs = draws(400);
    const side = (rate: number) =>
      ['', ''].map(() => (nextFloat(random) < rate ? '1' : '0')).join('');
    const hits = Array.from({ length: runs }, () => {
      const metric = (rate: number) =>
        Array.from({ length: 20 }, () => tried(side(rate), side(rate)));
      return minPOverMetrics(lookTwo(withMetrics({ a: metric(0.8), b: metric(0.9) })), 0.1) <= 0.1;
    }).filter(Boolean).length;
    expect(hits / runs).toBeLessThan(0.1 + 3 * Math.sqrt(0.09 / runs));
  });
});

function many(fallen: number) {
  return [...repeat(fallen, tried('11', '01')), ...fine(20 - fallen)];
}

describe('isFall', () => {
  // `steady` drops by 5 points and has the smaller p; the pass rate drops by 15.
  const look = lookTwo(
    withMetrics({
      steady: [...repeat(5, tried('11', '00')), ...fine(95)],
      noisy: [
        ...fine(5),
        ...repeat(20, tried('11', '01')),
        ...repeat(30, tried('10', '01')),
        ...fine(45),
      ],
    }),
  );

  test('compares every metric that dropped beyond chance with min_drop, not only the one with the smallest p', () => {
    expect(metricWithLeastP(look).metric).toBe('steady');
    expect(metricWithLeastP(look).difference).toBeCloseTo(-0.05, 12);
    expect(look.difference).toBeCloseTo(-0.15, 12);
    expect([0.04, 0.12, 0.2].map((drop) => isFall(look, 0.02, drop))).toEqual([true, true, false]);
    expect(fallenMetrics(look, 0.04)[0]).toBe('steady');
    expect(fallenMetrics(look, 0.12)).toEqual([]);
  });
});

describe('clusters', () => {
  test('are permuted as a whole, so eight references of one question count once', () => {
    const tries = [...repeat(8, tried('11', '00')), ...fine(12)];
    const cluster = (at: number) => ({ cluster: at < 8 ? 'question' : null });
    expect(minPOverMetrics(lookTwo(ledger(tries)), 0.05)).toBeLessThan(0.001);
    expect(minPOverMetrics(lookTwo(ledger(tries, cluster)), 0.05)).toBeCloseTo(1 / 12, 9);
    const columns = withMetrics({ a: tries, b: tries }, cluster);
    expect(minPOverMetrics(lookTwo(columns), 0.2)).toBeGreaterThan(0.06);
  });
});
