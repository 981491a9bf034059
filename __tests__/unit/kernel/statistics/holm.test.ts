import { describe, expect, test } from '@jest/globals';
import { holm, holmLevels } from '../../../../src/kernel/statistics/holm.ts';
import fc, { forAll } from '../../../fuzz.ts';
import { agreesWithVectors } from './vectors.ts';

const level = (min: number, max: number) => fc.double({ min, max, noNaN: true });

describe('holm', () => {
  agreesWithVectors<{ p: number[] }, number[]>('holm', ({ p }, expected) => [[holm(p), expected]]);
});

describe('holmLevels', () => {
  const judgesOf = (p: readonly number[]) =>
    new Map(p.map((value, at) => [at, (level: number) => value <= level]));

  test("gives a level at which exactly those fire that Holm's adjusted p-values call", () => {
    forAll([fc.array(level(0.001, 0.2), { maxLength: 8 })], (p) => {
      const levels = holmLevels(judgesOf(p), 0.05);
      expect(p.map((value, at) => value <= (levels.get(at) ?? 0))).toEqual(
        holm(p).map((adjusted) => adjusted <= 0.05),
      );
    });
  });

  test('returns the level that each was judged at last', () =>
    expect([...holmLevels(judgesOf([0.5, 0.01, 0.02]), 0.05)]).toEqual([
      [0, 0.05],
      [1, 0.05 / 3],
      [2, 0.025],
    ]));
});
