import { describe, expect, test } from '@jest/globals';
import { misalignment } from '../../../../src/features/attributes/affinity.ts';
import { countTries, proficiencyOf } from '../../../../src/features/attributes/proficiency.ts';
import { largestDrops, otherSkills } from '../../../../src/features/attributes/tables.ts';
import type { Table } from '../../../../src/kernel/statistics/table.ts';
import { tryResult } from '../../app/run/builders.ts';

const table = (base: number, head: number, tries = 5): Table => ({
  base: { passes: base, tries },
  head: { passes: head, tries },
});

describe('counting tries', () => {
  test('takes passes and fails alone, up to the shared number of tries', () => {
    const tries = (['pass', 'fail', 'ungraded', 'error', 'skipped', 'pass'] as const).map(
      (outcome, index) => tryResult(outcome, index),
    );
    expect(countTries(tries, null, null)).toEqual({ passes: 2, tries: 3 });
    expect(countTries(tries, null, 2)).toEqual({ passes: 1, tries: 2 });
  });

  test('can go by one metric instead of the whole try', () => {
    const mixed = {
      ...tryResult('fail'),
      scores: [
        { metric: 'short', status: 'pass' as const, value: 1, reason: null, skip: false },
        { metric: 'polite', status: 'fail' as const, value: 0, reason: null, skip: false },
        { metric: 'odd', status: 'error' as const, value: null, reason: 'x', skip: false },
      ],
    };
    expect(
      ['short', 'polite', 'odd', 'none'].map((metric) => countTries([mixed], metric, null)),
    ).toEqual([
      { passes: 1, tries: 1 },
      { passes: 0, tries: 1 },
      { passes: 0, tries: 0 },
      { passes: 0, tries: 0 },
    ]);
  });
});

describe('proficiency', () => {
  test("is the mean of the references' pass rates, with the interval of their difference", () => {
    const found = proficiencyOf([table(5, 0), table(5, 5), table(2, 1, 2)]);
    expect(found).toMatchObject({ n: 3, base: 1, head: 0.5, difference: -0.5 });
    expect(found.low).toBeLessThan(-0.5);
    expect(found.high).toBeGreaterThan(-0.5);
  });

  test('leaves out what was not judged on both sides, and shows the one side that a sweep has', () => {
    const oneSide: Table = { base: { passes: 0, tries: 0 }, head: { passes: 1, tries: 2 } };
    expect(proficiencyOf([table(5, 5), oneSide])).toMatchObject({
      n: 1,
      base: 1,
      head: 1,
      difference: 0,
    });
    expect(proficiencyOf([oneSide, oneSide])).toEqual({
      n: 2,
      base: null,
      head: 0.5,
      difference: null,
      low: null,
      high: null,
    });
    expect(proficiencyOf([])).toEqual({
      n: 0,
      base: null,
      head: null,
      difference: null,
      low: null,
      high: null,
    });
  });
});

describe('skill alignment', () => {
  test('is the share of references further apart than one, lower being better', () => {
    const pair = (expected: number | null, output: number | null) => ({
      reference: 'r',
      expected,
      output,
    });
    expect(misalignment([pair(5, 5), pair(5, 4), pair(5, 3), pair(1, 5)])).toBe(0.5);
    expect(misalignment([pair(null, 3), pair(3, null), pair(2, 1)])).toBe(0);
    expect(misalignment([pair(null, 3)])).toBeNull();
    expect(misalignment([])).toBeNull();
  });
});

describe('samples', () => {
  test('are the three largest drops, and none that did not drop', () => {
    const given = [
      table(5, 4),
      table(5, 0),
      table(5, 5),
      table(4, 1),
      table(5, 2),
      table(0, 5),
    ].map((counts, index) => ({ id: `r${index}`, table: counts, weight: 1 }));
    expect(largestDrops(given)).toEqual([
      { kind: 'drop', reference: 'r1', base: 1, head: 0 },
      { kind: 'drop', reference: 'r3', base: 0.8, head: 0.2 },
      { kind: 'drop', reference: 'r4', base: 1, head: 0.4 },
    ]);
    expect(
      largestDrops(given.map((row, index) => ({ ...row, weight: index === 1 ? 0 : 0.5 }))).map(
        ({ reference }) => reference,
      ),
    ).toEqual(['r3', 'r4', 'r0']);
    expect(
      largestDrops(
        [table(5, 2), table(4, 1)].map((counts, index) => ({
          id: `r${index}`,
          table: counts,
          weight: (index + 1) / 2,
        })),
      ).map(({ reference }) => reference),
    ).toEqual(['r1', 'r0']);
    expect(
      largestDrops([
        {
          id: 'x',
          weight: 1,
          table: { base: { passes: 0, tries: 0 }, head: { passes: 0, tries: 5 } },
        },
      ]),
    ).toEqual([]);
  });

  test("are the answers that use a skill otherwise, head's before base's", () => {
    const pair = (reference: string, expected: number | null, output: number | null) => ({
      reference,
      expected,
      output,
    });
    expect(
      otherSkills({
        base: [pair('a', 5, 1), pair('b', 4, 3)],
        head: [pair('a', 5, 1), pair('b', 1, 3), pair('c', null, 1), pair('d', 1, 5)],
      }),
    ).toEqual([
      { kind: 'skill', reference: 'a', side: 'head', expected: 5, output: 1 },
      { kind: 'skill', reference: 'd', side: 'head', expected: 1, output: 5 },
      { kind: 'skill', reference: 'a', side: 'base', expected: 5, output: 1 },
    ]);
  });
});
