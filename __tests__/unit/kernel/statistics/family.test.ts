import { describe, expect, test } from '@jest/globals';
import { holm, judgeFamily } from '../../../../src/kernel/statistics/gate.ts';
import fc from '../../../fuzz.ts';
import { expectAllClose, vectors } from './vectors.ts';

const judgesOf = (p: readonly number[]) =>
  p.map((value) => (alpha: number) => ({ regressed: value <= alpha }));

describe('holm', () => {
  test.each(vectors<{ p: number[] }, number[]>('holm'))(
    'agrees with $source',
    ({ input, expected, tol }) => expectAllClose(holm(input.p), expected, tol),
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

  test('has no verdicts without judges', () => expect(judgeFamily([], 0.05)).toEqual([]));
});
