import { describe, expect, test } from '@jest/globals';
import { groupVerdicts, type GroupVerdict } from '../../../../src/features/attributes/verdicts.ts';
import { createRandom, nextFloat, nextIndex } from '../../../../src/kernel/statistics/random.ts';
import type { Table } from '../../../../src/kernel/statistics/table.ts';
import { triesOf } from '../../kernel/statistics/vectors.ts';

const table = (base: number, head: number, tries = 5): Table => ({
  base: { passes: base, tries },
  head: { passes: head, tries },
});
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);
const options = { alpha: 0.05, seed: 1 };
const members = (group: number[], weight = 1) => group.map((at) => ({ at, weight }));
const times = (count: number, one: Table): Table[] => Array.from({ length: count }, () => one);
const verdicts = (tables: Table[], groups: number[][], more: object = {}): GroupVerdict[] =>
  groupVerdicts(
    triesOf(tables),
    groups.map((group) => members(group)),
    { ...options, ...more },
  );
const words = (...of: Parameters<typeof verdicts>): string[] =>
  verdicts(...of).map(({ verdict }) => verdict);
const SAME = 'no change seen';

describe('group verdicts', () => {
  const broken = [...times(15, table(5, 1)), ...times(45, table(5, 5))];
  /** Group 0 is broken; every other group shares three of its references. */
  const groups = [
    range(0, 15),
    ...range(0, 5).map((j) => [...range(j * 3, j * 3 + 3), ...range(15 + j * 9, 24 + j * 9)]),
  ];

  test('flag the broken group, and mark overlapping groups as explained by it', () => {
    const found = verdicts(broken, groups);
    expect(found.map(({ verdict }) => verdict)).toEqual(['regressed', ...Array(5).fill(SAME)]);
    expect(found.map(({ explainedBy }) => explainedBy)).toEqual([[], ...Array(5).fill([0])]);
    expect(found[0]?.p).toBeLessThan(0.01);
    expect(found[1]?.p).toBeGreaterThan(0.05);
  });

  test('flag a second group that broke on its own references', () => {
    const tables = broken.map((counts, i) => (i >= 15 && i < 24 ? table(5, 1) : counts));
    const called = ['regressed', 'regressed', ...Array(4).fill(SAME)];
    expect(words(tables, groups)).toEqual(called);
  });

  test('require eight unshared compared references for a second finding', () => {
    const unjudged: Table = { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 0 } };
    const tables = [...times(22, table(5, 1)), ...times(8, unjudged), table(5, 1)];
    const second = (to: number) => words(tables, [range(0, 15), range(8, to)]);
    expect(second(30)).toEqual(['regressed', SAME]);
    expect(second(31)).toEqual(['regressed', 'regressed']);
  });

  test('flag the group with the larger drop of two with equal evidence', () => {
    const found = verdicts(broken, [range(0, 60), range(0, 15)]);
    expect(found.map(({ verdict }) => verdict)).toEqual([SAME, 'regressed']);
    expect(found[0]?.explainedBy).toEqual([1]);
  });

  test('flag the group that the broken references belong to, not one padded with them', () => {
    const filled = [...members(range(0, 15), 0), ...members(range(15, 30))];
    const own = [...members(range(0, 15)), ...members(range(30, 45), 0)];
    const tables = broken.map((counts, at) => (at === 20 ? table(5, 3) : counts));
    const found = groupVerdicts(triesOf(tables), [filled, own], options);
    expect(found.map(({ verdict }) => verdict)).toEqual([SAME, 'regressed']);
  });

  test('count a cluster once, so that templates failing together are not a finding', () => {
    const fell = times(9, table(3, 1, 3));
    const verdictWith = (cluster: string | null) =>
      groupVerdicts(
        [...triesOf(fell, cluster), ...triesOf(times(20, table(3, 3, 3)))],
        [members(range(0, 9)), members(range(9, 29))],
        options,
      );
    expect(verdictWith(null).map(({ verdict }) => verdict)).toEqual(['regressed', SAME]);
    const [together] = verdictWith('one');
    expect(together?.verdict).toBe(SAME);
    // Four of the twenty permutations of six tries give head at most its observed passes.
    expect(together?.p).toBeCloseTo(0.2, 1);
  });

  test('treat improvements and regressions symmetrically', () => {
    const tables = broken.map(({ base, head }) => ({ base: head, head: base }));
    expect(words(tables, groups)).toEqual(['improved', ...Array(5).fill(SAME)]);
  });

  test('require eight compared references', () => {
    const unjudged: Table = { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 5 } };
    const tables = [...times(8, table(5, 0)), unjudged];
    const some = [range(0, 8), range(0, 7), [...range(0, 7), 8]];
    expect(words(tables, some)).toEqual(['regressed', 'too few', 'too few']);
    const few = { verdict: 'too few', p: null, explainedBy: [] };
    expect(verdicts(tables, [range(0, 7)])).toEqual([few]);
    expect(verdicts([], [])).toEqual([]);
  });

  test('are deterministic for a seed', () => {
    const random = createRandom('same');
    const tables = Array.from({ length: 40 }, () =>
      table(nextIndex(random, 6), nextIndex(random, 6)),
    );
    const some = range(0, 6).map((j) => range(j * 5, j * 5 + 12));
    expect(verdicts(tables, some)).toEqual(verdicts(tables, some));
  });

  test('are rarely false with fifteen groups if nothing changed', () => {
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
      const found = verdicts(tables, some, { permutations: 199 });
      if (found.some(({ verdict }) => verdict === 'regressed')) suites++;
    }
    // At most 10 are expected. The probability of 20 or more is under 0.3 %.
    expect(suites).toBeLessThan(20);
  }, 60_000);
});
