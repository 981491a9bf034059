import { describe, expect, test } from '@jest/globals';
import { brokenTest } from '../../../../src/kernel/statistics/gate.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import { isInformative } from '../../../../src/kernel/statistics/table.ts';
import fc, { draws } from '../../../fuzz.ts';
import { anyTables, outcomes } from './arbitraries.ts';
import { type Row, tablesOf } from './vectors.ts';

const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

describe('brokenTest', () => {
  test('is as small as it says exactly as often as it says, counted over every outcome of the totals', () => {
    fc.assert(
      fc.property(anyTables(4, 5), (tables) => {
        const seen = brokenTest(tables);
        const chance = outcomes(tables)
          .filter((outcome) => brokenTest(outcome.tables) <= seen * (1 + 1e-9))
          .reduce((sum, { probability }) => sum + probability, 0);
        expect(chance).toBeCloseTo(seen, 9);
      }),
      { numRuns: draws(60) },
    );
  });

  test("of one table that broke is Fisher's exact test", () => {
    expect(brokenTest(tablesOf([[5, 5, 0, 5], ...repeat(40, [5, 5, 5, 5])]))).toBeCloseTo(
      1 / 252,
      12,
    );
  });

  test('of five that broke beside five that healed is the chance that five or more of ten would', () => {
    const tables = tablesOf([
      ...repeat(5, [5, 5, 0, 5]),
      ...repeat(5, [0, 5, 5, 5]),
      ...repeat(40, [5, 5, 5, 5]),
    ]);
    expect(brokenTest(tables)).toBeLessThan(252 / 252 ** 5 + 1e-12);
    expect(suiteTest(tables).midDown).toBeCloseTo(0.5, 12);
  });

  test('tells a tenth that pass half as often from as many failures spread evenly', () => {
    const halved = tablesOf([...repeat(5, [5, 5, 2, 5]), ...repeat(45, [5, 5, 5, 5])]);
    const spread = tablesOf([...repeat(15, [5, 5, 4, 5]), ...repeat(35, [5, 5, 5, 5])]);
    expect(brokenTest(halved)).toBeLessThan(brokenTest(spread));
  });

  test('takes a bundle for one table, in which a try passes when all members pass', () => {
    const members = tablesOf([
      [3, 3, 0, 3],
      [3, 3, 3, 3],
    ]);
    const bundle = { members: [0, 1], base: [2, 2, 2], head: [1, 1, 1] };
    expect(brokenTest(members, [bundle])).toBeCloseTo(brokenTest(tablesOf([[3, 3, 0, 3]])), 12);
  });

  test('sees nothing where no table can tell the sides apart', () => {
    expect(brokenTest([])).toBe(1);
    const blind = tablesOf([...repeat(3, [2, 2, 2, 2]), [0, 0, 1, 2]]);
    expect(blind.some(isInformative)).toBe(false);
    expect(brokenTest(blind)).toBe(1);
  });
});
