import { describe, expect, test } from '@jest/globals';
import { normalQuantile } from '../../../../src/kernel/statistics/distributions.ts';
import { differenceInterval, meanDifference } from '../../../../src/kernel/statistics/interval.ts';
import { mirrorTables } from '../../../../src/kernel/statistics/table.ts';
import fc from '../../../fuzz.ts';
import { anyTables } from './arbitraries.ts';
import { expectClose, type Row, tablesOf, vectors } from './vectors.ts';

describe('differenceInterval', () => {
  test.each(
    vectors<{ refs: Row[]; conf: number }, { delta: number; lower: number; upper: number }>(
      'permInterval',
    ),
  )('agrees with $source', ({ input, expected, tol }) => {
    const z = normalQuantile((1 + input.conf) / 2);
    const tables = tablesOf(input.refs);
    const interval = differenceInterval(tables, { z });
    expectClose(interval?.difference, expected.delta, tol);
    // The vectors have Bonett and Price's 2 in the floor, where the rule of three asks for 3.317.
    const compared = tables.filter(({ base, head }) => base.tries > 0 && head.tries > 0);
    const floor =
      compared.reduce((sum, { base, head }) => sum + 1 / (base.tries * head.tries), 0) /
      compared.length ** 3;
    const wider = (reach: number): number =>
      Math.sqrt(reach ** 2 + z ** 2 * ((Math.log(20) / 1.6448536269514722) ** 2 - 2) * floor);
    if (expected.lower > -1)
      expectClose(
        interval?.low,
        Math.max(-1, expected.delta - wider(expected.delta - expected.lower)),
        tol,
      );
    if (expected.upper < 1)
      expectClose(
        interval?.high,
        Math.min(1, expected.delta + wider(expected.upper - expected.delta)),
        tol,
      );
  });

  test.each([
    [20, 2],
    [50, 5],
    [8, 3],
  ])(
    'of %d references × %d tries that all pass has the exact bound of the rule of three',
    (references, tries) => {
      const tables = tablesOf(
        Array.from({ length: references }, (): Row => [tries, tries, tries, tries]),
      );
      const low = differenceInterval(tables)!.low;
      // The drop d at which head's tries all pass with probability exp(−d·n·N) = 5 %.
      expect(Math.exp(low * references * tries)).toBeCloseTo(0.05, 12);
    },
  );

  test('is null when nothing was tried on both sides', () => {
    for (const tables of [
      [],
      tablesOf([[0, 0, 0, 0]]),
      tablesOf([
        [3, 3, 0, 0],
        [0, 0, 2, 2],
      ]),
    ]) {
      expect(differenceInterval(tables)).toBeNull();
      expect(meanDifference(tables)).toBeNull();
    }
  });

  test('is never of zero width, and holds the difference within −1 and 1', () => {
    fc.assert(
      fc.property(anyTables(40, 50), (tables) => {
        const interval = differenceInterval(tables);
        if (interval === null) return;
        expect(interval.high - interval.low).toBeGreaterThan(1e-6);
        expect(interval.low).toBeGreaterThanOrEqual(-1);
        expect(interval.high).toBeLessThanOrEqual(1);
        expect(interval.low).toBeLessThanOrEqual(interval.difference);
        expect(interval.high).toBeGreaterThanOrEqual(interval.difference);
      }),
    );
  });

  test.each<[string, Row]>([
    ['passes', [50, 50, 50, 50]],
    ['fails', [0, 50, 0, 50]],
    ['collapsed', [50, 50, 0, 50]],
  ])('has width when every try %s', (_, row) => {
    const interval = differenceInterval(tablesOf(Array.from({ length: 5000 }, () => row)));
    expect(interval!.high).toBeGreaterThan(interval!.low);
  });

  test('turns round when the sides are swapped', () => {
    fc.assert(
      fc.property(anyTables(), (tables) => {
        const [one, other] = [differenceInterval(tables), differenceInterval(mirrorTables(tables))];
        expect(other?.low ?? 0).toBeCloseTo(-(one?.high ?? 0), 12);
      }),
    );
  });

  test('weighs every table alike, however many tries it has', () => {
    expect(
      meanDifference(
        tablesOf([
          [1, 1, 0, 1],
          [50, 50, 50, 50],
        ]),
      ),
    ).toBe(-0.5);
  });
});
