import { describe, expect, test } from '@jest/globals';
import { twoLookLevels } from '../../../src/statistics/adaptive-levels.ts';
import { normalCdf, normalQuantile } from '../../../src/statistics/distributions.ts';
import fc, { draws } from '../../fuzz.ts';
import { expectClose, vectors } from './vectors.ts';

describe('normalCdf', () => {
  test.each(vectors<{ z: number }, number>('normCdf'))(
    'agrees with $source at $input.z',
    ({ input, expected }) => {
      expect(normalCdf(input.z) / expected).toBeCloseTo(1, 9);
    },
  );
});

describe('normalQuantile', () => {
  test.each(vectors<{ p: number }, number>('normQuantile'))(
    'agrees with $source at $input.p',
    ({ input, expected, tol }) => {
      expectClose(normalQuantile(input.p), expected, tol);
    },
  );

  test('undoes normalCdf', () => {
    fc.assert(
      fc.property(fc.double({ min: -7, max: 4, noNaN: true }), (z) => {
        expect(normalQuantile(normalCdf(z))).toBeCloseTo(z, 9);
      }),
    );
  });

  test('is infinite at certainty', () => {
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
  });
});

describe('twoLookLevels', () => {
  type Input = { looks: [number, number]; alphaOneSided: number };
  test.each(vectors<Input, { nominal: [number, number] }>('triesLooks'))(
    'agrees with $source for looks $input.looks',
    ({ input, expected, tol }) => {
      const { first, second } = twoLookLevels(input.alphaOneSided, input.looks[0] / input.looks[1]);
      expectClose(first, expected.nominal[0], tol);
      expectClose(second, expected.nominal[1], tol);
    },
  );

  test('spend exactly alpha, also where it is tiny or large', () => {
    for (const alpha of [1e-9, 1e-4, 0.4]) {
      const { first, second } = twoLookLevels(alpha, 0.4);
      expect(first / (0.16 * alpha)).toBeCloseTo(1, 12);
      expect(second / alpha).toBeGreaterThan(0.84);
      expect(second / alpha).toBeLessThan(1);
    }
    expect(twoLookLevels(0, 0.4)).toEqual({ first: 0, second: 0 });
  });

  test('both levels grow with alpha and stay within it', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.0005, max: 0.4, noNaN: true }), (alpha) => {
        const [small, large] = [twoLookLevels(alpha, 0.4), twoLookLevels(alpha * 1.1, 0.4)];
        expect(small.first).toBeLessThan(large.first);
        expect(small.second).toBeLessThan(large.second);
        expect(small.second).toBeLessThan(alpha);
        expect(small.first + small.second).toBeGreaterThan(alpha);
      }),
      { numRuns: draws(20) },
    );
  });
});
