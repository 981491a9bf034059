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
  ])('returns, for a total collapse %j, p = 1/%d', (row, ways) => {
    expect(one(row).down).toBeCloseTo(1 / ways, 14);
  });

  test('returns one of the attainable p-values, which are listed in ascending order up to 1', () => {
    forAll([anyTable(50)], (table) => {
      const { down, levels } = referenceTest(table);
      expect(levels).toContain(down);
      expect(levels.at(-1)).toBe(1);
      expect(levels).toEqual(levels.toSorted((a, b) => a - b));
    });
  });

  test('equals the suite test of a suite with one reference', () => {
    forAll([anyTable(50)], (table) =>
      expect(referenceTest(table).down).toBeCloseTo(suiteTest([table]).down, 12),
    );
  });

  test.each<[Row]>([[[0, 0, 0, 0]], [[3, 3, 0, 0]], [[5, 5, 5, 5]], [[0, 5, 0, 5]]])(
    'can only return p = 1 for %j',
    (row) => expect(one(row)).toEqual({ down: 1, levels: [1] }),
  );

  test('is accurate for p-values near 1e-29', () =>
    expect(one([50, 50, 0, 50]).down * 1.0089134454556415e29).toBeCloseTo(1, 9));
});

describe('discreteFdr', () => {
  agreesWithVectors<{ refs: Row[] }, number[]>('discreteBH', ({ refs }, expected) => [
    [discreteFdr(tablesOf(refs)).down, expected],
  ]);

  test('swaps its directions when the sides are swapped', () => {
    forAll([anyTables()], (tables) => {
      const { down, up } = discreteFdr(tables);
      expect(discreteFdr(mirrorTables(tables))).toEqual({ down: up, up: down });
    });
  });

  test('stays within 0 and 1 and does not depend on the order of references', () => {
    forAll([anyTables()], (tables) => {
      const { down } = discreteFdr(tables);
      expect(down.every((q) => q >= 0 && q <= 1)).toBe(true);
      expectAllClose(discreteFdr(tables.toReversed()).down.toReversed(), down, 1e-12);
    });
  });

  test('ignores a reference whose counts can never be significant', () => {
    const broke = tablesOf([[5, 5, 0, 5]]);
    const silent = rows([5, 5, 5, 5], [0, 0, 0, 0], [0, 3, 0, 3], [1, 1, 0, 1]);
    const { down } = discreteFdr([...tablesOf(silent), ...broke]);
    expect(down).toEqual([1, 1, 1, expect.any(Number), discreteFdr(broke).down[0]]);
  });

  test('is empty without references', () => expect(discreteFdr([])).toEqual({ down: [], up: [] }));
});

describe('brokenTest', () => {
  const fine = repeat(40, [5, 5, 5, 5]);

  test('rejects with exactly the stated probability over all possible outcomes', () => {
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

  test("equals Fisher's exact test for one broken reference", () =>
    expect(brokenTest(tablesOf([[5, 5, 0, 5], ...fine]))).toBeCloseTo(1 / 252, 12));

  test('detects five broken references although five others were fixed', () => {
    const tables = tablesOf([...repeat(5, [5, 5, 0, 5]), ...repeat(5, [0, 5, 5, 5]), ...fine]);
    expect(brokenTest(tables)).toBeLessThan(252 / 252 ** 5 + 1e-12);
    expect(suiteTest(tables).midDown).toBeCloseTo(0.5, 12);
  });

  test('distinguishes a few half-broken references from evenly spread failures', () => {
    const halved = tablesOf([...repeat(5, [5, 5, 2, 5]), ...repeat(45, [5, 5, 5, 5])]);
    const spread = tablesOf([...repeat(15, [5, 5, 4, 5]), ...repeat(35, [5, 5, 5, 5])]);
    expect(brokenTest(halved)).toBeLessThan(brokenTest(spread));
  });

  test('treats a cluster as one reference whose try passes if all members pass', () => {
    const cluster = { size: 2, base: [2, 2, 2], head: [1, 1, 1] };
    expect(brokenTest([cluster])).toBeCloseTo(brokenTest(tablesOf([[3, 3, 0, 3]])), 12);
  });

  test('returns p = 1 if no reference can distinguish the sides', () => {
    const blind = tablesOf([...repeat(3, [2, 2, 2, 2]), [0, 0, 1, 2]]);
    expect(blind.some(isInformative)).toBe(false);
    expect([brokenTest([]), brokenTest(blind)]).toEqual([1, 1]);
  });
});

describe('brokenP', () => {
  const p = (tables: readonly Table[], level: number, minDrop = 0) =>
    brokenP({ tables, units: tables, difference: meanDifference(tables) }, level, minDrop);

  test('rejects with at most the stated probability over all possible outcomes', () => {
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

  test('detects five broken references although five were fixed and the mean is unchanged', () => {
    const given = [
      ...repeat(5, [5, 5, 0, 5]),
      ...repeat(5, [0, 5, 5, 5]),
      ...repeat(40, [5, 5, 5, 5]),
    ];
    expect(p(tablesOf(given), 0.02)).toBeLessThan(1e-6);
  });

  test('returns null for a drop below min_drop if no reference is flagged', () => {
    const tables = tablesOf(repeat(40, [5, 5, 4, 5]));
    expect([p(tables, 0.02, 0.3), p(tables, 0.02, 0.2) !== null]).toEqual([null, true]);
  });

  test('returns null at level 0 and without references', () => {
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

  test('keeps the false-alarm rate within alpha over all possible outcomes', () => {
    forAll(
      [anyTables(4, 5), level],
      (tables, alpha) => {
        const alarms = outcomes(tables)
          .filter((drawn) => calls(drawn.tables, alpha))
          .reduce((sum, { probability }) => sum + probability, 0);
        // The exact part of the test spends 0.4 of alpha. The mid-p part spends 0.6, and its error
        // rate is at most twice that.
        expect(alarms).toBeLessThanOrEqual((0.4 + 2 * 0.6) * alpha + 1e-9);
      },
      { numRuns: draws(60) },
    );
  });

  test('reports at a larger alpha every drop that it reports at a smaller one', () => {
    forAll([anyTables(8, 5), level, level], (tables, one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      expect(calls(tables, less) && !calls(tables, more)).toBe(false);
    });
  });

  test('tests the mean with all of alpha if only the mean counts, otherwise with 0.6 of alpha', () => {
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

  test('ignores a drop of the mean below min_drop', () => {
    const tables = tablesOf(repeat(40, [5, 5, 4, 5]));
    expect([0.2, 0.21].map((minDrop) => calls(tables, 0.05, { minDrop }))).toEqual([true, false]);
  });
});
