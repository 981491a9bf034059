import { describe, expect, jest, test } from '@jest/globals';
import { groupVerdicts, type GroupVerdict } from '../../../../src/features/attributes/verdicts.ts';
import type { Cluster } from '../../../../src/kernel/statistics/bundles.ts';
import { createRandom, nextFloat, nextIndex } from '../../../../src/kernel/statistics/random.ts';
import type { Table } from '../../../../src/kernel/statistics/table.ts';

/** Many permutations per call, on machines that do other things too. */
jest.setTimeout(60_000);

const table = (base: number, head: number, tries = 5): Table => ({
  base: { passes: base, tries },
  head: { passes: head, tries },
});
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
const options = { alpha: 0.05, seed: 1 };
const verdicts = (tables: Table[], groups: number[][], permutations?: number): GroupVerdict[] =>
  groupVerdicts(
    tables,
    groups.map((group) => group.map((at) => ({ at, weight: 1 }))),
    { ...options, ...(permutations === undefined ? {} : { permutations }) },
  );
const words = (tables: Table[], groups: number[][]): string[] =>
  verdicts(tables, groups).map(({ verdict }) => verdict);

describe('verdicts of groups', () => {
  const broken = [
    ...Array.from({ length: 15 }, () => table(5, 1)),
    ...Array.from({ length: 45 }, () => table(5, 5)),
  ];
  /** Group 0 is broken; each other one shares three of its references. */
  const groups = [
    range(0, 15),
    ...range(0, 5).map((j) => [...range(j * 3, j * 3 + 3), ...range(15 + j * 9, 24 + j * 9)]),
  ];

  test('call the broken group and not its neighbours, which are said to be explained by it', () => {
    const found = verdicts(broken, groups);
    expect(found.map(({ verdict }) => verdict)).toEqual([
      'regressed',
      ...Array.from({ length: 5 }, () => 'no change seen'),
    ]);
    expect(found.map(({ explainedBy }) => explainedBy)).toEqual([[], [0], [0], [0], [0], [0]]);
    expect(found[0]?.p).toBeLessThan(0.01);
    expect(found[1]?.p).toBeGreaterThan(0.05);
  });

  test('call a second group that broke on references of its own', () => {
    const tables = broken.map((counts, i) => (i >= 15 && i < 24 ? table(5, 1) : counts));
    expect(
      words(tables, groups)
        .map((word, j) => (word === 'regressed' ? j : -1))
        .filter((j) => j >= 0),
    ).toEqual([0, 1]);
  });

  test('need eight compared references of its own for a second finding, too: those that were not compared do not count', () => {
    const unjudged: Table = { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 0 } };
    const tables = [
      ...Array.from({ length: 22 }, () => table(5, 1)),
      ...Array.from({ length: 8 }, () => unjudged),
      table(5, 1),
    ];
    expect(
      words(tables, [range(0, 15), [...range(8, 15), ...range(15, 22), ...range(22, 30)]]),
    ).toEqual(['regressed', 'no change seen']);
    expect(
      words(tables, [range(0, 15), [...range(8, 15), ...range(15, 22), ...range(22, 31)]]),
    ).toEqual(['regressed', 'regressed']);
  });

  test('of two groups with the same evidence call the one whose mean fell more', () => {
    const found = verdicts(broken, [range(0, 60), range(0, 15)]);
    expect(found.map(({ verdict }) => verdict)).toEqual(['no change seen', 'regressed']);
    expect(found[0]?.explainedBy).toEqual([1]);
  });

  test('call the group that the broken references belong to, not the one they were put into to fill their places', () => {
    const member = (at: number, weight: number) => ({ at, weight });
    const filled = [
      ...range(0, 15).map((at) => member(at, 0)),
      ...range(15, 30).map((at) => member(at, 1)),
    ];
    const own = [
      ...range(0, 15).map((at) => member(at, 1)),
      ...range(30, 45).map((at) => member(at, 0)),
    ];
    const tables = broken.map((counts, at) => (at === 20 ? table(5, 3) : counts));
    expect(groupVerdicts(tables, [filled, own], options).map(({ verdict }) => verdict)).toEqual([
      'no change seen',
      'regressed',
    ]);
  });

  test('take references of one cluster for one: templates that failed in the same tries are not a finding', () => {
    const fell = Array.from({ length: 9 }, () => table(3, 1, 3));
    const rest = Array.from({ length: 20 }, () => table(3, 3, 3));
    const groups = [range(0, 9), range(9, 29)].map((group) =>
      group.map((at) => ({ at, weight: 1 })),
    );
    const cluster = range(0, 9).map((at) => ({ at, base: [1, 1, 1], head: [0, 1, 0] }));
    const verdictWith = (clusters: Cluster[]): GroupVerdict[] =>
      groupVerdicts([...fell, ...rest], groups, { ...options, clusters });
    expect(verdictWith([]).map(({ verdict }) => verdict)).toEqual(['regressed', 'no change seen']);
    const [together] = verdictWith([cluster]);
    expect(together?.verdict).toBe('no change seen');
    // Of the twenty deals of the six tries, four give head no more passes than it had.
    expect(together?.p).toBeCloseTo(0.2, 1);
  });

  test('mirror themselves for the better', () => {
    const tables = broken.map(({ base, head }) => ({ base: head, head: base }));
    expect(words(tables, groups)).toEqual([
      'improved',
      ...Array.from({ length: 5 }, () => 'no change seen'),
    ]);
  });

  test('need eight references that were compared', () => {
    const unjudged: Table = { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 5 } };
    const tables = [...Array.from({ length: 8 }, () => table(5, 0)), unjudged];
    expect(words(tables, [range(0, 8), range(0, 7), [...range(0, 7), 8]])).toEqual([
      'regressed',
      'too few',
      'too few',
    ]);
    expect(verdicts(tables, [range(0, 7)])).toEqual([
      { verdict: 'too few', p: null, explainedBy: [] },
    ]);
    expect(verdicts([], [])).toEqual([]);
  });

  test('are the same for the same seed', () => {
    const random = createRandom('same');
    const tables = Array.from({ length: 40 }, () =>
      table(nextIndex(random, 6), nextIndex(random, 6)),
    );
    const some = range(0, 6).map((j) => range(j * 5, j * 5 + 12));
    expect(verdicts(tables, some)).toEqual(verdicts(tables, some));
  });

  test('are false in few of many suites in which nothing changed, though fifteen groups are looked at', () => {
    const random = createRandom('unchanged suites');
    const passes = (rate: number): number =>
      range(0, 3).filter(() => nextFloat(random) < rate).length;
    let suites = 0;
    for (let round = 0; round < 200; round++) {
      const tables = Array.from({ length: 40 }, () => {
        const rate = nextFloat(random);
        return table(passes(rate), passes(rate), 3);
      });
      const some = range(0, 15).map(() => range(0, 40).filter(() => nextFloat(random) < 0.3));
      const found = verdicts(tables, some, 199);
      if (found.some(({ verdict }) => verdict === 'regressed')) suites++;
    }
    // At most 10 expected; 20 or more would be seen in less than 0.3 % of such simulations.
    expect(suites).toBeLessThan(20);
  }, 60_000);
});
