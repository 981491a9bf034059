import {
  twoDecimals,
  inSize,
  percent,
  percentAndLimit,
  pointsApart,
  pointsBetween,
  probability,
  pValue,
  signed,
  signedBetween,
} from '../../../src/text/amounts.ts';
import fc, { forAll } from '../../fuzz.ts';

/** Pass rates: `passes / tries`. */
const share = fc
  .tuple(fc.nat(5000), fc.integer({ min: 1, max: 5000 }))
  .map(([passes, tries]) => Math.min(passes, tries) / tries);
const read = (text: string) => Number(text.replace('−', '-').replace(/^\+| (%|points)$/g, ''));

describe('percentage', () => {
  test.each([
    [1, '100.0 %'],
    [0, '0.0 %'],
    [0.84, '84.0 %'],
    [2999 / 3000, '99.97 %'],
    [1 / 3000, '0.03 %'],
    [9999 / 10_000, '99.99 %'],
    [99_999 / 100_000, '99.999 %'],
    [0.9994, '99.9 %'],
    // Rounding errors of sums near 0 and 1.
    [0.9999999999999999, '100.0 %'],
    [1e-17, '0.0 %'],
  ])('of %p is %s', (value, words) => expect(percent(value)).toBe(words));

  test('is 100 only if every try passed, and 0 only if none did', () => {
    forAll([share], (value) => {
      const shown = read(percent(value));
      expect([shown === 100, shown === 0]).toEqual([value === 1, value === 0]);
      expect(Math.abs(shown - 100 * value)).toBeLessThanOrEqual(0.05 + 1e-9);
    });
  });

  test('has enough decimals to differ from a limit just above it', () => {
    expect(percentAndLimit(0.79966, 0.8)).toEqual(['79.97 %', '80.00 %']);
    expect(percentAndLimit(0.5, 0.8)).toEqual(['50 %', '80 %']);
  });
});

describe('difference of two percentages', () => {
  test.each([
    [5 / 6, 4 / 6, '−16.6 points'],
    [1, 2999 / 3000, '−0.03 points'],
    [0.5, 0.5, '0.0 points'],
    [null, 0.5, '–'],
  ])('from %p to %p is %s', (base, head, words) => {
    expect(pointsBetween(base, head)).toBe(words);
  });

  const shown = (base: number, head: number) => read(signedBetween(base, head));

  test('equals the difference of the two displayed percentages', () => {
    forAll([share, share], (base, head) => {
      expect(shown(base, head)).toBeCloseTo(read(percent(head)) - read(percent(base)), 9);
      expect(shown(base, head)).toBe(pointsApart(base, head) + 0);
      const error = Math.abs(shown(base, head) - 100 * (head - base));
      expect(error).toBeLessThanOrEqual(0.1 + 1e-9);
    });
  });

  test('equals the sum of the two displayed differences via a third percentage', () => {
    forAll([share, share, share], (base, middle, head) =>
      expect(shown(base, middle) + shown(middle, head)).toBeCloseTo(shown(base, head), 9),
    );
  });

  test('has no sign if and only if it is zero', () => {
    for (const zero of [0, -0, -1e-17, 1e-17]) expect(signed(zero)).toBe('0.0');
    expect(signedBetween(1, 0.9999999999999999)).toBe('0.0');
    const moved = [-0.06, 0.06, -0.0003, 0.000116].map((value) => signed(value));
    expect(moved).toEqual(['−6.0', '+6.0', '−0.03', '+0.01']);
    expect([inSize(-0.000116), inSize(0.13)]).toEqual(['0.01', '13.0']);
  });
});

test('a negative number that rounds to zero has no sign', () => {
  const shown = [-0.003, -0.5, 0.5, null].map((value) => twoDecimals(value));
  expect(shown).toEqual(['0.00', '−0.50', '0.50', '–']);
});

test('a p-value is never shown as 0', () => {
  const shown = [0, 0.0009, 0.0125, 1].map((value) => pValue(value));
  expect(shown).toEqual(['p < 0.001', 'p < 0.001', 'p = 0.013', 'p = 1.000']);
  expect([probability(0.0004), probability(0.004)]).toEqual(['< 0.001', '0.004']);
});
