import { describe, expect, test } from '@jest/globals';
import { findBroken } from '../../../src/statistics/reference-tests.ts';
import { referenceTest } from '../../../src/statistics/reference-tests.ts';
import fc, { draws } from '../../fuzz.ts';
import { anyTables, outcomes } from './arbitraries.ts';
import type { Row } from './vectors.ts';
import { tablesOf } from './vectors.ts';

const broke: Row = [5, 5, 0, 5];
const fine: Row = [5, 5, 5, 5];
const repeat = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);

describe('findBroken', () => {
  test('names the one table that broke among many that did not', () => {
    const found = findBroken(tablesOf([...repeat(30, fine), broke, ...repeat(20, fine)]), 0.02);
    expect(found.hits).toEqual([30]);
    expect(found.level).toBeCloseTo(1 / 252, 12);
    expect(found.thresholds.rest).toBeCloseTo(1 / 252, 12);
  });

  test('can name five broken tables of five tries within 0.02, but not six', () => {
    expect(findBroken(tablesOf(repeat(5, broke)), 0.02).hits).toEqual([0, 1, 2, 3, 4]);
    expect(findBroken(tablesOf(repeat(6, broke)), 0.02)).toEqual({
      level: 0,
      thresholds: { first: 0, rest: 0 },
      hits: [],
    });
  });

  test('serves some tables first: they are found where the crowd alone would hide them', () => {
    const tables = tablesOf([...repeat(9, [4, 5, 1, 5]), broke]);
    expect(findBroken(tables, 0.02).hits).toEqual([]);
    const found = findBroken(tables, 0.02, [9]);
    expect(found.hits).toEqual([9]);
    expect(found.level).toBeLessThanOrEqual(0.02);
  });

  test('the rest gets no more than those served first leave of the cap', () => {
    const found = findBroken(tablesOf(repeat(6, broke)), 0.02, [2]);
    expect(found).toEqual({
      level: expect.closeTo(1 / 252, 12),
      thresholds: { first: expect.closeTo(1 / 252, 12), rest: 0 },
      hits: [2],
    });
  });

  test('leaves to the rest what those served first cannot use', () => {
    expect(findBroken(tablesOf([fine, broke]), 0.02, [0]).hits).toEqual([1]);
  });

  test('hits anything in an unchanged suite exactly as often as its level says, which is at most the cap', () => {
    const input = fc.record({
      tables: anyTables(4, 5),
      cap: fc.double({ min: 0.001, max: 0.5, noNaN: true }),
      first: fc.subarray([0, 1, 2, 3]),
    });
    fc.assert(
      fc.property(input, ({ tables, cap, first }) => {
        const { level } = findBroken(tables, cap, first);
        const chance = outcomes(tables)
          .filter((outcome) => findBroken(outcome.tables, cap, first).hits.length > 0)
          .reduce((sum, { probability }) => sum + probability, 0);
        expect(chance).toBeCloseTo(level, 10);
        expect(level).toBeLessThanOrEqual(cap * (1 + 1e-8));
      }),
      { numRuns: draws(60) },
    );
  });

  test('no attainable threshold above the chosen one would have kept the cap', () => {
    fc.assert(
      fc.property(anyTables(6, 6), (tables) => {
        const cap = 0.05;
        const {
          thresholds: { rest },
        } = findBroken(tables, cap);
        const levels = tables.map((table) => referenceTest(table).levels);
        const next = Math.min(...levels.flat().filter((level) => level > rest * (1 + 1e-8)));
        const chance =
          1 -
          levels.reduce(
            (product, own) =>
              product * (1 - Math.max(0, ...own.filter((level) => level <= next * (1 + 1e-9)))),
            1,
          );
        expect(next === Infinity || chance > cap).toBe(true);
      }),
    );
  });

  test.each([0, 0.02])('finds nothing in no table at cap %d', (cap) => {
    expect(findBroken([], cap)).toEqual({ level: 0, thresholds: { first: 0, rest: 0 }, hits: [] });
  });
});
