import { describe, expect, test } from '@jest/globals';
import { discreteFdr } from '../../../../src/kernel/statistics/reference-tests.ts';
import { mirrorTables } from '../../../../src/kernel/statistics/table.ts';
import fc from '../../../fuzz.ts';
import { anyTables } from './arbitraries.ts';
import { expectAllClose, type Row, tablesOf, vectors } from './vectors.ts';

describe('discreteFdr', () => {
  test.each(vectors<{ refs: Row[] }, number[]>('discreteBH'))(
    'agrees with $source',
    ({ input, expected, tol }) => {
      expectAllClose(discreteFdr(tablesOf(input.refs)).down, expected, tol);
    },
  );

  test('swaps its directions with the sides', () => {
    fc.assert(
      fc.property(anyTables(), (tables) => {
        const [one, other] = [discreteFdr(tables), discreteFdr(mirrorTables(tables))];
        expect(other).toEqual({ down: one.up, up: one.down });
      }),
    );
  });

  test('stays within 0 and 1 and moves with its table when the order changes', () => {
    fc.assert(
      fc.property(anyTables(), (tables) => {
        const { down } = discreteFdr(tables);
        expect(down.every((q) => q >= 0 && q <= 1)).toBe(true);
        expectAllClose(discreteFdr(tables.toReversed()).down.toReversed(), down, 1e-12);
      }),
    );
  });

  test('a table that cannot be called costs the others nothing', () => {
    const broke = tablesOf([[5, 5, 0, 5]]);
    const silent = tablesOf([
      [5, 5, 5, 5],
      [0, 0, 0, 0],
      [0, 3, 0, 3],
      [1, 1, 0, 1],
    ]);
    expect(discreteFdr([...silent, ...broke]).down).toEqual([
      1,
      1,
      1,
      expect.any(Number),
      discreteFdr(broke).down[0],
    ]);
  });

  test('is empty for no tables', () => expect(discreteFdr([])).toEqual({ down: [], up: [] }));
});
