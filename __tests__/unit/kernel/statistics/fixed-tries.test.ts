import { describe, expect, test } from '@jest/globals';
import {
  brokenP,
  brokenTest,
  discreteFdr,
  fellOrBroke,
  referenceTest,
} from '../../../../src/kernel/statistics/fixed-tries.ts';
import { meanDifference } from '../../../../src/kernel/statistics/interval.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import {
  isInformative,
  mirrorTables,
  type Table,
} from '../../../../src/kernel/statistics/table.ts';
import fc, { draws, forAll } from '../../../fuzz.ts';
import { anyTable, anyTables, outcomes } from './arbitraries.ts';
import { agreesWithVectors, expectAllClose, repeat, rows, tablesOf, type Row } from './vectors.ts';

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

describe('brokenTest', () => {
  const fine = repeat(40, [5, 5, 5, 5]);

  test('is as small as it says exactly as often as it says, counted over every outcome of the totals', () => {
    forAll(
      [anyTables(4, 5)],
      (tables) => {
        const seen = brokenTest(tables);
        const chance = outcomes(tables)
          .filter((outcome) => brokenTest(outcome.tables) <= seen * (1 + 1e-9))
          .reduce((sum, { probability }) => sum + probability, 0);
        expect(chance).toBeCloseTo(seen, 9);
      },
      { numRuns: draws(60) },
    );
  });

  test("of one table that broke is Fisher's exact test", () =>
    expect(brokenTest(tablesOf([[5, 5, 0, 5], ...fine]))).toBeCloseTo(1 / 252, 12));

  test('of five that broke beside five that healed is the chance that five or more of ten would', () => {
    const tables = tablesOf([...repeat(5, [5, 5, 0, 5]), ...repeat(5, [0, 5, 5, 5]), ...fine]);
    expect(brokenTest(tables)).toBeLessThan(252 / 252 ** 5 + 1e-12);
    expect(suiteTest(tables).midDown).toBeCloseTo(0.5, 12);
  });

  test('distinguishes a tenth that pass half as often from as many failures spread evenly', () => {
    const halved = tablesOf([...repeat(5, [5, 5, 2, 5]), ...repeat(45, [5, 5, 5, 5])]);
    const spread = tablesOf([...repeat(15, [5, 5, 4, 5]), ...repeat(35, [5, 5, 5, 5])]);
    expect(brokenTest(halved)).toBeLessThan(brokenTest(spread));
  });

  test('takes a cluster for one table, in which a try passes when all members pass', () => {
    const cluster = { size: 2, base: [2, 2, 2], head: [1, 1, 1] };
    expect(brokenTest([cluster])).toBeCloseTo(brokenTest(tablesOf([[3, 3, 0, 3]])), 12);
  });

  test('is 1 if no table can distinguish the sides', () => {
    const blind = tablesOf([...repeat(3, [2, 2, 2, 2]), [0, 0, 1, 2]]);
    expect(blind.some(isInformative)).toBe(false);
    expect([brokenTest([]), brokenTest(blind)]).toEqual([1, 1]);
  });
});

describe('brokenP', () => {
  const p = (tables: readonly Table[], level: number, minDrop = 0) =>
    brokenP({ tables, units: tables, difference: meanDifference(tables) }, level, minDrop);

  test('is below its level at most as often as the level says, counted over every outcome', () => {
    forAll(
      [anyTables(4, 5), fc.double({ min: 0.01, max: 0.3, noNaN: true })],
      (tables, level) => {
        const alarms = outcomes(tables)
          .filter((drawn) => p(drawn.tables, level) !== null)
          .reduce((sum, { probability }) => sum + probability, 0);
        expect(alarms).toBeLessThanOrEqual(level + 1e-9);
      },
      { numRuns: draws(60) },
    );
  });

  test('calls five that broke beside five that healed, which the mean hides', () => {
    const given = [
      ...repeat(5, [5, 5, 0, 5]),
      ...repeat(5, [0, 5, 5, 5]),
      ...repeat(40, [5, 5, 5, 5]),
    ];
    expect(p(tablesOf(given), 0.02)).toBeLessThan(1e-6);
  });

  test('is null for a drop below min_drop of which no reference is named', () => {
    const tables = tablesOf(repeat(40, [5, 5, 4, 5]));
    expect([p(tables, 0.02, 0.3), p(tables, 0.02, 0.2) !== null]).toEqual([null, true]);
  });

  test('is null at level 0 and without tables', () => {
    expect([p(tablesOf([[5, 5, 0, 5]]), 0), p([], 0.02)]).toEqual([null, null]);
  });
});

describe('fellOrBroke', () => {
  const calls = (tables: readonly Table[], alpha: number, own = {}) => {
    const seen = { tables, units: tables, test: suiteTest(tables) };
    const settings = { alpha, minDrop: 0, isMeanOnly: false, ...own };
    return fellOrBroke({ ...seen, difference: meanDifference(tables) }, settings);
  };
  const level = fc.double({ min: 0.01, max: 0.3, noNaN: true });

  test('raises false alarms within alpha, counted over every outcome', () => {
    forAll(
      [anyTables(4, 5), level],
      (tables, alpha) => {
        const alarms = outcomes(tables)
          .filter((drawn) => calls(drawn.tables, alpha))
          .reduce((sum, { probability }) => sum + probability, 0);
        // 0.4 of alpha is exact; a mid-p is below 0.6 of it at most twice as often.
        expect(alarms).toBeLessThanOrEqual((0.4 + 2 * 0.6) * alpha + 1e-9);
      },
      { numRuns: draws(60) },
    );
  });

  test('calls at every larger alpha what it calls at one', () => {
    forAll([anyTables(8, 5), level, level], (tables, one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      expect(calls(tables, less) && !calls(tables, more)).toBe(false);
    });
  });

  test('gives the mean all of alpha where it gates alone, else 0.6', () => {
    const tables = tablesOf([...repeat(6, [2, 2, 1, 2]), ...repeat(14, [2, 2, 2, 2])]);
    const { midDown } = suiteTest(tables);
    const isMeanOnly = true;
    expect(calls(tables, midDown, { isMeanOnly })).toBe(true);
    expect(calls(tables, 0.99 * midDown, { isMeanOnly })).toBe(false);
    expect([1 / 0.61, 1 / 0.59].map((factor) => calls(tables, factor * midDown))).toEqual([
      false,
      true,
    ]);
  });

  test('ignores a fall of the mean below min_drop', () => {
    const tables = tablesOf(repeat(40, [5, 5, 4, 5]));
    expect([0.2, 0.21].map((minDrop) => calls(tables, 0.05, { minDrop }))).toEqual([true, false]);
  });
});
