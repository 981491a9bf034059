import { groupVerdicts } from '../../../../src/features/attributes/verdicts.ts';
import { createRandom, nextFloat, nextIndex } from '../../../../src/kernel/statistics/random.ts';
import type { Table } from '../../../../src/kernel/statistics/table.ts';
import { triesOf } from '../../kernel/statistics/vectors.ts';
import { table } from './builders.ts';

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);
const options = { alpha: 0.05, seed: 1 };
const times = (count: number, one: Table) => Array.from({ length: count }, () => one);
const verdicts = (tables: Table[], groups: number[][], more: object = {}) =>
  groupVerdicts(triesOf(tables), [{ positions: [...tables.keys()], groups }], {
    ...options,
    ...more,
  })[0] ?? [];
const words = (...of: Parameters<typeof verdicts>): string[] =>
  verdicts(...of).map(({ verdict }) => verdict);
const SAME = 'no change found';
const mirror = (tables: Table[]): Table[] =>
  tables.map(({ base, head }) => ({ base: head, head: base }));

describe('group verdicts', () => {
  /** Group 0 is broken, and each other group shares three of its references. */
  const broken = [...times(15, table(5, 1)), ...times(45, table(5, 5))];
  const groups = [
    range(0, 15),
    ...range(0, 5).map((j) => [...range(j * 3, j * 3 + 3), ...range(15 + j * 9, 24 + j * 9)]),
  ];

  test('name only the broken group, not groups that share its regressed references', () => {
    const found = verdicts(broken, groups);
    expect(found.map(({ verdict }) => verdict)).toEqual([
      'regressed',
      ...Array(5).fill('also fell'),
    ]);
    expect(found.map(({ explainedBy }) => explainedBy)).toEqual([[], ...Array(5).fill([0])]);
    expect(found[0]?.p).toBeLessThan(0.01);
  });

  // Group 2 has half of the suite and most of the regressed references, but they are denser in
  // groups 0 and 1.
  test('name two broken groups instead of a larger group that contains most of the regressed references', () => {
    const isBroken = (at: number) => at < 24;
    const tables = range(0, 150).map((at) => table(5, isBroken(at) ? 1 : 5));
    const wide = range(0, 150).filter((at) => (isBroken(at) ? at % 4 !== 0 : at % 2 === 0));
    expect(words(tables, [range(0, 12), range(12, 24), wide, range(24, 60)])).toEqual([
      'regressed',
      'regressed',
      'also fell',
      SAME,
    ]);
  });

  test('name three groups that broke independently', () => {
    const tables = range(0, 60).map((at) => table(5, at < 30 ? 0 : 5));
    const some = [range(0, 10), range(10, 20), range(20, 30), range(30, 60), range(25, 45)];
    expect(words(tables, some).slice(0, 4)).toEqual(['regressed', 'regressed', 'regressed', SAME]);
  });

  test('name the inner or the outer of two nested groups, depending on which references regressed', () => {
    const nested = [range(0, 8), range(0, 24), range(30, 50)];
    const fell = (to: number): Table[] => range(0, 60).map((at) => table(5, at < to ? 0 : 5));
    expect(words(fell(8), nested)).toEqual(['regressed', 'also fell', SAME]);
    expect(words(fell(24), nested)).toEqual(['also fell', 'regressed', SAME]);
  });

  test('name neither of two groups that share nearly all of their references', () => {
    const tables = range(0, 60).map((at) => table(5, at < 10 ? 0 : 5));
    const found = verdicts(tables, [range(0, 10), [...range(0, 9), 10], range(20, 40)]);
    const same = verdicts(tables, [range(0, 10), range(0, 10), range(20, 40)]);
    expect(found[0]?.verdict).toBe('regressed');
    expect(same.map(({ verdict }) => verdict)).toEqual(['also fell', 'also fell', SAME]);
    expect(same[0]?.alternatives).toEqual([{ group: 1, shared: 10, of: 10 }]);
  });

  test('name no group if all references regress equally', () => {
    const tables = range(0, 60).map((at) => table(5, at % 2 === 0 ? 3 : 4));
    const found = words(tables, [range(0, 30), range(30, 60), range(10, 40)]);
    expect(found).toEqual(Array(3).fill('also fell'));
  });

  test('name no group if the ratings are the same for every reference', () => {
    const all = range(0, 60);
    const few = { verdict: 'too few', p: null, explainedBy: [], alternatives: [] };
    expect(verdicts(broken, [all, all, []])).toEqual([few, few, few]);
  });

  test('require four references in the group and four outside it', () => {
    const tables = [...times(4, table(5, 0)), ...times(4, table(5, 5))];
    const some = [range(0, 4), range(0, 3), range(0, 5)];
    expect(words(tables, some)).toEqual(['regressed', 'too few', 'too few']);
    const unjudged: Table = { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 5 } };
    expect(words([...tables.slice(1), unjudged], [range(0, 3)])).toEqual(['too few']);
  });

  test('compare only references of the same suite', () => {
    const tables = [...broken, ...times(60, table(5, 5))];
    const found = groupVerdicts(
      triesOf(tables),
      [
        { positions: range(60, 120), groups: [range(60, 75), range(75, 90)] },
        { positions: range(0, 60), groups },
      ],
      options,
    );
    expect(found[0]?.map(({ verdict }) => verdict)).toEqual([SAME, SAME]);
    expect(found[1]?.map(({ verdict }) => verdict)).toEqual(words(broken, groups));
  });

  test('count a cluster of references once, so a template that fails as a whole is not a finding', () => {
    const fell = times(9, table(3, 1, 3));
    const verdictWith = (cluster: string | null) =>
      groupVerdicts(
        [...triesOf(fell, cluster), ...triesOf(times(20, table(3, 3, 3)))],
        [{ positions: range(0, 29), groups: [range(0, 9), range(9, 29)] }],
        options,
      )[0]?.map(({ verdict }) => verdict);
    expect(verdictWith(null)).toEqual(['regressed', SAME]);
    expect(verdictWith('one')).toEqual(['too few', 'too few']);
  });

  test('treat improvements and regressions symmetrically', () => {
    expect(words(mirror(broken), groups)).toEqual(['improved', ...Array(5).fill('also rose')]);
  });

  test('are deterministic for a seed', () => {
    const random = createRandom('same');
    const tables = Array.from({ length: 40 }, () =>
      table(nextIndex(random, 6), nextIndex(random, 6)),
    );
    const some = range(0, 6).map((j) => range(j * 5, j * 5 + 12));
    expect(verdicts(tables, some)).toEqual(verdicts(tables, some));
    expect(groupVerdicts([], [], options)).toEqual([]);
  });

  test('are rarely false with fifteen groups if nothing changed', () => {
    const random = createRandom('unchanged suites');
    const passes = (rate: number) => range(0, 3).filter(() => nextFloat(random) < rate).length;
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
  });
});
