import { describe, expect, test } from '@jest/globals';
import {
  brokenTest,
  combinedGate,
  holm,
  holmLevels,
} from '../../../../src/kernel/statistics/gate.ts';
import { suiteTest } from '../../../../src/kernel/statistics/suite-test.ts';
import { isInformative } from '../../../../src/kernel/statistics/table.ts';
import fc, { draws, forAll } from '../../../fuzz.ts';
import { anyTables, outcomes } from './arbitraries.ts';
import { agreesWithVectors, repeat, tablesOf } from './vectors.ts';

const level = (min: number, max: number) => fc.double({ min, max, noNaN: true });

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

describe('combinedGate', () => {
  const both = { alpha: 0.05, on: 'suite+references' } as const;

  test('raises a false alarm at most as often as alpha and the mid-p allow, counted over every outcome', () => {
    const input = fc.record({
      tables: anyTables(4, 5),
      alpha: level(0.01, 0.3),
      on: fc.constantFrom('suite+references' as const, 'suite' as const),
    });

    forAll(
      [input],
      ({ tables, ...options }) => {
        const judged = outcomes(tables).map(({ tables: drawn, probability }) => ({
          probability,
          gate: combinedGate(drawn, options),
          down: suiteTest(drawn).down,
        }));
        const alarms = judged
          .filter(({ gate }) => gate.regressed)
          .reduce((sum, { probability }) => sum + probability, 0);
        // The mid-p lets in at most half of the probability of the last statistic at its level.
        const hits = judged.filter(({ gate }) => gate.suite.hit);
        const last = Math.max(0, ...hits.map(({ gate, down }) => down - gate.suite.p));
        expect(alarms).toBeLessThanOrEqual(options.alpha + last + 1e-9);
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
    const called = { regressed: true, suite: { hit: false }, references: { hit: true } };
    expect(combinedGate(tablesOf(given), both)).toMatchObject(called);
  });

  test('with `on: suite` ignores single references and gives the suite all of alpha', () => {
    const tables = tablesOf([[5, 5, 0, 5], ...repeat(5, [4, 5, 5, 5])]);
    const gate = combinedGate(tables, { ...both, on: 'suite' });
    expect(gate).toMatchObject({ suite: { level: 0.05 }, references: { level: 0, hit: false } });
  });

  test('ignores a fall below min_drop', () => {
    const tables = tablesOf(repeat(40, [5, 5, 4, 5]));
    const hits = [0.3, 0.2].map((minDrop) => combinedGate(tables, { ...both, minDrop }).suite.hit);
    expect(hits).toEqual([false, true]);
  });

  test('calls at every larger alpha what it calls at one', () => {
    forAll([anyTables(8, 6), level(0.001, 0.2)], (tables, alpha) => {
      const called = (at: number) => combinedGate(tables, { ...both, alpha: at }).regressed;
      if (called(alpha)) expect(called(alpha * 2)).toBe(true);
    });
  });

  test('is silent without tables', () => expect(combinedGate([], both).regressed).toBe(false));
});

describe('holm', () => {
  agreesWithVectors<{ p: number[] }, number[]>('holm', ({ p }, expected) => [[holm(p), expected]]);
});

describe('holmLevels', () => {
  const judgesOf = (p: readonly number[]) =>
    new Map(p.map((value, at) => [at, (level: number) => value <= level]));

  test("gives a level at which exactly those fire that Holm's adjusted p-values call", () => {
    forAll([fc.array(level(0.001, 0.2), { maxLength: 8 })], (p) => {
      const levels = holmLevels(judgesOf(p), 0.05);
      expect(p.map((value, at) => value <= (levels.get(at) ?? 0))).toEqual(
        holm(p).map((adjusted) => adjusted <= 0.05),
      );
    });
  });

  test('returns the level that each was judged at last', () =>
    expect([...holmLevels(judgesOf([0.5, 0.01, 0.02]), 0.05)]).toEqual([
      [0, 0.05],
      [1, 0.05 / 3],
      [2, 0.025],
    ]));
});
