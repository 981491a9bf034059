import { describe, expect, test } from '@jest/globals';
import { gateFamily, judgeFamily } from '../../../src/statistics/gate.ts';
import { combinedGate } from '../../../src/statistics/gate.ts';
import fc from '../../fuzz.ts';
import { anyTables } from './arbitraries.ts';
import { holm } from './oracles/holm.ts';
import type { Row } from './vectors.ts';
import { expectAllClose, tablesOf, vectors } from './vectors.ts';

const judgesOf = (p: readonly number[]) =>
  p.map((value) => (alpha: number) => ({ regressed: value <= alpha }));
const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

describe('holm', () => {
  test.each(vectors<{ p: number[] }, number[]>('holm'))(
    'agrees with $source',
    ({ input, expected, tol }) => {
      expectAllClose(holm(input.p), expected, tol);
    },
  );
});

describe('judgeFamily', () => {
  test("fires for exactly those that Holm's adjusted p-values call", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.001, max: 0.2, noNaN: true }), { maxLength: 8 }),
        (p) => {
          const fired = judgeFamily(judgesOf(p), 0.05).map(({ result }) => result.regressed);
          expect(fired).toEqual(holm(p).map((adjusted) => adjusted <= 0.05));
        },
      ),
    );
  });

  test('tells the level that each was judged at last', () => {
    expect(judgeFamily(judgesOf([0.5, 0.01, 0.02]), 0.05)).toEqual([
      { alpha: 0.05, result: { regressed: false } },
      { alpha: 0.05 / 3, result: { regressed: true } },
      { alpha: 0.025, result: { regressed: true } },
    ]);
  });

  test('hands a judge its result at the smaller alpha', () => {
    const seen: unknown[] = [];
    judgeFamily(
      [
        (alpha) => ({ regressed: true, alpha }),
        (alpha, before: { regressed: boolean; alpha: number } | null) => {
          seen.push(before);
          return { regressed: false, alpha };
        },
      ],
      0.04,
    );
    expect(seen).toEqual([null, { regressed: false, alpha: 0.02 }]);
  });

  test('has no verdicts without judges', () => {
    expect(judgeFamily([], 0.05)).toEqual([]);
  });
});

describe('gateFamily', () => {
  test('judges a single suite as the gate alone does', () => {
    const tables = tablesOf([
      [5, 5, 0, 5],
      [4, 5, 3, 5],
      [5, 5, 5, 5],
    ]);
    const options = { alpha: 0.05, on: 'suite+references', minDrop: 0.01 } as const;
    expect(gateFamily([{ tables }], options)).toEqual([
      { alpha: 0.05, result: combinedGate(tables, options) },
    ]);
  });

  test('a suite that clearly broke frees its part of alpha for the next', () => {
    const broken = tablesOf(repeat(10, [5, 5, 0, 5]));
    const border = tablesOf(repeat(4, [1, 1, 0, 1]));
    const judged = gateFamily([{ tables: border }, { tables: broken }], {
      alpha: 0.07,
      on: 'suite',
    });
    expect(judged.map(({ alpha, result }) => [alpha, result.regressed])).toEqual([
      [0.035, true],
      [0.035, true],
    ]);
    const shared = gateFamily([{ tables: border }, { tables: broken }], {
      alpha: 0.05,
      on: 'suite',
    });
    expect(shared.map(({ alpha, result }) => [alpha, result.regressed])).toEqual([
      [0.05, true],
      [0.025, true],
    ]);
    expect(
      gateFamily([{ tables: border }, { tables: [] }], { alpha: 0.05, on: 'suite' })[0]?.result
        .regressed,
    ).toBe(false);
  });

  test('single references do not take at a larger level what the suite test had at a smaller one', () => {
    const [clear, open] = [tablesOf(repeat(12, [5, 5, 0, 5])), tablesOf(repeat(5, [3, 5, 2, 5]))];
    const options = { alpha: 0.1035, on: 'suite+references' } as const;
    expect(combinedGate(open, { ...options, alpha: 0.1035 / 3 }).suite.level).toBeCloseTo(
      0.0345,
      12,
    );
    expect(combinedGate(open, { ...options, alpha: 0.1035 / 2 }).suite.level).toBeLessThan(0.0345);
    const [, judged] = gateFamily([{ tables: clear }, { tables: open }, { tables: open }], options);
    expect(judged).toMatchObject({
      alpha: 0.1035 / 2,
      result: { suite: { level: expect.closeTo(0.1035 / 2, 12) }, references: { level: 0 } },
    });
  });

  test('never gives a suite less at a larger level than it had at a smaller one', () => {
    const fired = tablesOf(repeat(12, [5, 5, 0, 5]));
    fc.assert(
      fc.property(anyTables(8, 5), (tables) => {
        const options = { alpha: 0.1, on: 'suite+references' } as const;
        const [judged] = gateFamily([{ tables }, { tables: fired }], options);
        const alone = combinedGate(tables, { ...options, alpha: 0.05 });
        expect(judged!.result.suite.level).toBeGreaterThanOrEqual(alone.suite.level - 1e-12);
        expect(judged!.result.references.level).toBeGreaterThanOrEqual(
          alone.references.level - 1e-12,
        );
        if (alone.regressed) expect(judged!.result.regressed).toBe(true);
      }),
    );
  });
});
