import { describe, expect, test } from '@jest/globals';
import {
  bundleMoments,
  bundlePasses,
  bundlesOf,
} from '../../../../src/kernel/statistics/bundles.ts';
import { headMoments, headPasses } from '../../../../src/kernel/statistics/distributions.ts';
import { differenceInterval } from '../../../../src/kernel/statistics/interval.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import { countTable, type Tries } from '../../../../src/kernel/statistics/table.ts';
import fc, { forAll } from '../../../fuzz.ts';

/** Sums of every choice of `count` of the values. */
function choices(values: readonly number[], count: number): number[] {
  const [first, ...rest] = values;
  if (count === 0) return [0];
  if (first === undefined) return [];
  return [...choices(rest, count - 1).map((sum) => sum + first), ...choices(rest, count)];
}

const passes = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 });

describe('bundlePasses', () => {
  test('counts every way of dealing whole tries to the sides', () => {
    forAll([passes, passes], (base, head) => {
      const sums = choices([...base, ...head], head.length);
      const { low, mass } = bundlePasses({ members: [], base, head });
      mass.forEach((probability, i) => {
        const share = sums.filter((sum) => sum === low + i).length / sums.length;
        expect(probability).toBeCloseTo(share, 12);
      });
      const mean = sums.reduce((total, sum) => total + sum, 0) / sums.length;
      const square = sums.reduce((total, sum) => total + (sum - mean) ** 2, 0) / sums.length;
      const moments = bundleMoments({ members: [], base, head });
      expect(moments.mean).toBeCloseTo(mean, 12);
      expect(moments.variance).toBeCloseTo(square, 12);
    });
  });

  test('of a single reference is what its table says', () => {
    const table = { base: { passes: 2, tries: 3 }, head: { passes: 1, tries: 3 } };
    const bundle = { members: [0], base: [1, 1, 0], head: [0, 1, 0] };
    const { low, mass } = headPasses(table);
    mass.forEach((probability, i) => {
      expect(bundlePasses(bundle).mass[low + i]).toBeCloseTo(probability, 12);
    });
    expect(bundleMoments(bundle).variance).toBeCloseTo(headMoments(table).variance, 12);
  });
});

describe('references of one cluster', () => {
  const template: Tries = { base: ['pass', 'pass'], head: ['fail', 'fail'] };
  const tries = Array.from({ length: 10 }, () => template);
  const tables = tries.map((own) => countTable(own, 0, 2));

  test('count as one thing that failed, not as ten', () => {
    const bundles = bundlesOf(
      tries,
      tries.map(() => 'letter'),
      2,
    );
    // Both tries of head are the two that fail, of four: one way of six.
    expect(suiteTest(tables, bundles).down).toBeCloseTo(1 / 6, 12);
    expect(suiteTest(tables).down).toBeCloseTo(6 ** -10, 15);
    const [together, apart] = [differenceInterval(tables, { bundles }), differenceInterval(tables)];
    expect(together!.high).toBeGreaterThan(apart!.high);
  });

  test('are none where the name is given once', () => {
    expect(bundlesOf(tries, ['a', ...Array<null>(9).fill(null)], 2)).toEqual([]);
  });
});
