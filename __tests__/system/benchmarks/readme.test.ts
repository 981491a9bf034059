import { readdirSync, readFileSync } from 'node:fs';
import { median, rounded, spread, table } from '../../../benchmarks/measure/markdown.ts';
import { usageIn } from '../../../benchmarks/measure/process.ts';
import { benchmarksIn, withTables } from '../../../benchmarks/measure/readme.ts';

const folder = new URL('../../../benchmarks/', import.meta.url);
const page = readFileSync(new URL('README.md', folder), 'utf8');
/** `run` runs the other benchmarks. The rest of the list have their own pages. */
const OTHERS = ['run', 'agents', 'attributes', 'causes', 'graders', 'seeds', 'verdicts'];

describe('benchmarks/README.md', () => {
  test('has exactly one section for each benchmark', () => {
    const programs = readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.slice(0, -'.ts'.length));
    expect(benchmarksIn(page).toSorted()).toEqual(
      programs.filter((name) => !OTHERS.includes(name)).toSorted(),
    );
    for (const name of OTHERS.filter((other) => other !== 'run'))
      expect(page).toContain(`](${name}.md)`);
  });

  test('has results in every section, with date, method and machine', () => {
    const places = benchmarksIn(page).map((name) =>
      page.slice(page.indexOf(`<!-- bench:${name} -->`), page.indexOf(`<!-- /bench:${name} -->`)),
    );
    expect(places.length).toBeGreaterThan(0);
    for (const text of places)
      expect(text).toMatch(
        /\d[^]*\n\n_\d{4}-\d\d-\d\d, `npm run bench -- [a-z]+`, [\d.]+ min; \d+ cores .*, Node \d+\.[\d.]+/,
      );
  });
});

describe('the output of a benchmark', () => {
  test('replaces only its previous output', () => {
    const before =
      'a\n<!-- bench:one -->\nold\n<!-- /bench:one -->\nb\n<!-- bench:two -->\n<!-- /bench:two -->\n';
    const after = withTables(before, 'one', '\nnew\n');
    expect(after).toBe(
      'a\n<!-- bench:one -->\nnew\n<!-- /bench:one -->\nb\n<!-- bench:two -->\n<!-- /bench:two -->\n',
    );
    expect(withTables(after, 'one', 'new')).toBe(after);
    expect(() => withTables(before, 'three', 'x')).toThrow('no place for three');
  });

  test('shows the median with the range, to three significant figures', () => {
    expect([median([3, 1, 2]), median([4, 1])]).toEqual([2, 2.5]);
    expect([spread([1.204, 1.1, 1.4]), spread([7]), spread([1.001, 1.002])]).toEqual([
      '1.20 (1.10–1.40)',
      '7.00',
      '1.00',
    ]);
    expect([0, 0.126, 12.34, 123.4, 12_345].map(rounded)).toEqual([
      '0.00',
      '0.13',
      '12.3',
      '123',
      '12,345',
    ]);
    expect(table(['a', 'b'], [['x', '1']])).toBe('| a | b |\n| --- | ---: |\n| x | 1 |');
  });

  test("sums CPU time over a program's processes and reports the peak memory of the largest", () => {
    expect(usageIn('{"cpuSeconds":1,"peakMb":10}\n{"cpuSeconds":2,"peakMb":5}\n')).toEqual({
      cpuSeconds: 3,
      peakMb: 10,
    });
  });
});
