import { nullMoments } from '../../../../src/kernel/statistics/clusters.ts';
import { normalCdf } from '../../../../src/kernel/statistics/distributions.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import { mirrorTables, type Table } from '../../../../src/kernel/statistics/table.ts';
import { forAll } from '../../../fuzz.ts';
import { anyTables, outcomes } from './arbitraries.ts';
import { agreesWithVectors, repeat, tablesOf, type Row } from './vectors.ts';

const times = (count: number, row: Row) => tablesOf(repeat(count, row));

describe('suiteTest', () => {
  type Moments = { mean: number; var: number };
  type Expected = Moments & Record<'pDown' | 'pUp' | 'midDown' | 'midUp' | 'pTwo', number>;
  agreesWithVectors<{ refs: Row[] }, Expected>('cmhExact', ({ refs }, expected) => {
    const { down, midDown, up, midUp } = suiteTest(tablesOf(refs));
    const moments = tablesOf(refs).map(nullMoments);
    return [
      [down, expected.pDown],
      [up, expected.pUp],
      [midDown, expected.midDown],
      [midUp, expected.midUp],
      [Math.min(1, 2 * Math.min(down, up)), expected.pTwo],
      [moments.reduce((sum, { mean }) => sum + mean, 0), expected.mean],
      [moments.reduce((sum, { variance }) => sum + variance, 0), expected.var],
    ];
  });

  test('equals a full enumeration of the possible outcomes', () => {
    forAll([anyTables(4, 4)], (tables) => {
      const passes = (some: readonly Table[]) =>
        some.reduce((sum, { head }) => sum + head.passes, 0);
      const seen = passes(tables);
      let [below, at] = [0, 0];
      for (const outcome of outcomes(tables)) {
        if (passes(outcome.tables) < seen) below += outcome.probability;
        if (passes(outcome.tables) === seen) at += outcome.probability;
      }
      const result = suiteTest(tables);
      expect(result.down).toBeCloseTo(below + at, 12);
      expect(result.midDown).toBeCloseTo(below + at / 2, 12);
    });
  });

  test('swaps its p-values for a drop and a rise when the sides are swapped', () => {
    forAll([anyTables()], (tables) => {
      const [one, other] = [suiteTest(tables), suiteTest(mirrorTables(tables))];
      expect(other.down).toBeCloseTo(one.up, 12);
      expect(other.midDown).toBeCloseTo(one.midUp, 12);
    });
  });

  test('stays within 0 and 1, and the mid-p values of a drop and a rise add up to 1', () => {
    forAll([anyTables(30, 20)], (tables) => {
      const { down, midDown, up, midUp } = suiteTest(tables);
      for (const p of [down, midDown, up, midUp]) expect(p >= 0 && p <= 1).toBe(true);
      expect(midDown + midUp).toBeCloseTo(1, 12);
    });
  });

  test('does not depend on the order of the references', () => {
    forAll([anyTables()], (tables) =>
      expect(suiteTest(tables.toReversed())).toEqual(suiteTest(tables)),
    );
  });

  test.each([
    ['no table', []],
    ['tables without tries', times(2, [0, 0, 0, 0])],
    ['tables with tries on one side only', [...times(1, [3, 3, 0, 0]), ...times(1, [0, 0, 0, 3])]],
    ['every try passing', times(40, [5, 5, 5, 5])],
    ['every try failing', times(40, [0, 5, 0, 5])],
  ])('detects nothing in %s', (_, tables) => {
    expect(suiteTest(tables)).toEqual({ down: 1, midDown: 0.5, up: 1, midUp: 0.5, least: 0.5 });
  });

  test('is exact far out in the tail', () => {
    expect(suiteTest(times(12, [5, 5, 0, 5])).down / 252 ** -12).toBeCloseTo(1, 9);
  });

  test('agrees with the normal approximation for thousands of noisy references', () => {
    const tables = [...times(3700, [25, 50, 25, 50]), ...times(1300, [26, 50, 25, 50])];
    const z = -650 / Math.sqrt(tables.reduce((sum, table) => sum + nullMoments(table).variance, 0));
    const { midDown, midUp } = suiteTest(tables);
    expect(midDown / normalCdf(z)).toBeCloseTo(1, 3);
    expect(midDown + midUp).toBeCloseTo(1, 10);
  });
});
