import { describe, expect, test } from '@jest/globals';
import {
  agreementOf,
  cohenKappa,
  fleissKappa,
} from '../../../../src/kernel/statistics/agreement.ts';
import { expectClose, vectors } from './vectors.ts';

describe('cohenKappa', () => {
  test.each(vectors<{ table: number[][] }, number>('cohenKappa'))(
    'agrees with $source',
    ({ input, expected, tol }) => expectClose(cohenKappa(input.table), expected, tol),
  );

  test.each([
    [
      'without items',
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [
      'when both use one category only',
      [
        [7, 0],
        [0, 0],
      ],
    ],
    ['without categories', []],
  ])('is null %s', (_, table) => expect(cohenKappa(table)).toBeNull());
});

describe('fleissKappa', () => {
  test.each(vectors<{ counts: number[][] }, number>('fleissKappa'))(
    'agrees with the $source',
    ({ input, expected, tol }) => expectClose(fleissKappa(input.counts), expected, tol),
  );

  test.each([
    ['without items', []],
    [
      'with a single rating an item',
      [
        [1, 0],
        [0, 1],
      ],
    ],
    [
      'when one category has every rating',
      [
        [3, 0],
        [3, 0],
      ],
    ],
  ])('is null %s', (_, counts) => expect(fleissKappa(counts)).toBeNull());
});

describe('agreementOf', () => {
  test('gives the rates, their mean and kappa', () => {
    expect(
      agreementOf({ truePositive: 69, falseNegative: 31, falsePositive: 9, trueNegative: 91 }),
    ).toEqual({
      agreement: 0.8,
      truePositiveRate: 0.69,
      trueNegativeRate: 0.91,
      balancedAccuracy: 0.8,
      kappa: expect.closeTo(0.6, 12),
    });
  });

  test('leaves null what has no items to be computed from', () => {
    expect(
      agreementOf({ truePositive: 3, falseNegative: 1, falsePositive: 0, trueNegative: 0 }),
    ).toEqual({
      agreement: 0.75,
      truePositiveRate: 0.75,
      trueNegativeRate: null,
      balancedAccuracy: null,
      kappa: 0,
    });
    expect(
      Object.values(
        agreementOf({ truePositive: 0, falseNegative: 0, falsePositive: 0, trueNegative: 0 }),
      ),
    ).toEqual([null, null, null, null, null]);
  });
});
