import { entryNumber, metricNumber } from '../../../src/metrics/value.ts';

describe('metricNumber', () => {
  test.each([
    [2.5, 2.5],
    [true, 1],
    [{ only: 3 }, 3],
    [{ two: 3, entries: 4 }, null],
    [{ only: true }, null],
    [{ only: { nested: 1 } }, null],
    [Infinity, null],
    [-Infinity, null],
    [NaN, null],
    [{ only: Infinity }, null],
  ])('reads %j as %j', (value, expected) => expect(metricNumber(value)).toBe(expected));
});

test('entryNumber returns null for a number that is not finite', () =>
  expect(entryNumber({ a: Infinity, b: 1 }, 'a')).toBeNull());
