import { describe, expect, test } from '@jest/globals';
import { permutationTest } from '../../../src/statistics/permutation.ts';
import { createRandom } from '../../../src/statistics/random.ts';
import { referenceTest } from '../../../src/statistics/reference-tests.ts';
import { signFlip } from '../../../src/statistics/sign-flip.ts';
import { suiteTest } from '../../../src/statistics/suite-test.ts';
import fc from '../../fuzz.ts';
import { expectClose, tablesOf, vectors } from './vectors.ts';

const zerosAndOnes = (passes: number, tries: number): number[] =>
  Array.from({ length: tries }, (_, i) => (i < passes ? 1 : 0));

describe('permutationTest', () => {
  test('agrees with the exact test where scores are 0 and 1', () => {
    const rows = [
      [5, 5, 2, 5],
      [4, 5, 3, 5],
      [3, 5, 3, 5],
    ] as [number, number, number, number][];
    const items = rows.map(([kB, nB, kH, nH]) => ({
      base: zerosAndOnes(kB, nB),
      head: zerosAndOnes(kH, nH),
    }));
    const { down, up, difference } = permutationTest(items, createRandom(1));
    const exact = suiteTest(tablesOf(rows));
    expect(Math.abs(down - exact.down)).toBeLessThan(0.01);
    expect(Math.abs(up - exact.up)).toBeLessThan(0.01);
    expect(difference).toBeCloseTo(-4 / 15, 12);
  });

  test('takes unequal tries', () => {
    const { down } = permutationTest(
      [{ base: zerosAndOnes(3, 3), head: zerosAndOnes(0, 5) }],
      createRandom(1),
    );
    expect(Math.abs(down - referenceTest(tablesOf([[3, 3, 0, 5]])[0]!).down)).toBeLessThan(0.005);
  });

  test('does not depend on the scale of the scores', () => {
    const items = [
      { base: [0.1, 0.2, 0.3], head: [0.1, 0.1, 0.2] },
      { base: [0.7, 0.9], head: [0.6, 0.7] },
    ];
    const scaled = items.map(({ base, head }) => ({
      base: base.map((x) => 1000 * x + 5),
      head: head.map((x) => 1000 * x + 5),
    }));
    const [one, other] = [
      permutationTest(items, createRandom(2)),
      permutationTest(scaled, createRandom(2)),
    ];
    expect([other.down, other.up]).toEqual([one.down, one.up]);
  });

  test('counts ties on both sides: equal scores show nothing', () => {
    expect(permutationTest([{ base: [3, 3], head: [3, 3] }], createRandom(1), 99)).toEqual({
      difference: 0,
      down: 1,
      up: 1,
    });
  });

  test('has nothing to say without items tried on both sides', () => {
    for (const items of [[], [{ base: [], head: [1] }], [{ base: [1, 2], head: [] }]]) {
      expect(permutationTest(items, createRandom(1))).toEqual({ difference: null, down: 1, up: 1 });
    }
  });
});

describe('signFlip', () => {
  type Expected = { pDown: number; pUp: number; midDown: number; midUp: number };
  test.each(vectors<{ d: number[] }, Expected>('signFlipExact'))(
    'agrees with $source for $input.d',
    ({ input, expected, tol }) => {
      const { down, up, midDown, midUp } = signFlip(input.d, createRandom(1));
      expectClose(down, expected.pDown, tol);
      expectClose(up, expected.pUp, tol);
      expectClose(midDown, expected.midDown, tol);
      expectClose(midUp, expected.midUp, tol);
    },
  );

  test('drawn patterns agree with counted ones', () => {
    const differences = Array.from({ length: 40 }, (_, i) => (i % 3 === 0 ? 1 : -1));
    const exact = suiteTest(
      tablesOf(differences.map((d) => (d < 0 ? [1, 1, 0, 1] : [0, 1, 1, 1]))),
    );
    const drawn = signFlip(differences, createRandom(5), 20_000);
    expect(Math.abs(drawn.down - exact.down)).toBeLessThan(0.01);
    expect(Math.abs(drawn.midUp - exact.midUp)).toBeLessThan(0.01);
  });

  test('swaps down and up with the signs, and the mid-p sum to 1', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { maxLength: 9 }),
        (differences) => {
          const [one, other] = [
            signFlip(differences, createRandom(1)),
            signFlip(
              differences.map((d) => -d),
              createRandom(1),
            ),
          ];
          expect(other.down).toBeCloseTo(one.up, 12);
          expect(one.midDown + one.midUp).toBeCloseTo(1, 12);
        },
      ),
    );
  });

  test('sees nothing in no differences', () => {
    expect(signFlip([], createRandom(1))).toEqual({ down: 1, midDown: 0.5, up: 1, midUp: 0.5 });
  });
});
