import { describe, expect, test } from '@jest/globals';
import { stepDownMaxT } from '../../../../src/features/attributes/max-t.ts';
import type { ClusteredTries } from '../../../../src/kernel/statistics/clusters.ts';
import { clusteredTries } from '../../../../src/kernel/statistics/look.ts';
import { createRandom } from '../../../../src/kernel/statistics/random.ts';
import type { Tries } from '../../../../src/kernel/statistics/table.ts';
import {
  expectClose,
  repeat,
  rows,
  tablesOf,
  triesOf,
  vectors,
  type Row,
} from '../../kernel/statistics/vectors.ts';

const testsOf = (
  given: ClusteredTries[],
  groups: number[][],
  permutations: number,
  seed: number | string = 1,
) =>
  stepDownMaxT(
    given,
    groups.map((positions) => ({ positions })),
    createRandom(seed),
    permutations,
  ).map(({ z, p }) => ({ z, p }));

const run = (given: Row[], groups: number[][], permutations: number, seed: number | string = 1) =>
  testsOf(triesOf(tablesOf(given)), groups, permutations, seed);

describe('stepDownMaxT', () => {
  test.each(
    vectors<{ refs: Row[]; groups: number[][] }, { z: number[]; adj: number[] }>('westfallYoung'),
  )('agrees with $source', ({ input, expected, tol }) => {
    run(input.refs, input.groups, 20_000).forEach(({ z, p }, j) => {
      expectClose(z, expected.z[j]!, tol);
      expect(Math.abs(p - expected.adj[j]!)).toBeLessThan(0.01);
    });
  });

  test('is deterministic for a seed', () => {
    const given = rows([3, 3, 1, 3], [2, 3, 2, 3], [3, 3, 0, 3]);
    const again = () =>
      run(
        given,
        [0, 1].map((at) => [at, at + 1]),
        500,
        'same',
      );
    expect(again()).toEqual(again());
  });

  test('finds the one group of fifteen that dropped', () => {
    const fell = repeat(8, [5, 5, 2, 5]);
    const rest = repeat(14 * 8, [4, 5, 4, 5]);
    const groups = Array.from({ length: 15 }, (_, j) =>
      Array.from({ length: 8 }, (_, i) => 8 * j + i),
    );
    const tests = run([...fell, ...rest], groups, 999);
    expect(tests[0]!.p).toBeLessThan(0.01);
    expect(tests.slice(1).every(({ p }) => p > 0.5)).toBe(true);
  });

  test('returns z = 0 and p = 1 for groups without information', () => {
    const given = rows([5, 5, 5, 5], [0, 5, 0, 5], [0, 0, 0, 0], [3, 3, 0, 3], [2, 2, 0, 0]);
    const tests = run(given, [[0, 1], [], [2], [3], [4]], 99);
    expect(tests.map(({ z }) => z === 0)).toEqual([true, true, true, false, true]);
    expect(tests.filter(({ z }) => z === 0).every(({ p }) => p === 1)).toBe(true);
  });

  test('returns the same p for groups with equal evidence', () => {
    const groups = Array.from({ length: 10 }, (_, j) => [2 * j, 2 * j + 1]);
    const tests = run(repeat(20, [4, 5, 2, 5]), groups, 499);
    expect(new Set(tests.map(({ p }) => p)).size).toBe(1);
  });

  test('never returns a p below 1 / (permutations + 1)', () => {
    const [found] = run(repeat(30, [5, 5, 0, 5]), [[...Array(30).keys()]], 99);
    expect(found!.p).toBe(0.01);
  });

  describe('with clusters', () => {
    /**
     * Three templates of one cluster, which fail together, and one unclustered reference; the
     * groups overlap.
     */
    const template: Tries = { base: ['pass', 'pass', 'fail'], head: ['fail', 'fail', 'pass'] };
    const passed: Tries['base'] = ['pass', 'pass', 'pass'];
    const tries: Tries[] = [
      template,
      template,
      { base: passed, head: ['fail', 'pass', 'pass'] },
      { base: passed, head: ['fail', 'fail', 'pass'] },
    ];
    const clustered = clusteredTries(tries, ['a', 'a', 'a', null]);
    const groups = [
      [0, 1, 2],
      [2, 3],
    ];

    /**
     * Enumerates all permutations: 20 of the cluster's whole tries and 20 of the other reference.
     */
    function exact(): { z: number[]; p: number[] } {
      const choices = [...Array(64).keys()].filter(
        (bits) => [...Array(6).keys()].filter((i) => (bits >> i) & 1).length === 3,
      );
      const onHead = (own: Tries, bits: number): number =>
        [...own.base, ...own.head].filter((word, i) => word === 'pass' && (bits >> i) & 1).length;
      const deals = choices.flatMap((together) =>
        choices.map((alone) => tries.map((own, i) => onHead(own, i < 3 ? together : alone))),
      );
      const sumOf = (passes: readonly number[], group: readonly number[]): number =>
        group.reduce((sum, i) => sum + passes[i]!, 0);
      const moments = groups.map((group) => {
        const sums = deals.map((deal) => sumOf(deal, group));
        const mean = sums.reduce((a, b) => a + b, 0) / sums.length;
        const square = sums.reduce((a, b) => a + (b - mean) ** 2, 0) / sums.length;
        return { mean, scale: Math.sqrt(square) };
      });
      const zOf = (passes: readonly number[]): number[] =>
        groups.map((group, j) => (sumOf(passes, group) - moments[j]!.mean) / moments[j]!.scale);
      // Bits 3 to 5 are head's observed tries.
      const z = zOf(tries.map((own) => onHead(own, 0b111000)));
      const [first, second] = z[0]! <= z[1]! ? [0, 1] : [1, 0];
      const drawn = deals.map(zOf);
      const share = (holds: (draw: number[]) => boolean): number =>
        drawn.filter(holds).length / drawn.length;
      const p = [0, 0];
      p[first] = share((draw) => Math.min(...draw) <= z[first]! + 1e-9);
      p[second] = Math.max(
        p[first],
        share((draw) => draw[second]! <= z[second]! + 1e-9),
      );
      return { z, p };
    }

    test('agrees with a full enumeration of whole tries', () => {
      const found = testsOf(clustered, groups, 20_000);
      const counted = exact();
      found.forEach(({ z, p }, j) => {
        expect(z).toBeCloseTo(counted.z[j]!, 10);
        expect(Math.abs(p - counted.p[j]!)).toBeLessThan(0.012);
      });
    });

    test('counts ten clustered templates that dropped as one', () => {
      const fell: Tries = { base: Array(3).fill('pass'), head: Array(3).fill('fail') };
      const ten = Array.from({ length: 10 }, () => fell);
      const pWith = (names: (string | null)[]): number =>
        testsOf(clusteredTries(ten, names), [[...ten.keys()]], 1999)[0]!.p;
      const alone = pWith([]);
      const together = pWith(Array<string>(10).fill('a'));
      expect(alone).toBeLessThan(0.001);
      // One of twenty permutations.
      expect(together).toBeGreaterThan(0.035);
    });

    test('ignores clusters with one member', () => {
      const runWith = (names: (string | null)[]) =>
        testsOf(clusteredTries(tries, names), groups, 99);
      expect(runWith(['a', 'b', null, 'c'])).toEqual(runWith([]));
    });
  });

  test('returns nothing without groups', () => {
    expect(run([[1, 2, 0, 2]], [], 9)).toEqual([]);
  });
});
