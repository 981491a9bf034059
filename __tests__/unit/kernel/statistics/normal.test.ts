import { normalCdf, normalQuantile } from '../../../../src/kernel/statistics/distributions.ts';
import fc, { forAll } from '../../../fuzz.ts';
import { agreesWithVectors, vectors } from './vectors.ts';

describe('normalCdf', () => {
  test.each(vectors<{ z: number }, number>('normCdf'))(
    'agrees with $source at $input.z',
    ({ input, expected }) => expect(normalCdf(input.z) / expected).toBeCloseTo(1, 9),
  );
});

describe('normalQuantile', () => {
  agreesWithVectors<{ p: number }, number>('normQuantile', ({ p }, expected) => [
    [normalQuantile(p), expected],
  ]);

  test('is the inverse of normalCdf', () => {
    forAll([fc.double({ min: -7, max: 4, noNaN: true })], (z) => {
      expect(normalQuantile(normalCdf(z))).toBeCloseTo(z, 9);
    });
  });

  test('is infinite at 0 and 1', () => {
    expect([normalQuantile(0), normalQuantile(1)]).toEqual([-Infinity, Infinity]);
  });
});
