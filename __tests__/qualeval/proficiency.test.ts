import { describe, expect, test } from '@jest/globals';
import { misalignment } from '../../src/qualeval/alignment.ts';
import { countTries, groupVerdicts, proficiencyOf } from '../../src/qualeval/proficiency.ts';
import { largestDrops, otherSkills } from '../../src/qualeval/samples.ts';
import { createRandom, nextFloat, nextIndex } from '../../src/statistics/random.ts';
import type { Table } from '../../src/statistics/table.ts';
import { tryResult } from '../core/builders.ts';

const table = (base: number, head: number, tries = 5): Table => ({ base: { passes: base, tries }, head: { passes: head, tries } });
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);
const options = { alpha: 0.05, seed: 1 };
const words = (tables: Table[], groups: number[][]): string[] => groupVerdicts(tables, groups, options).map(({ verdict }) => verdict);

describe('counting tries', () => {
  test('takes passes and fails alone, up to the shared number of tries', () => {
    const tries = (['pass', 'fail', 'ungraded', 'error', 'skipped', 'pass'] as const).map((outcome, index) => tryResult(outcome, index));
    expect(countTries(tries, null, null)).toEqual({ passes: 2, tries: 3 });
    expect(countTries(tries, null, 2)).toEqual({ passes: 1, tries: 2 });
  });

  test('can go by one metric instead of the whole try', () => {
    const mixed = { ...tryResult('fail'), scores: [
      { metric: 'short', status: 'pass' as const, value: 1, reason: null, skip: false }, { metric: 'polite', status: 'fail' as const, value: 0, reason: null, skip: false },
      { metric: 'odd', status: 'error' as const, value: null, reason: 'x', skip: false },
    ] };
    expect(['short', 'polite', 'odd', 'none'].map((metric) => countTries([mixed], metric, null))).toEqual([{ passes: 1, tries: 1 }, { passes: 0, tries: 1 }, { passes: 0, tries: 0 }, { passes: 0, tries: 0 }]);
  });
});

describe('proficiency', () => {
  test('is the mean of the references’ pass rates, with the interval of their difference', () => {
    const found = proficiencyOf([table(5, 0), table(5, 5), table(2, 1, 2)]);
    expect(found).toMatchObject({ n: 3, base: 1, head: 0.5, difference: -0.5 });
    expect(found.low).toBeLessThan(-0.5);
    expect(found.high).toBeGreaterThan(-0.5);
  });

  test('leaves out what was not judged on both sides, and shows the one side that a sweep has', () => {
    const oneSide: Table = { base: { passes: 0, tries: 0 }, head: { passes: 1, tries: 2 } };
    expect(proficiencyOf([table(5, 5), oneSide])).toMatchObject({ n: 1, base: 1, head: 1, difference: 0 });
    expect(proficiencyOf([oneSide, oneSide])).toEqual({ n: 2, base: null, head: 0.5, difference: null, low: null, high: null });
    expect(proficiencyOf([])).toEqual({ n: 0, base: null, head: null, difference: null, low: null, high: null });
  });
});

