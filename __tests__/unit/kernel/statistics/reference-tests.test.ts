import { describe, expect, test } from '@jest/globals';
import { discreteFdr, referenceTest } from '../../../../src/kernel/statistics/reference-tests.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import { mirrorTables } from '../../../../src/kernel/statistics/table.ts';
import { forAll } from '../../../fuzz.ts';
import { anyTable, anyTables } from './arbitraries.ts';
import { agreesWithVectors, expectAllClose, rows, tablesOf, type Row } from './vectors.ts';

const one = (row: Row) => referenceTest(tablesOf([row])[0]!);

describe('referenceTest', () => {
  agreesWithVectors<{ refs: Row[] }, number[]>('fisherDown', ({ refs }, expected) => [
    [tablesOf(refs).map((table) => referenceTest(table).down), expected],
  ]);

  test.each<[Row, number]>([
    [[5, 5, 0, 5], 252],
    [[4, 4, 0, 4], 70],
    [[3, 3, 0, 3], 20],
    [[2, 2, 0, 2], 6],
    [[1, 1, 0, 1], 2],
  ])('of a total collapse %j has p = 1/%d', (row, ways) => {
    expect(one(row).down).toBeCloseTo(1 / ways, 14);
  });

  test('has for p one of the attainable levels, which ascend to 1', () => {
    forAll([anyTable(50)], (table) => {
      const { down, levels } = referenceTest(table);
      expect(levels).toContain(down);
      expect(levels.at(-1)).toBe(1);
      expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    });
  });

  test('is the suite test of a suite of one', () => {
    forAll([anyTable(50)], (table) =>
      expect(referenceTest(table).down).toBeCloseTo(suiteTest([table]).down, 12),
    );
  });

  test.each<[Row]>([[[0, 0, 0, 0]], [[3, 3, 0, 0]], [[5, 5, 5, 5]], [[0, 5, 0, 5]]])(
    'cannot attain anything but 1 from %j',
    (row) => expect(one(row)).toEqual({ down: 1, levels: [1] }),
  );

  test('keeps tiny levels apart', () =>
    expect(one([50, 50, 0, 50]).down * 1.0089134454556415e29).toBeCloseTo(1, 9));
});

describe('discreteFdr', () => {
  agreesWithVectors<{ refs: Row[] }, number[]>('discreteBH', ({ refs }, expected) => [
    [discreteFdr(tablesOf(refs)).down, expected],
  ]);

  test('swaps its directions with the sides', () => {
    forAll([anyTables()], (tables) => {
      const { down, up } = discreteFdr(tables);
      expect(discreteFdr(mirrorTables(tables))).toEqual({ down: up, up: down });
    });
  });

  test('stays within 0 and 1 and moves with its table when the order changes', () => {
    forAll([anyTables()], (tables) => {
      const { down } = discreteFdr(tables);
      expect(down.every((q) => q >= 0 && q <= 1)).toBe(true);
      expectAllClose(discreteFdr(tables.toReversed()).down.toReversed(), down, 1e-12);
    });
  });

  test('does not charge others for a table that cannot be called', () => {
    const broke = tablesOf([[5, 5, 0, 5]]);
    const silent = rows([5, 5, 5, 5], [0, 0, 0, 0], [0, 3, 0, 3], [1, 1, 0, 1]);
    const { down } = discreteFdr([...tablesOf(silent), ...broke]);
    expect(down).toEqual([1, 1, 1, expect.any(Number), discreteFdr(broke).down[0]]);
  });

  test('is empty for no tables', () => expect(discreteFdr([])).toEqual({ down: [], up: [] }));
});
