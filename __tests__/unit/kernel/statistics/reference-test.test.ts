import { describe, expect, test } from '@jest/globals';
import { referenceTest } from '../../../../src/kernel/statistics/reference-tests.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import fc from '../../../fuzz.ts';
import { anyTable } from './arbitraries.ts';
import { expectAllClose, type Row, tablesOf, vectors } from './vectors.ts';

const one = (row: Row) => {
  const [table] = tablesOf([row]);
  return referenceTest(table!);
};

describe('referenceTest', () => {
  test.each(vectors<{ refs: Row[] }, number[]>('fisherDown'))(
    'agrees with $source',
    ({ input, expected, tol }) => {
      expectAllClose(
        tablesOf(input.refs).map((table) => referenceTest(table).down),
        expected,
        tol,
      );
    },
  );

  test.each<[Row, number]>([
    [[5, 5, 0, 5], 252],
    [[4, 4, 0, 4], 70],
    [[3, 3, 0, 3], 20],
    [[2, 2, 0, 2], 6],
    [[1, 1, 0, 1], 2],
  ])('a total collapse %j has p = 1/%d', (row, ways) => {
    expect(one(row).down).toBeCloseTo(1 / ways, 14);
  });

  test('its p is one of the attainable levels, which ascend to 1', () => {
    fc.assert(
      fc.property(anyTable(50), (table) => {
        const { down, levels } = referenceTest(table);
        expect(levels).toContain(down);
        expect(levels.at(-1)).toBe(1);
        expect(levels).toEqual(levels.toSorted((a, b) => a - b));
      }),
    );
  });

  test('is the suite test of a suite of one', () => {
    fc.assert(
      fc.property(anyTable(50), (table) => {
        expect(referenceTest(table).down).toBeCloseTo(suiteTest([table]).down, 12);
      }),
    );
  });

  test.each<[Row]>([[[0, 0, 0, 0]], [[3, 3, 0, 0]], [[5, 5, 5, 5]], [[0, 5, 0, 5]]])(
    'cannot attain anything but 1 from %j',
    (row) => expect(one(row)).toEqual({ down: 1, levels: [1] }),
  );

  test('keeps tiny levels apart', () => {
    expect(one([50, 50, 0, 50]).down * 1.0089134454556415e29).toBeCloseTo(1, 9);
  });
});
