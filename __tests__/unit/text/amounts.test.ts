import { describe, expect, test } from '@jest/globals';
import {
  decimal,
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
import fc from '../../fuzz.ts';

/** k of n, as every rate here is. */
const share = fc
  .tuple(fc.nat(5000), fc.integer({ min: 1, max: 5000 }))
  .map(([passes, tries]) => Math.min(passes, tries) / tries);
const read = (text: string) =>
  Number(
    text
      .replace('−', '-')
      .replace('+', '')
      .replace(/ (%|points)$/, ''),
  );

describe('a share in percent', () => {
  test.each([
    [1, '100.0 %'],
    [0, '0.0 %'],
    [0.84, '84.0 %'],
    [2999 / 3000, '99.97 %'],
    [1 / 3000, '0.03 %'],
    [9999 / 10_000, '99.99 %'],
    [99_999 / 100_000, '99.999 %'],
    [0.9994, '99.9 %'],
  ])('%p is %s', (value, words) => expect(percent(value)).toBe(words));

  test('is 100 only if everything passed, and 0 only if nothing did', () => {
    fc.assert(
      fc.property(share, (value) => {
        expect(read(percent(value)) === 100).toBe(value === 1);
        expect(read(percent(value)) === 0).toBe(value === 0);
        expect(Math.abs(read(percent(value)) - 100 * value)).toBeLessThanOrEqual(0.05 + 1e-9);
      }),
    );
  });

  test('ignores rounding errors of sums of all or nothing', () => {
    expect(percent(0.9999999999999999)).toBe('100.0 %');
    expect(percent(1e-17)).toBe('0.0 %');
  });

  test('has enough decimals to differ from a limit just above it', () => {
    expect(percentAndLimit(0.79966, 0.8)).toEqual(['79.97 %', '80.00 %']);
    expect(percentAndLimit(0.5, 0.8)).toEqual(['50.0 %', '80.0 %']);
  });
});

describe('a difference of shares', () => {
  test('equals the difference of the shares as written', () => {
    expect(pointsBetween(5 / 6, 4 / 6)).toBe('−16.6 points');
    expect(pointsBetween(1, 2999 / 3000)).toBe('−0.03 points');
    expect(pointsBetween(0.5, 0.5)).toBe('0.0 points');
    expect(pointsBetween(null, 0.5)).toBe('–');
    fc.assert(
      fc.property(share, share, (base, head) => {
        expect(read(signedBetween(base, head))).toBeCloseTo(
          read(percent(head)) - read(percent(base)),
          9,
        );
        expect(read(signedBetween(base, head))).toBe(pointsApart(base, head) + 0);
        expect(Math.abs(read(signedBetween(base, head)) - 100 * (head - base))).toBeLessThanOrEqual(
          0.1 + 1e-9,
        );
      }),
    );
  });

  test('has parts that add up as written', () => {
    fc.assert(
      fc.property(share, share, share, (base, between, head) => {
        expect(read(signedBetween(base, between)) + read(signedBetween(between, head))).toBeCloseTo(
          read(signedBetween(base, head)),
          9,
        );
      }),
    );
  });

  test('has no sign if and only if it is zero', () => {
    expect([
      signed(0),
      signed(-0),
      signed(-1e-17),
      signed(1e-17),
      signedBetween(1, 0.9999999999999999),
    ]).toEqual(['0.0', '0.0', '0.0', '0.0', '0.0']);
    expect([signed(-0.06), signed(0.06), signed(-0.0003), signed(0.000116)]).toEqual([
      '−6.0',
      '+6.0',
      '−0.03',
      '+0.01',
    ]);
    expect([inSize(-0.000116), inSize(0.13)]).toEqual(['0.01', '13.0']);
  });
});

test('negative numbers that round to zero have no sign', () => {
  expect([decimal(-0.003), decimal(-0.5), decimal(0.5), decimal(null)]).toEqual([
    '0.00',
    '−0.50',
    '0.50',
    '–',
  ]);
});

test('a p-value is never 0', () => {
  expect([pValue(0), pValue(0.0009), pValue(0.0125), pValue(1)]).toEqual([
    'p < 0.001',
    'p < 0.001',
    'p = 0.013',
    'p = 1.000',
  ]);
  expect([probability(0.0004), probability(0.004)]).toEqual(['< 0.001', '0.004']);
});
