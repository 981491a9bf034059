import { describe, expect, test } from '@jest/globals';
import { evidenceFdr, findHealed } from '../../../../src/kernel/statistics/healing.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { draws } from '../../../fuzz.ts';
import { broken, fine, healed, repeat, tried } from './ledgers.ts';

describe('findHealed', () => {
  test('calls a reference that failed on base and passes on head, after nine tries at most', () => {
    expect(findHealed([healed(9), ...fine(25)])).toEqual({ healed: [0], open: [] });
    expect(findHealed([healed(2), ...fine(25)])).toEqual({ healed: [], open: [0] });
  });

  test('needs less evidence where more healed', () => {
    const tries = 5;
    const one = findHealed([healed(tries), ...fine(25)]).healed.length;
    const many = findHealed([...repeat(10, healed(tries)), ...fine(16)]).healed.length;
    expect([one, many]).toEqual([0, 10]);
  });

  test('does not call one that broke, or one that passed on base before', () => {
    expect(findHealed([broken(9), tried('01', '11'), ...fine(5)])).toEqual({
      healed: [],
      open: [],
    });
  });

  test('is wrong in few runs where nothing changed', () => {
    const random = createRandom('nothing healed');
    const outcomes = () => Array.from({ length: 9 }, () => (nextFloat(random) < 0.5 ? '1' : '0'));
    const runs = draws(400);
    const wrong = Array.from({ length: runs }, () => {
      const tries = Array.from({ length: 26 }, () =>
        tried(outcomes().join(''), outcomes().join('')),
      );
      return findHealed(tries).healed.length > 0;
    }).filter(Boolean).length;
    expect(wrong / runs).toBeLessThan(0.05);
  });
});

describe('evidenceFdr', () => {
  test('is n / (j · e) for the j-th largest, made monotone from the least evidence on', () => {
    expect(evidenceFdr([40, 1, 400, 100])).toEqual([
      expect.closeTo(4 / (3 * 40), 12),
      1,
      expect.closeTo(0.01, 12),
      expect.closeTo(0.02, 12),
    ]);
  });
});
