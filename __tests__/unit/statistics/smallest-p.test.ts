import { describe, expect, test } from '@jest/globals';
import { referenceTest } from '../../../src/statistics/reference-tests.ts';
import { adjustedForAll } from '../../../src/statistics/reference-tests.ts';
import fc from '../../fuzz.ts';
import { anyTables, outcomes } from './arbitraries.ts';
import type { Row } from './vectors.ts';
import { expectAllClose, tablesOf, vectors } from './vectors.ts';

describe('adjustedForAll', () => {
  test.each(vectors<{ refs: Row[] }, number[]>('discreteSidak'))(
    'agrees with $source',
    ({ input, expected, tol }) => {
      expectAllClose(adjustedForAll(tablesOf(input.refs)), expected, tol);
    },
  );

  test('is the chance that any table of an unchanged suite looks as bad', () => {
    fc.assert(
      fc.property(anyTables(4, 4), (tables) => {
        const smallest = (some: typeof tables): number =>
          Math.min(1, ...some.map((table) => referenceTest(table).down));
        const seen = smallest(tables);
        const chance = outcomes(tables)
          .filter((outcome) => smallest(outcome.tables) <= seen * (1 + 1e-9))
          .reduce((sum, { probability }) => sum + probability, 0);
        expect(Math.min(1, ...adjustedForAll(tables))).toBeCloseTo(chance, 10);
      }),
    );
  });

  test('has nothing to adjust in an empty suite', () => {
    expect(adjustedForAll([])).toEqual([]);
  });
});
