import { readFileSync } from 'node:fs';
import { FIXES } from '../../../benchmarks/verdicts/fix-rows.ts';
import { inWords, least, missesOf, most } from '../../../benchmarks/verdicts/goals.ts';
import { LEDGER } from '../../../benchmarks/verdicts/ledger-rows.ts';
import {
  pageOf,
  withShortTable,
  type Measured,
  type Page,
} from '../../../benchmarks/verdicts/page.ts';
import { FALLEN, PROMISES, UNCHANGED } from '../../../benchmarks/verdicts/rows.ts';
import {
  LAWS,
  drawSuite,
  nothing,
  randomOf,
  type Law,
} from '../../../benchmarks/verdicts/scenarios.ts';
import { SCORES } from '../../../benchmarks/verdicts/scores.ts';
import { simulate } from '../../../benchmarks/verdicts/simulate.ts';
import { SPEED } from '../../../benchmarks/verdicts/speed-rows.ts';
import { DRIFT, EROSION } from '../../../benchmarks/verdicts/time-rows.ts';

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('the verdict simulation', () => {
  test.each<[Law, number]>([
    ['all 0.95', 0.95],
    ['Beta(½, ½)', 0.5],
    ['Beta(0.4, 0.1)', 0.8],
    ['bimodal', 0.74],
  ])('has the expected mean pass rate for %s', (law, expected) => {
    const { base } = drawSuite(20_000, law, nothing, randomOf(law));
    expect(Math.abs(mean(base) - expected)).toBeLessThan(0.01);
    expect(Object.keys(LAWS)).toContain(law);
  });

  test('adds tries as evaldiff does, reaches the same verdicts and counts the tries', () => {
    const random = randomOf('one');
    const all = { base: Array<number>(20).fill(1), head: Array<number>(20).fill(1) };
    expect(simulate([all], 'adaptive', random)).toMatchObject({ colour: 'green', calls: 4 });
    expect(simulate([all], 3, random)).toMatchObject({ colour: 'green', calls: 6 });
    const none = { base: all.base, head: Array<number>(20).fill(0) };
    expect(simulate([none], 'adaptive', random)).toMatchObject({ colour: 'red', calls: 4 });
  });

  test('excludes tries that ended in errors, and adds the tries that critical references require', () => {
    const all = drawSuite(50, 'all 1.0', nothing, randomOf('errors'));
    const errors = simulate([{ ...all, errors: 0.05 }], 2, randomOf('errors'));
    expect(errors).toMatchObject({ calls: 4, single: 0 });
    expect(simulate([{ ...all, errors: 1 }], 2, randomOf('errors')).colour).toBe('grey');
    const five = simulate([{ ...all, critical: [0], criticalTries: 5 }], 'adaptive', randomOf(''));
    expect(five.calls).toBeCloseTo(4 + 6 / 50, 9);
    expect(five.single).toBeCloseTo(6 / 50, 9);
  });

  test.each([
    ['values that moved', SCORES, 'Pareto(1.1), 50 × 2 tries, × 1.5', true],
    ['an exploded value', SCORES, 'one of 50 explodes, 100 → 100,000: named', true],
    ['no value where nothing changed', SCORES, 'lognormal(0.5), nothing changed: any named', false],
    ['a fall that today confirms', DRIFT, '50 × 0.95, 5 break, the model is the same', true],
    ['no fall of the model alone', DRIFT, '50 × 0.95, the model lost 20 points', false],
    ['slow erosion', EROSION, '50 references, 8 pull requests lose 3 points each', true],
    ['no fix that restores nothing', FIXES, 'held × 1: restores nothing', false],
  ])('reports %s', async (_, rows, name, reported) => {
    const found = rows.find((own) => own.name === name);
    expect(await found!.run(randomOf('reported'))).toMatchObject({ reported });
  });
});

const row = (name: string, changes: Partial<Measured> = {}): Measured => ({
  name,
  goals: [most('red', 0.05), most('calls', 6.6)],
  shown: false,
  runs: 100,
  figures: { red: 0.034, green: 0.966, grey: 0, calls: 4, wrong: 0, named: 0, fixed: 0 },
  single: 0,
  ...changes,
});
const empty: Page = {
  ...{ promises: [], ledger: [], unchanged: [], fallen: [] },
  ...{ scores: [], drift: [], erosion: [], fixes: [], speed: [] },
};
const figures = row('').figures;

