import { describe, expect, test } from '@jest/globals';
import { combinedGate } from '../../../../src/kernel/statistics/gate.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import fc, { draws } from '../../../fuzz.ts';
import { anyTables, outcomes } from './arbitraries.ts';
import { type Row, tablesOf } from './vectors.ts';

const both = { alpha: 0.05, on: 'suite+references' } as const;
const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

describe('combinedGate', () => {
  test('raises a false alarm at most as often as alpha and the mid-p allow, counted over every outcome', () => {
    const input = fc.record({
      tables: anyTables(4, 5),
      alpha: fc.double({ min: 0.01, max: 0.3, noNaN: true }),
      on: fc.constantFrom('suite+references' as const, 'suite' as const),
      critical: fc.subarray([0, 1, 2, 3]),
    });
    fc.assert(
      fc.property(input, ({ tables, ...options }) => {
        const judged = outcomes(tables).map(({ tables: drawn, probability }) => ({
          probability,
          gate: combinedGate(drawn, options),
          down: suiteTest(drawn).down,
        }));
        const alarms = judged
          .filter(({ gate }) => gate.regressed)
          .reduce((sum, { probability }) => sum + probability, 0);
        // The mid-p lets in at most half of the probability of the last statistic at its level.
        const last = Math.max(
          0,
          ...judged
            .filter(({ gate }) => gate.suite.hit)
            .map(({ gate, down }) => down - gate.suite.p),
        );
        expect(alarms).toBeLessThanOrEqual(options.alpha + last + 1e-9);
      }),
      { numRuns: draws(60) },
    );
  });

  test('calls five that broke beside five that healed, which the mean hides', () => {
    const gate = combinedGate(
      tablesOf([
        ...repeat(5, [5, 5, 0, 5]),
        ...repeat(5, [0, 5, 5, 5]),
        ...repeat(40, [5, 5, 5, 5]),
      ]),
      both,
    );
    expect(gate).toMatchObject({
      regressed: true,
      suite: { hit: false },
      references: { hit: true },
    });
  });

  test('a critical reference has half of the level to itself', () => {
    const tables = tablesOf([[5, 5, 0, 5], ...repeat(9, [4, 5, 1, 5])]);
    const crowd = tablesOf([[5, 5, 0, 5], ...repeat(9, [0, 5, 5, 5])]);
    expect(combinedGate(crowd, both).regressed).toBe(false);
    expect(combinedGate(crowd, { ...both, critical: [0] }).references.hit).toBe(true);
    expect(combinedGate(tables, both).regressed).toBe(true);
  });

  test('with `on: suite` single references do not count, and the suite has all of alpha', () => {
    const gate = combinedGate(tablesOf([[5, 5, 0, 5], ...repeat(5, [4, 5, 5, 5])]), {
      ...both,
      on: 'suite',
    });
    expect(gate).toMatchObject({ suite: { level: 0.05 }, references: { level: 0, hit: false } });
  });

  test('a fall below min_drop is none', () => {
    const tables = tablesOf(repeat(40, [5, 5, 4, 5]));
    expect(combinedGate(tables, { ...both, minDrop: 0.3 }).suite.hit).toBe(false);
    expect(combinedGate(tables, { ...both, minDrop: 0.2 }).suite.hit).toBe(true);
  });

  test('what it calls at one alpha it calls at every larger one', () => {
    fc.assert(
      fc.property(
        anyTables(8, 6),
        fc.double({ min: 0.001, max: 0.2, noNaN: true }),
        (tables, alpha) => {
          const small = combinedGate(tables, { ...both, alpha }).regressed;
          if (small)
            expect(combinedGate(tables, { ...both, alpha: alpha * 2 }).regressed).toBe(true);
        },
      ),
    );
  });

  test('is silent without tables', () => expect(combinedGate([], both).regressed).toBe(false));
});
