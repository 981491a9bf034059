import { looseRatings, usableRatings } from '../../../../src/features/attributes/read-ratings.ts';
import { processorSeconds } from '../../../stand-ins/processor-time.ts';

describe('ratings outside JSON', () => {
  test.each(['*'.repeat(20_000), '{'.repeat(20_000), '{"id":'.repeat(20_000)])(
    'are read in less than two seconds of processor time even if the model repeats itself endlessly',
    async (reply) => {
      expect(await processorSeconds(() => looseRatings(reply))).toBeLessThan(2);
    },
  );
});

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

  test('is missing if an entry gives it twice or entries contradict each other', () => {
    expect(scoreOf({ id: 'a', score: 4 }, { id: 'Rivers', score: 2 })).toBeUndefined();
    const twice = looseRatings('{"ratings": [{"id": "a", "score": 4, "score": 2}]}');
    expect(scoreOf(...twice)).toBeUndefined();
  });
});