describe('a benchmark goal', () => {
  test('is printed in words', () => {
    const goals = [least('green', 1), least('red', 0.99), most('wrong', 0.055), most('calls', 4)];
    expect([...goals, most('reported', 0.05)].map(inWords)).toEqual([
      'green 100 %',
      'red ≥ 99 %',
      'bound wrong ≤ 5.5 %',
      '≤ 4.0 calls',
      '≤ 5 %',
    ]);
  });

  test('is reached by an equal figure and missed by any worse one', () => {
    const at = (red: number, calls: number) =>
      missesOf([row('one', { figures: { ...figures, red, calls } })]).map(
        ({ goal }) => goal.figure,
      );
    expect(at(0.05, 6.6)).toEqual([]);
    expect(at(0.0505, 6.6)).toEqual(['red']);
    expect(at(0.05, 6.601)).toEqual(['calls']);
    const [green] = missesOf([row('two', { goals: [least('green', 0.97)] })]);
    expect(green).toMatchObject({ measured: 0.966, errors: expect.closeTo(0.234, 3) });
  });

  test('throws an error if the results lack the figure that it needs', () => {
    expect(() => missesOf([{ ...row('one'), figures: {} }])).toThrow('one has no red');
  });
});

describe('the verdict pages', () => {
  const page = read('benchmarks/verdicts.md').replace(/ +/g, ' ');

  test('have a row for each simulation', () => {
    const reported = [SCORES, DRIFT, EROSION, FIXES, SPEED].flat();
    const simulated = [PROMISES, LEDGER, UNCHANGED, FALLEN].flat();
    for (const { name, goals } of [...simulated, ...reported])
      expect(page).toContain(`| ${name} | ${goals.map(inWords).join(', ') || '–'} |`);
  });

  test('show the measured table in docs/statistics.md', () => {
    const text = read('docs/statistics.md');
    expect(withShortTable(text, read('benchmarks/verdicts.md'))).toBe(text);
  });

  test('list exactly the missed goals and by how much', () => {
    const missed = pageOf({
      ...empty,
      promises: [row('one', { goals: [least('green', 0.99)] })],
      unchanged: [
        row('two'),
        row('three', { figures: { ...figures, red: 0.09, calls: 7 }, single: 0.42 }),
      ],
      fallen: [row('four', { goals: [most('wrong', 0.055)], figures: { ...figures, wrong: 0.2 } })],
      scores: [
        {
          name: 'five',
          goals: [least('reported', 0.9)],
          runs: 10,
          figures: { reported: 0.5, calls: 4 },
        },
        { name: 'six', goals: [], runs: 10, figures: { reported: 0.5, calls: 4 } },
      ],
    });
    const [, list = ''] = missed.split('## Goals that are not reached, and why');
    expect(list.split('\n').filter((line) => /^\| (?!row|---)/.test(line))).toEqual([
      '| one | green ≥ 99 % | 96.60 % | 2.4 |',
      '| five | ≥ 90 % | 50.00 % | 4.2 |',
      '| three | red ≤ 5 % | 9.00 % | 1.8 |',
      '| three | ≤ 6.6 calls | 7.000 | – |',
      '| four | bound wrong ≤ 5.5 % | 20.00 % | 6.4 |',
    ]);
    expect(list).toContain('single suspicious references are at most 0.4 a reference');
    expect(list).toContain('The highest false-alarm rate is 9.0 %.');
    expect(pageOf({ ...empty, unchanged: [row('two')] })).toContain('Every row reaches its goal.');
  });

  test('highlight figures that miss their goal', () => {
    const made = pageOf({
      ...empty,
      promises: [
        row('one', { shown: true, figures: { ...figures, green: 0.96, red: 0.09, calls: 7 } }),
      ],
    });
    const docs = withShortTable('<!-- verdicts -->\n<!-- /verdicts -->', made);
    expect(docs).toContain('| **9.0** | 96 | 0 | **7.0** |');
    expect(made).toContain('| **9.0** | 96 | 0 | **7.0** | 100 |');
  });

  test('copy only the simulations marked for docs/statistics.md to that page, in percent', () => {
    const made = pageOf({
      ...empty,
      promises: [row('one', { shown: true }), row('two')],
      ledger: [row('seven', { goals: [least('fixed', 0.9)] })],
      unchanged: [row('three')],
      fallen: [row('four', { goals: [most('wrong', 0.055)] })],
      scores: [{ name: 'five', goals: [], runs: 10, figures: { reported: 0.96, calls: 4 } }],
    });
    const docs = withShortTable('a\n<!-- verdicts -->\nold\n<!-- /verdicts -->\nb', made);
    expect(docs).toContain('| one | red ≤ 5 %, ≤ 6.6 calls | 3.4 | 97 | 0 | 4.0 |\n');
    expect(made).toContain('| one | red ≤ 5 %, ≤ 6.6 calls | 3.4 | 97 | 0 | 4.0 | 100 |');
    expect(docs).not.toMatch(/two|three|four|five|old/);
    expect(made).toContain('| four | bound wrong ≤ 5.5 % | 3.4 | 97 | 0 | 0 | 4.0 | 100 |');
    expect(made).toContain('| five | – | 96 | 4.00 | 10 |');
    expect(docs.startsWith('a\n') && docs.endsWith('\nb')).toBe(true);
    expect(() => withShortTable('no marks', made)).toThrow('no place');
  });
});
