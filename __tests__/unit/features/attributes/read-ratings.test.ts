import { usableRatings } from '../../../../src/features/attributes/affinity.ts';

describe('a rating', () => {
  const attributes = [{ id: 'a', kind: 'domain', name: 'Rivers', explanation: '' }] as const;
  const scoreOf = (...ratings: unknown[]) => usableRatings(ratings, attributes).get('a')?.score;

  test.each([
    [4, 4],
    ['4/5', 4],
    ['4 of 5', 4],
    ['**2**', 2],
    [0, undefined],
    [6, undefined],
    [3.5, undefined],
    [null, undefined],
    [true, undefined],
    ['4 or 5', undefined],
    ['mostly 4', undefined],
    ['4, mostly', undefined],
    [Number.NaN, undefined],
    [[4], undefined],
  ])('of %p is read as %p', (score, read) => expect(scoreOf({ id: 'a', score })).toBe(read));

  test('is missing if entries contradict each other', () => {
    expect(scoreOf({ id: 'a', score: 4 }, { id: 'Rivers', score: 2 })).toBeUndefined();
  });
});