describe('verdicts of groups', () => {
  const broken = [...Array.from({ length: 15 }, () => table(5, 1)), ...Array.from({ length: 45 }, () => table(5, 5))];
  /** Group 0 is broken; each other one shares three of its references. */
  const groups = [range(0, 15), ...range(0, 5).map((j) => [...range(j * 3, j * 3 + 3), ...range(15 + j * 9, 24 + j * 9)])];

  test('call the broken group and not its neighbours, which are said to be explained by it', () => {
    const found = groupVerdicts(broken, groups, options);
    expect(found.map(({ verdict }) => verdict)).toEqual(['regressed', ...Array.from({ length: 5 }, () => 'no change seen')]);
    expect(found.map(({ explainedBy }) => explainedBy)).toEqual([[], [0], [0], [0], [0], [0]]);
    expect(found[0]?.p).toBeLessThan(0.01);
    expect(found[1]?.p).toBeGreaterThan(0.05);
  });

  test('call a second group that broke on references of its own', () => {
    const tables = broken.map((one, i) => (i >= 15 && i < 24 ? table(5, 1) : one));
    expect(words(tables, groups).map((word, j) => (word === 'regressed' ? j : -1)).filter((j) => j >= 0)).toEqual([0, 1]);
  });

  test('of two groups with the same evidence call the one whose mean fell more', () => {
    const found = groupVerdicts(broken, [range(0, 60), range(0, 15)], options);
    expect(found.map(({ verdict }) => verdict)).toEqual(['no change seen', 'regressed']);
    expect(found[0]?.explainedBy).toEqual([1]);
  });

  test('mirror themselves for the better', () => {
    const tables = broken.map(({ base, head }) => ({ base: head, head: base }));
    expect(words(tables, groups)).toEqual(['improved', ...Array.from({ length: 5 }, () => 'no change seen')]);
  });

  test('need eight references that were compared', () => {
    const unjudged: Table = { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 5 } };
    const tables = [...Array.from({ length: 8 }, () => table(5, 0)), unjudged];
    expect(words(tables, [range(0, 8), range(0, 7), [...range(0, 7), 8]])).toEqual(['regressed', 'too few', 'too few']);
    expect(groupVerdicts(tables, [range(0, 7)], options)).toEqual([{ verdict: 'too few', p: null, explainedBy: [] }]);
    expect(groupVerdicts([], [], options)).toEqual([]);
  });

  test('are the same for the same seed', () => {
    const random = createRandom('same');
    const tables = Array.from({ length: 40 }, () => table(nextIndex(random, 6), nextIndex(random, 6)));
    const some = range(0, 6).map((j) => range(j * 5, j * 5 + 12));
    expect(groupVerdicts(tables, some, options)).toEqual(groupVerdicts(tables, some, options));
  });

  test('are false in few of many suites in which nothing changed, though fifteen groups are looked at', () => {
    const random = createRandom('unchanged suites');
    const passes = (rate: number): number => range(0, 3).filter(() => nextFloat(random) < rate).length;
    let suites = 0;
    for (let round = 0; round < 200; round++) {
      const tables = Array.from({ length: 40 }, () => { const rate = nextFloat(random); return table(passes(rate), passes(rate), 3); });
      const some = range(0, 15).map(() => range(0, 40).filter(() => nextFloat(random) < 0.3));
      const found = groupVerdicts(tables, some, { ...options, permutations: 199 });
      if (found.some(({ verdict }) => verdict === 'regressed')) suites++;
    }
    // At most 10 expected; 20 or more would be seen in less than 0.3 % of such simulations.
    expect(suites).toBeLessThan(20);
  }, 60_000);
});

describe('skill alignment', () => {
  test('is the share of references further apart than one, lower being better', () => {
    const pair = (expected: number | null, output: number | null) => ({ reference: 'r', expected, output });
    expect(misalignment([pair(5, 5), pair(5, 4), pair(5, 3), pair(1, 5)])).toBe(0.5);
    expect(misalignment([pair(null, 3), pair(3, null), pair(2, 1)])).toBe(0);
    expect(misalignment([pair(null, 3)])).toBeNull();
    expect(misalignment([])).toBeNull();
  });
});

describe('samples', () => {
  test('are the three largest drops, and none that did not drop', () => {
    const given = [table(5, 4), table(5, 0), table(5, 5), table(4, 1), table(5, 2), table(0, 5)].map((one, index) => ({ id: `r${index}`, table: one }));
    expect(largestDrops(given)).toEqual([
      { kind: 'drop', reference: 'r1', base: 1, head: 0 }, { kind: 'drop', reference: 'r3', base: 0.8, head: 0.2 }, { kind: 'drop', reference: 'r4', base: 1, head: 0.4 },
    ]);
    expect(largestDrops([{ id: 'x', table: { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 5 } } }])).toEqual([]);
  });

  test('are the answers that use a skill otherwise, head’s before base’s', () => {
    const pair = (reference: string, expected: number | null, output: number | null) => ({ reference, expected, output });
    expect(otherSkills({ base: [pair('a', 5, 1), pair('b', 4, 3)], head: [pair('a', 5, 1), pair('b', 1, 3), pair('c', null, 1), pair('d', 1, 5)] })).toEqual([
      { kind: 'skill', reference: 'a', side: 'head', expected: 5, output: 1 }, { kind: 'skill', reference: 'd', side: 'head', expected: 1, output: 5 },
      { kind: 'skill', reference: 'a', side: 'base', expected: 5, output: 1 },
    ]);
  });
});
