import { describe, expect, test } from '@jest/globals';
import { clustersByName } from '../../../../src/kernel/statistics/bundles.ts';
import { stepDownMaxT } from '../../../../src/kernel/statistics/max-t.ts';
import { createRandom } from '../../../../src/kernel/statistics/random.ts';
import { tableOf, type Tries } from '../../../../src/kernel/statistics/table.ts';
import { expectClose, type Row, tablesOf, vectors } from './vectors.ts';

const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

describe('stepDownMaxT', () => {
  test.each(
    vectors<{ refs: Row[]; groups: number[][] }, { z: number[]; adj: number[] }>('westfallYoung'),
  )('agrees with $source', ({ input, expected, tol }) => {
    const tests = stepDownMaxT(tablesOf(input.refs), input.groups, createRandom(1), {
      permutations: 20_000,
    });
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
        { permutations: 500 },
      );
    expect(run()).toEqual(run());
  });

  test('finds the group that fell among fifteen that did not', () => {
    const fell = repeat(8, [5, 5, 2, 5]);
    const rest = Array.from({ length: 14 }, () => repeat(8, [4, 5, 4, 5])).flat();
    const groups = Array.from({ length: 15 }, (_, j) =>
      Array.from({ length: 8 }, (_, i) => 8 * j + i),
    );
    const tests = stepDownMaxT(tablesOf([...fell, ...rest]), groups, createRandom(1), {
      permutations: 999,
    });
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
    const tests = stepDownMaxT(tables, [[0, 1], [], [2], [3], [4]], createRandom(1), {
      permutations: 99,
    });
    expect(tests.map(({ z }) => z === 0)).toEqual([true, true, true, false, true]);
    expect(tests.filter(({ z }) => z === 0).every(({ p }) => p === 1)).toBe(true);
  });

  test('groups that look alike get the same p, that of the first to be tested', () => {
    const groups = Array.from({ length: 10 }, (_, j) => [2 * j, 2 * j + 1]);
    const tests = stepDownMaxT(tablesOf(repeat(20, [4, 5, 2, 5])), groups, createRandom(1), {
      permutations: 499,
    });
    expect(new Set(tests.map(({ p }) => p)).size).toBe(1);
  });

  test('never claims more than its permutations allow', () => {
    const [found] = stepDownMaxT(
      tablesOf(repeat(30, [5, 5, 0, 5])),
      [[...Array(30).keys()]],
      createRandom(1),
      { permutations: 99 },
    );
    expect(found!.p).toBe(0.01);
  });

  describe('with clusters', () => {
    /** Three templates that fail together in a try; a reference of its own; two overlapping groups. */
    const tries: Tries[] = [
      { base: ['pass', 'pass', 'fail'], head: ['fail', 'fail', 'pass'] },
      { base: ['pass', 'pass', 'fail'], head: ['fail', 'fail', 'pass'] },
      { base: ['pass', 'pass', 'pass'], head: ['fail', 'pass', 'pass'] },
      { base: ['pass', 'pass', 'pass'], head: ['fail', 'fail', 'pass'] },
    ];
    const clusters = clustersByName(tries, ['a', 'a', 'a', null], Infinity);
    const tables = tries.map((one) => tableOf(one, 0, 3));
    const groups = [
      [0, 1, 2],
      [2, 3],
    ];

    /** Every way of dealing: 20 for the cluster's whole tries, 20 for the reference of its own. */
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
      // The bits of head's own tries are the upper three.
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

    test('agrees with counting every deal of whole tries', () => {
      const found = stepDownMaxT(tables, groups, createRandom(1), {
        permutations: 20_000,
        clusters,
      });
      const counted = exact();
      found.forEach(({ z, p }, j) => {
        expect(z).toBeCloseTo(counted.z[j]!, 10);
        expect(Math.abs(p - counted.p[j]!)).toBeLessThan(0.012);
      });
    });

    test('ten templates that fell together are one thing that fell, not ten', () => {
      const fell: Tries = { base: Array(3).fill('pass'), head: Array(3).fill('fail') };
      const ten = Array.from({ length: 10 }, () => fell);
      const [alone, together] = [[], clustersByName(ten, Array<string>(10).fill('a'), 3)].map(
        (which) =>
          stepDownMaxT(
            ten.map((one) => tableOf(one, 0, 3)),
            [[...ten.keys()]],
            createRandom(1),
            { permutations: 1999, clusters: which },
          )[0]!.p,
      );
      expect(alone).toBeLessThan(0.001);
      // One deal of the twenty.
      expect(together).toBeGreaterThan(0.035);
    });

    test('those of one member change nothing', () => {
      const run = (which: ReturnType<typeof clustersByName>) =>
        stepDownMaxT(tables, groups, createRandom(1), { permutations: 99, clusters: which });
      expect(run(clustersByName(tries, ['a', 'b', null, 'c'], 3))).toEqual(run([]));
    });
  });

  test('has no answers for no groups', () => {
    expect(
      stepDownMaxT(tablesOf([[1, 2, 0, 2]]), [], createRandom(1), { permutations: 9 }),
    ).toEqual([]);
  });
});
