import { describe, expect, test } from '@jest/globals';
import { normalQuantile } from '../../../../src/kernel/statistics/distributions.ts';
import {
  differenceInterval,
  meanDifference,
  pairedMean,
  tQuantile,
} from '../../../../src/kernel/statistics/interval.ts';
import { mirrorTables } from '../../../../src/kernel/statistics/table.ts';
import { forAll } from '../../../fuzz.ts';
import { anyTables } from './arbitraries.ts';
import { agreesWithVectors, repeat, rows, tablesOf, type Row } from './vectors.ts';

describe('differenceInterval', () => {
  type Input = { refs: Row[]; conf: number };
  type Expected = { delta: number; lower: number; upper: number };
  agreesWithVectors<Input, Expected>('permInterval', ({ refs, conf }, { delta, lower, upper }) => {
    const z = normalQuantile((1 + conf) / 2);
    const tables = tablesOf(refs);
    const interval = differenceInterval(tables, { z });
    // The vectors have Bonett and Price's 2 in the floor, where the rule of three asks for 3.317.
    const compared = tables.filter(({ base, head }) => base.tries > 0 && head.tries > 0);
    const floor =
      compared.reduce((sum, { base, head }) => sum + 1 / (base.tries * head.tries), 0) /
      compared.length ** 3;
    const wider = (reach: number): number =>
      Math.sqrt(reach ** 2 + z ** 2 * ((Math.log(20) / 1.6448536269514722) ** 2 - 2) * floor);
    const low = Math.max(-1, delta - wider(delta - lower));
    const high = Math.min(1, delta + wider(upper - delta));
    return [
      [interval?.difference, delta],
      ...(lower > -1 ? [[interval?.low, low] as [number, number]] : []),
      ...(upper < 1 ? [[interval?.high, high] as [number, number]] : []),
    ];
  });

  test.each([
    [20, 2],
    [50, 5],
    [8, 3],
  ])(
    'of %d references × %d tries that all pass has the exact bound of the rule of three',
    (references, tries) => {
      const tables = tablesOf(repeat(references, [tries, tries, tries, tries]));
      // The drop d at which head's tries all pass with probability exp(−d·n·N) = 5 %.
      const { low } = differenceInterval(tables)!;
      expect(Math.exp(low * references * tries)).toBeCloseTo(0.05, 12);
    },
  );

  test.each<[string, Row[]]>([
    ['without tables', []],
    ['without tries', [[0, 0, 0, 0]]],
    ['when no table has tries on both sides', rows([3, 3, 0, 0], [0, 0, 2, 2])],
  ])('is null %s', (_, given) => {
    expect(differenceInterval(tablesOf(given))).toBeNull();
    expect(meanDifference(tablesOf(given))).toBeNull();
  });

  test('is never of zero width, and holds the difference within −1 and 1', () => {
    forAll([anyTables(40, 50)], (tables) => {
      const interval = differenceInterval(tables);
      if (interval === null) return;
      const { low, difference, high } = interval;
      expect(high - low).toBeGreaterThan(1e-6);
      const ordered = [-1, low, difference, high, 1];
      expect(ordered).toEqual(ordered.toSorted((a, b) => a - b));
    });
  });

  test.each<[string, Row]>([
    ['passes', [50, 50, 50, 50]],
    ['fails', [0, 50, 0, 50]],
    ['collapsed', [50, 50, 0, 50]],
  ])('has width when every try %s', (_, row) => {
    const { low, high } = differenceInterval(tablesOf(repeat(5000, row)))!;
    expect(high).toBeGreaterThan(low);
  });

  test('turns round when the sides are swapped', () => {
    forAll([anyTables()], (tables) => {
      const [one, other] = [differenceInterval(tables), differenceInterval(mirrorTables(tables))];
      expect(other?.low ?? 0).toBeCloseTo(-(one?.high ?? 0), 12);
    });
  });

  test('weighs every table alike, however many tries it has', () => {
    const given = rows([1, 1, 0, 1], [50, 50, 50, 50]);
    expect(meanDifference(tablesOf(given))).toBe(-0.5);
  });
});

describe("Student's t", () => {
  // Any printed table of the distribution.
  test.each([
    [0.95, 2, 2.92],
    [0.95, 4, 2.132],
    [0.95, 9, 1.833],
    [0.95, 30, 1.697],
    [0.975, 2, 4.303],
    [0.975, 5, 2.571],
    [0.975, 20, 2.086],
  ])('has the quantile %p at %p degrees of freedom', (p, freedom, table) => {
    const error = Math.abs(tQuantile(p, freedom) / table - 1);
    expect(error).toBeLessThan(freedom < 5 ? 0.03 : 0.001);
  });
});

describe('the mean of paired differences', () => {
  test('has the textbook interval', () => {
    // Student's sleep data (1908), difference of the two drugs: mean 1.58, s = 1.2300, n = 10; 90 %
    // is 1.58 ± 1.8331 × 0.38896.
    const found = pairedMean([1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4]);
    expect(found?.difference).toBeCloseTo(1.58, 10);
    expect(found?.low).toBeCloseTo(0.867, 3);
    expect(found?.high).toBeCloseTo(2.293, 3);
  });

  test.each([
    [[1, 1, 1, 1], 1],
    [[1, 3], 2],
    [[0.1], 0.1],
  ])('has no interval where nothing is known of the spread: %j', (values, difference) =>
    expect(pairedMean(values)).toEqual({ difference, low: null, high: null }),
  );

  test('is null without values', () => expect(pairedMean([])).toBeNull());
});
