import { misalignment } from '../../../../src/features/attributes/affinity.ts';
import {
  largestDrops,
  otherSkills,
  outcomesOf,
  proficiencyOf,
} from '../../../../src/features/attributes/attribute-results.ts';
import { countOutcomes, type Table } from '../../../../src/kernel/statistics/table.ts';
import { tryResult } from '../../app/run/builders.ts';
import { triesOf } from '../../kernel/statistics/vectors.ts';
import { table } from './builders.ts';

describe('outcomes of tries', () => {
  test('count only if they are a pass or a fail, up to the number of tries that both sides have', () => {
    const tries = (['pass', 'fail', 'ungraded', 'error', 'skipped', 'pass'] as const).map(
      (outcome, index) => tryResult(outcome, index),
    );
    expect(countOutcomes(outcomesOf(tries, null, null))).toEqual({ passes: 2, tries: 3 });
    expect(countOutcomes(outcomesOf(tries, null, 2))).toEqual({ passes: 1, tries: 2 });
  });

  test('can come from one metric instead of the whole try', () => {
    const shared = { reason: 'x', skip: false };
    const scores = [
      { ...shared, metric: 'short', status: 'pass' as const, value: 1 },
      { ...shared, metric: 'polite', status: 'fail' as const, value: 0 },
      { ...shared, metric: 'odd', status: 'error' as const, value: null },
    ];
    const counted = (metric: string) =>
      countOutcomes(outcomesOf([{ ...tryResult('fail'), scores }], metric, null));
    expect(counted('short')).toEqual({ passes: 1, tries: 1 });
    expect(counted('polite')).toEqual({ passes: 0, tries: 1 });
    for (const metric of ['odd', 'none']) expect(counted(metric)).toEqual({ passes: 0, tries: 0 });
  });
});

const proficiency = (tables: Table[]) => proficiencyOf(triesOf(tables));

describe('proficiency', () => {
  test('is the mean pass rate of the references, with an interval of the difference', () => {
    const found = proficiency([table(5, 0), table(5, 5), table(2, 1, 2)]);
    expect(found).toMatchObject({ n: 3, base: 1, head: 0.5, difference: -0.5 });
    expect(found.low).toBeLessThan(-0.5);
    expect(found.high).toBeGreaterThan(-0.5);
  });

  test('excludes references not judged on both sides, except in a sweep, which has one side', () => {
    const oneSide: Table = { base: { passes: 0, tries: 0 }, head: { passes: 1, tries: 2 } };
    const both = proficiency([table(5, 5), oneSide]);
    expect(both).toMatchObject({ n: 1, base: 1, head: 1, difference: 0 });
    const nothing = { base: null, difference: null, low: null, high: null };
    expect(proficiency([oneSide, oneSide])).toEqual({ ...nothing, n: 2, head: 0.5 });
    expect(proficiency([])).toEqual({ ...nothing, n: 0, head: null });
  });
});

const pair = (expected: number, output: number, reference = 'r') => ({
  reference,
  expected,
  output,
});

describe('skill misalignment', () => {
  test('is the share of references where the expected and actual use of a skill differ by more than one point', () => {
    expect(misalignment([pair(5, 5), pair(5, 4), pair(5, 3), pair(1, 5)])).toBe(0.5);
    expect(misalignment([])).toBeNull();
  });
});

describe('samples of an attribute', () => {
  test('are the three largest drops, excluding references without a drop', () => {
    const row = (counts: Table, index: number, affinity = 5) => ({
      id: `r${index}`,
      table: counts,
      affinity,
    });
    const tables = [table(5, 4), table(5, 0), table(5, 5), table(4, 1), table(5, 2), table(0, 5)];
    expect(largestDrops(tables.map((counts, index) => row(counts, index)))).toEqual([
      { kind: 'drop', reference: 'r1', base: 1, head: 0 },
      { kind: 'drop', reference: 'r3', base: 0.8, head: 0.2 },
      { kind: 'drop', reference: 'r4', base: 1, head: 0.4 },
    ]);
    const ids = (rows: ReturnType<typeof row>[]) =>
      largestDrops(rows).map(({ reference }) => reference);
    expect(ids([row(table(5, 2), 0, 3), row(table(4, 1), 1, 5)])).toEqual(['r1', 'r0']);
    const untried = { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 5 } };
    expect(ids([row(untried, 0)])).toEqual([]);
  });

  test('are the answers that use a skill differently than expected, head before base', () => {
    const head = [pair(5, 1, 'a'), pair(1, 3, 'b'), pair(1, 5, 'd')];
    expect(otherSkills({ base: [pair(5, 1, 'a'), pair(4, 3, 'b')], head })).toEqual([
      { kind: 'skill', reference: 'a', side: 'head', expected: 5, output: 1 },
      { kind: 'skill', reference: 'd', side: 'head', expected: 1, output: 5 },
      { kind: 'skill', reference: 'a', side: 'base', expected: 5, output: 1 },
    ]);
  });
});
