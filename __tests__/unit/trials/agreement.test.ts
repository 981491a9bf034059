import { cohenKappa } from '../../../src/kernel/statistics/kappa.ts';
import { agreementOf } from '../../../src/trials/agreement.ts';
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

describe('agreementOf', () => {
  const of = (
    truePositive: number,
    falseNegative: number,
    falsePositive: number,
    trueNegative: number,
  ) => agreementOf({ truePositive, falseNegative, falsePositive, trueNegative });

  test('gives the rates and their mean', () =>
    expect(of(69, 31, 9, 91)).toEqual({
      truePositiveRate: 0.69,
      trueNegativeRate: 0.91,
      balancedAccuracy: 0.8,
    }));

  test('returns null for a rate without items', () => {
    const unknown = { trueNegativeRate: null, balancedAccuracy: null };
    const known = { truePositiveRate: 0.75 };
    expect(of(3, 1, 0, 0)).toEqual({ ...known, ...unknown });
    expect(Object.values(of(0, 0, 0, 0))).toEqual([null, null, null]);
  });
});
