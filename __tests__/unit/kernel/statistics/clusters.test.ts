import { nullDistribution, nullMoments } from '../../../../src/kernel/statistics/clusters.ts';
import { differenceInterval } from '../../../../src/kernel/statistics/interval.ts';
import { contrast } from '../../../../src/kernel/statistics/look.ts';
import type { Tries } from '../../../../src/kernel/statistics/table.ts';
import fc, { forAll } from '../../../fuzz.ts';

/** The sum of each subset with `count` values. */
function choices(values: readonly number[], count: number): number[] {
  const [first, ...rest] = values;
  if (count === 0) return [0];
  if (first === undefined) return [];
  return [...choices(rest, count - 1).map((sum) => sum + first), ...choices(rest, count)];
}

const passes = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 4 });

describe('nullDistribution', () => {
  test('counts every way to assign whole tries of a cluster to the sides', () => {
    forAll([passes, passes], (base, head) => {
      const sums = choices([...base, ...head], head.length);
      const { low, mass } = nullDistribution({ size: 4, base, head });
      mass.forEach((probability, i) => {
        const share = sums.filter((sum) => sum === low + i).length / sums.length;
        expect(probability).toBeCloseTo(share, 12);
      });
      const mean = sums.reduce((total, sum) => total + sum, 0) / sums.length;
      const square = sums.reduce((total, sum) => total + (sum - mean) ** 2, 0) / sums.length;
      const moments = nullMoments({ size: 4, base, head });
      expect(moments.mean).toBeCloseTo(mean, 12);
      expect(moments.variance).toBeCloseTo(square, 12);
    });
  });

  test('is hypergeometric for a single reference', () => {
    const table = { base: { passes: 2, tries: 3 }, head: { passes: 1, tries: 3 } };
    // Three of six tries pass. Of the 20 ways to choose head's tries, 1, 9, 9 and 1 contain 0 to 3
    // passes.
    const { low, mass } = nullDistribution(table);
    expect(low).toBe(0);
    [1, 9, 9, 1].forEach((ways, i) => expect(mass[i]).toBeCloseTo(ways / 20, 14));
    const alone = { size: 1, base: [1, 1, 0], head: [0, 1, 0] };
    expect(nullDistribution(alone)).toEqual(nullDistribution(table));
    expect(nullMoments(table)).toEqual({ mean: 1.5, variance: expect.closeTo(0.45, 12) });
  });
});

describe('references of one cluster', () => {
  const template: Tries = { base: ['pass', 'pass'], head: ['fail', 'fail'] };
  const rows = (cluster: string | null) =>
    Array.from({ length: 10 }, () => ({ tries: template, cluster }));

  test('count as one failure, not as ten', () => {
    const [together, apart] = [contrast(rows('letter')), contrast(rows(null))];
    // Head has the two failed tries of four: one of six ways.
    expect(together.test.down).toBeCloseTo(1 / 6, 12);
    expect(apart.test.down).toBeCloseTo(6 ** -10, 15);
    const high = ({ tables, units }: ReturnType<typeof contrast>) =>
      differenceInterval(tables, { units })!.high;
    expect(high(together)).toBeGreaterThan(high(apart));
    expect([together.units.length, apart.units.length]).toEqual([1, 10]);
  });

  test('are counted individually if the cluster has only one reference', () => {
    const once = rows(null).map((row, at) => (at === 0 ? { ...row, cluster: 'a' } : row));
    expect(contrast(once)).toEqual(contrast(rows(null)));
  });

  test('do not count an error as a failure', () => {
    const errors: Tries = { base: ['pass', 'pass'], head: ['error', 'error'] };
    const fine: Tries = { base: ['pass', 'pass'], head: ['pass', 'pass'] };
    const pairOf = (...pair: Tries[]) =>
      contrast(pair.map((tries) => ({ tries, cluster: 'a' }))).units;
    expect(pairOf(errors, fine)).toEqual([{ size: 2, base: [2, 2], head: [2, 2] }]);
    // An error does not hide another member's failure: it passes on base and fails on head.
    expect(pairOf({ base: errors.head, head: errors.base }, template)).toEqual([
      { size: 2, base: [2, 2], head: [1, 1] },
    ]);
  });

  test('use only the tries that all members have and in which at least one member was judged', () => {
    const [first, second] = [
      { base: ['pass', 'error', 'pass'], head: ['fail', 'error'] },
      { base: ['fail', 'error'], head: ['error', 'error', 'pass'] },
    ] as Tries[];
    const { units } = contrast([
      { tries: first!, cluster: 'a' },
      { tries: second!, cluster: 'a' },
    ]);
    expect(units).toEqual([{ size: 2, base: [1], head: [0] }]);
  });
});
