import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { pageOf, withShortTable, type Measured } from '../../../benchmarks/verdicts/page.ts';
import { PROMISES, UNCHANGED } from '../../../benchmarks/verdicts/rows.ts';
import {
  LAWS,
  drawSuite,
  fiveAndFive,
  nothing,
  randomOf,
  turned,
  type Law,
} from '../../../benchmarks/verdicts/scenarios.ts';
import { isReported, SCORES } from '../../../benchmarks/verdicts/scores.ts';
import { simulate } from '../../../benchmarks/verdicts/simulate.ts';

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('the simulation behind the table of verdicts', () => {
  test.each<[Law, number]>([
    ['all 0.95', 0.95],
    ['Beta(½, ½)', 0.5],
    ['Beta(0.4, 0.1)', 0.8],
    ['bimodal', 0.74],
  ])('%s has the mean pass rate of its law', (law, expected) => {
    const { base } = drawSuite(20_000, law, nothing, randomOf(law));
    expect(Math.abs(mean(base) - expected)).toBeLessThan(0.01);
    expect(Object.keys(LAWS)).toContain(law);
  });

  test('goes through rounds and verdicts as a run does, at the cost of its tries', () => {
    const random = randomOf('one');
    const all = { base: Array<number>(20).fill(1), head: Array<number>(20).fill(1) };
    expect(simulate([all], 'adaptive', random)).toMatchObject({ colour: 'green', calls: 4 });
    expect(simulate([all], 3, random)).toMatchObject({ colour: 'green', calls: 6 });
    const none = { base: all.base, head: Array<number>(20).fill(0) };
    expect(simulate([none], 'adaptive', random)).toMatchObject({ colour: 'red', calls: 4 });
  });

  test('is red for one broken reference, also in one of ten suites', () => {
    const random = randomOf('ten');
    const broke = drawSuite(20, 'all 1.0', turned(1, 1, 0), random);
    const fine = drawSuite(20, 'all 1.0', nothing, random);
    const ten = [broke, ...Array.from({ length: 9 }, () => fine)];
    expect(simulate(ten, 'adaptive', random).colour).toBe('red');
    const mixed = drawSuite(50, 'all 1.0', fiveAndFive, random);
    expect(simulate([mixed], 5, random).colour).toBe('red');
  });

  test('is red where head errors in nine references of fifty, and not where in none', () => {
    const random = randomOf('silent');
    const all = drawSuite(50, 'all 1.0', nothing, random);
    expect(simulate([{ ...all, silent: 9 }], 'adaptive', random).colour).toBe('red');
    expect(simulate([{ ...all, silent: 0 }], 'adaptive', random).colour).toBe('green');
  });

  test('asks whether a score is said to have fallen, though all of it passes', () => {
    const reports = (by: number): boolean =>
      isReported({ name: '', goal: '', references: 30, by }, randomOf('scores'));
    expect(reports(-1)).toBe(true);
    expect(reports(1)).toBe(false);
  });
});

describe('the pages', () => {
  test('have a row for everything that is simulated', () => {
    const page = read('benchmarks/verdicts.md');
    for (const { name, goal } of [...PROMISES, ...UNCHANGED, ...SCORES])
      expect(page.replace(/ +/g, ' ')).toContain(`| ${name} | ${goal} |`);
  });

  test('agree: docs/verdicts.md has the table that was measured', () => {
    const [page, docs] = [read('benchmarks/verdicts.md'), read('docs/verdicts.md')];
    expect(withShortTable(docs, page)).toBe(docs);
  });

  test('show the promises alone between the marks, in per cent', () => {
    const row = (name: string, shown: boolean): Measured => ({
      name,
      goal: 'red ≤ 5 %',
      shown,
      runs: 10,
      red: 0.034,
      green: 0.966,
      grey: 0,
      calls: 4,
      wrong: 0,
    });
    const page = pageOf(
      [row('one', true), row('two', false)],
      [row('three', false)],
      [row('four', false)],
      [{ name: 'five', goal: '', share: 0.96, runs: 10 }],
    );
    const docs = withShortTable('a\n<!-- verdicts -->\nold\n<!-- /verdicts -->\nb', page);
    expect(docs).toContain('| one | red ≤ 5 % | 3.4 | 97 | 0 | 4.0 | 10 |');
    expect(docs).not.toMatch(/two|three|four|five|old/);
    expect(page).toContain('| five |  | 96 | 10 |');
    expect(docs.startsWith('a\n') && docs.endsWith('\nb')).toBe(true);
    expect(() => withShortTable('no marks', page)).toThrow('no place');
  });
});
