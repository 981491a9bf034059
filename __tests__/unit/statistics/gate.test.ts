import { describe, expect, test } from '@jest/globals';
import { combinedGate } from '../../../src/statistics/gate.ts';
import { suiteTest } from '../../../src/statistics/suite-test.ts';
import fc, { draws } from '../../fuzz.ts';
import { anyTables, outcomes } from './arbitraries.ts';
import type { Row } from './vectors.ts';
import { expectClose, tablesOf, vectors } from './vectors.ts';

interface Expected {
  alarm: boolean;
  suiteHit: boolean;
  refHit: boolean;
  alphaRef: number;
  alphaSuite: number;
  refThreshold: number;
  midDown: number;
}
const both = { alpha: 0.05, on: 'suite+references' } as const;
const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

describe('combinedGate', () => {
  test.each(vectors<{ refs: Row[]; alpha: number; cap: number }, Expected>('combinedGate'))(
    'agrees with the $source',
    ({ input, expected, tol }) => {
      const gate = combinedGate(tablesOf(input.refs), {
        ...both,
        alpha: input.alpha,
        share: input.cap / input.alpha,
      });
      expect(gate.regressed).toBe(expected.alarm);
      expect(gate.suite.hit).toBe(expected.suiteHit);
      expect(gate.references.hits.length > 0).toBe(expected.refHit);
      expectClose(gate.references.level, expected.alphaRef, tol);
      expectClose(gate.references.thresholds.rest, expected.refThreshold, tol);
      expectClose(gate.suite.level, expected.alphaSuite, tol);
      expectClose(gate.suite.midDown, expected.midDown, tol);
    },
  );

  test('raises a false alarm at most as often as alpha and the mid-p allow, counted over every outcome', () => {
    const input = fc.record({
      tables: anyTables(4, 5),
      alpha: fc.double({ min: 0.01, max: 0.3, noNaN: true }),
      on: fc.constantFrom('suite+references' as const, 'suite' as const),
      first: fc.subarray([0, 1, 2, 3]),
    });
    fc.assert(
      fc.property(input, ({ tables, ...options }) => {
        const judged = outcomes(tables).map(({ tables: drawn, probability }) => ({
          probability,
          gate: combinedGate(drawn, options),
          ...suiteTest(drawn),
        }));
        const alarms = judged
          .filter(({ gate }) => gate.regressed)
          .reduce((sum, { probability }) => sum + probability, 0);
        // The mid-p lets in at most half of the probability of the last statistic that reaches the
        // level.
        const last = Math.max(
          0,
          ...judged.filter(({ gate }) => gate.suite.hit).map(({ down, midDown }) => down - midDown),
        );
        expect(alarms).toBeLessThanOrEqual(options.alpha + last + 1e-9);
      }),
      { numRuns: draws(60) },
    );
  });

  test('gives the suite all of alpha when single references do not count', () => {
    const tables = tablesOf([[5, 5, 0, 5], ...repeat(19, [5, 5, 5, 5])]);
    expect(combinedGate(tables, both).references.hits).toEqual([0]);
    const gate = combinedGate(tables, { ...both, on: 'suite' });
    expect(gate.references.hits).toEqual([]);
    expect(gate.suite.level).toBe(0.05);
  });

  test('a fall that is certain but smaller than the smallest that counts is no regression', () => {
    const tables = tablesOf([...repeat(12, [10, 10, 9, 10]), ...repeat(188, [10, 10, 10, 10])]);
    expect(combinedGate(tables, { ...both, minDrop: 0.006 }).regressed).toBe(true);
    const gate = combinedGate(tables, { ...both, minDrop: 0.0061 });
    expect(gate).toMatchObject({ regressed: false, suite: { hit: false } });
    expect(gate.suite.midDown).toBeLessThan(0.001);
  });

  test('a reference that broke alarms however small its share of the mean', () => {
    const tables = tablesOf([[5, 5, 0, 5], ...repeat(999, [5, 5, 5, 5])]);
    expect(combinedGate(tables, { ...both, minDrop: 0.01 })).toMatchObject({
      regressed: true,
      suite: { hit: false },
      references: { hits: [0] },
    });
  });

  test('at alpha 0 nothing is ever called', () => {
    expect(combinedGate(tablesOf(repeat(50, [5, 5, 0, 5])), { ...both, alpha: 0 })).toMatchObject({
      regressed: false,
      suite: { level: 0 },
    });
  });

  test("keeps a level promised to the suite test out of the references' reach", () => {
    const tables = tablesOf([[5, 5, 0, 5]]);
    expect(combinedGate(tables, { ...both, keep: 0.049 })).toMatchObject({
      suite: { level: 0.05 },
      references: { hits: [] },
    });
  });

  test.each([
    ['no table', []],
    [
      'tables without tries',
      tablesOf([
        [0, 0, 0, 0],
        [4, 4, 0, 0],
      ]),
    ],
    ['every try passing', tablesOf(repeat(9, [5, 5, 5, 5]))],
    ['every try failing', tablesOf(repeat(9, [0, 5, 0, 5]))],
  ])('stays quiet on %s', (_, tables) => {
    expect(combinedGate(tables, both)).toMatchObject({
      regressed: false,
      suite: { midDown: 0.5, level: 0.05 },
      references: { level: 0, hits: [] },
    });
  });

  test('judges 5,000 noisy tables of very different tries', () => {
    const rows = Array.from({ length: 5000 }, (_, i): Row => [
      (i * 7) % (1 + (i % 50)),
      1 + (i % 50),
      (i * 5) % (1 + (i % 40)),
      1 + (i % 40),
    ]);
    const gate = combinedGate(tablesOf(rows), both);
    expect(gate.suite.midDown).toBeGreaterThan(0);
    expect(gate.suite.midDown).toBeLessThan(1);
    expect(gate.references.level).toBeLessThanOrEqual(0.02);
  });
});
