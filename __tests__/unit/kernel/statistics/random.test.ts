import {
  createRandom,
  nextFloat,
  nextIndex,
  nextWord,
  shuffle,
} from '../../../../src/kernel/statistics/random.ts';
import fc, { forAll } from '../../../fuzz.ts';

describe('seeded random generator', () => {
  test('is xoshiro128** 1.1, checked against a separate big-integer implementation', () => {
    const random = { words: Uint32Array.of(1, 2, 3, 4) };
    expect(Array.from({ length: 10 }, () => nextWord(random))).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597,
      4258142804,
    ]);
  });

  test('gives the same numbers for the same seed on every machine', () => {
    const draws = (seed: string | number) => {
      const random = createRandom(seed);
      return Array.from({ length: 4 }, () => nextWord(random));
    };
    expect(draws('evaldiff')).toEqual(draws('evaldiff'));
    expect(draws(7)).toEqual(draws('7'));
    const firsts = Array.from({ length: 2000 }, (_, seed) => draws(seed)[0]);
    expect(new Set(firsts).size).toBe(2000);
    expect(draws('evaldiff')).toEqual([535289002, 3449055467, 399159248, 416379093]);
  });

  test('is uniform, even over the first numbers of consecutive seeds', () => {
    const cells = new Array<number>(16).fill(0);
    for (let seed = 0; seed < 16_000; seed++) cells[nextIndex(createRandom(seed), 16)]! += 1;
    const random = createRandom('one seed');
    for (let i = 0; i < 16_000; i++) cells[nextIndex(random, 16)]! += 1;
    const chiSquare = cells.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
    expect(chiSquare).toBeLessThan(40);
  });

  test('returns floats strictly between 0 and 1 and indices within range', () => {
    forAll([fc.string(), fc.integer({ min: 1, max: 1000 })], (seed, count) => {
      const random = createRandom(seed);
      const [float, index] = [nextFloat(random), nextIndex(random, count)];
      expect(float).toBeGreaterThan(0);
      expect(float).toBeLessThan(1);
      expect(Number.isInteger(index) && index >= 0 && index < count).toBe(true);
    });
  });

  test('shuffles a copy with the same items', () => {
    forAll([fc.array(fc.integer()), fc.string()], (items, seed) => {
      const before = [...items];
      expect(shuffle(items, createRandom(seed)).toSorted()).toEqual(before.toSorted());
      expect(items).toEqual(before);
    });
  });

  test('gives every order with equal probability', () => {
    const random = createRandom(3);
    const seen = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = shuffle(['a', 'b', 'c'], random).join('');
      seen.set(order, (seen.get(order) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    for (const count of seen.values()) expect(Math.abs(count - 1000)).toBeLessThan(130);
  });
});
