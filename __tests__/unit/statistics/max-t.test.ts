import { describe, expect, test } from '@jest/globals';
import { stepDownMaxT } from '../../../src/statistics/max-t.ts';
import { createRandom } from '../../../src/statistics/random.ts';
import type { Row } from './vectors.ts';
import { expectClose, tablesOf, vectors } from './vectors.ts';

const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

describe('stepDownMaxT', () => {
  test.each(
    vectors<{ refs: Row[]; groups: number[][] }, { z: number[]; adj: number[] }>('westfallYoung'),
  )('agrees with $source', ({ input, expected, tol }) => {
    const tests = stepDownMaxT(tablesOf(input.refs), input.groups, createRandom(1), 20_000);
    tests.forEach(({ z, p }, j) => {
      expectClose(z, expected.z[j]!, tol);
      expect(Math.abs(p - expected.adj[j]!)).toBeLessThan(0.01);
    });
  });

  test('is the same for the same seed', () => {
    const tables = tablesOf([
      [3, 3, 1, 3],
      [2, 3, 2, 3],
      [3, 3, 0, 3],
    ]);
    const run = () =>
      stepDownMaxT(
        tables,
        [
          [0, 1],
          [1, 2],
        ],
        createRandom('same'),
        500,
      );
    expect(run()).toEqual(run());
  });

  test('finds the group that fell among fifteen that did not', () => {
    const fell = repeat(8, [5, 5, 2, 5]);
    const rest = Array.from({ length: 14 }, () => repeat(8, [4, 5, 4, 5])).flat();
    const groups = Array.from({ length: 15 }, (_, j) =>
      Array.from({ length: 8 }, (_, i) => 8 * j + i),
    );
    const tests = stepDownMaxT(tablesOf([...fell, ...rest]), groups, createRandom(1), 999);
    expect(tests[0]!.p).toBeLessThan(0.01);
    expect(tests.slice(1).every(({ p }) => p > 0.5)).toBe(true);
  });

  test('groups that cannot tell the sides apart have z = 0 and p = 1', () => {
    const tables = tablesOf([
      [5, 5, 5, 5],
      [0, 5, 0, 5],
      [0, 0, 0, 0],
      [3, 3, 0, 3],
      [2, 2, 0, 0],
    ]);
    const tests = stepDownMaxT(tables, [[0, 1], [], [2], [3], [4]], createRandom(1), 99);
    expect(tests.map(({ z }) => z === 0)).toEqual([true, true, true, false, true]);
    expect(tests.filter(({ z }) => z === 0).every(({ p }) => p === 1)).toBe(true);
  });

  test('groups that look alike get the same p, that of the first to be tested', () => {
    const groups = Array.from({ length: 10 }, (_, j) => [2 * j, 2 * j + 1]);
    const tests = stepDownMaxT(tablesOf(repeat(20, [4, 5, 2, 5])), groups, createRandom(1), 499);
    expect(new Set(tests.map(({ p }) => p)).size).toBe(1);
  });

  test('never claims more than its permutations allow', () => {
    const [found] = stepDownMaxT(
      tablesOf(repeat(30, [5, 5, 0, 5])),
      [[...Array(30).keys()]],
      createRandom(1),
      99,
    );
    expect(found!.p).toBe(0.01);
  });

  test('has no answers for no groups', () => {
    expect(stepDownMaxT(tablesOf([[1, 2, 0, 2]]), [], createRandom(1), 9)).toEqual([]);
  });
});
