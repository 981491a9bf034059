import { cohenKappa } from '../../../src/kernel/statistics/kappa.ts';
import { agreementOf, fleissKappa } from '../../../src/trials/agreement.ts';
import { agreesWithVectors } from '../kernel/statistics/vectors.ts';

type Pair = [number, number];
const two = (first: Pair, second: Pair): number[][] => [first, second];

describe('cohenKappa', () => {
  agreesWithVectors<{ table: number[][] }, number>('cohenKappa', ({ table }, expected) => [
    [cohenKappa(table), expected],
  ]);

  test.each([
    ['without items', two([0, 0], [0, 0])],
    ['when both use one category only', two([7, 0], [0, 0])],
    ['without categories', []],
  ])('is null %s', (_, table) => expect(cohenKappa(table)).toBeNull());
});

describe('fleissKappa', () => {
  agreesWithVectors<{ counts: number[][] }, number>('fleissKappa', ({ counts }, expected) => [
    [fleissKappa(counts), expected],
  ]);

  test.each([
    ['without items', []],
    ['with a single rating an item', two([1, 0], [0, 1])],
    ['when one category has every rating', two([3, 0], [3, 0])],
  ])('is null %s', (_, counts) => expect(fleissKappa(counts)).toBeNull());
});

describe('agreementOf', () => {
  const of = (
    truePositive: number,
    falseNegative: number,
    falsePositive: number,
    trueNegative: number,
  ) => agreementOf({ truePositive, falseNegative, falsePositive, trueNegative });

  test('gives the rates, their mean and kappa', () =>
    expect(of(69, 31, 9, 91)).toEqual({
      agreement: 0.8,
      truePositiveRate: 0.69,
      trueNegativeRate: 0.91,
      balancedAccuracy: 0.8,
      kappa: expect.closeTo(0.6, 12),
    }));

  test('returns null for a rate without items', () => {
    const unknown = { trueNegativeRate: null, balancedAccuracy: null };
    const known = { agreement: 0.75, truePositiveRate: 0.75, kappa: 0 };
    expect(of(3, 1, 0, 0)).toEqual({ ...known, ...unknown });
    expect(Object.values(of(0, 0, 0, 0))).toEqual([null, null, null, null, null]);
  });
});
