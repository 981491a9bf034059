import { readdirSync, readFileSync } from 'node:fs';
import { benchmarksIn } from '../../../benchmarks/measure/readme.ts';

const folder = new URL('../../../benchmarks/', import.meta.url);
const page = readFileSync(new URL('README.md', folder), 'utf8');
/** `run` runs the other benchmarks. `imports` and `viewer` compare with what a user names or installs. */
const WITHOUT_RESULTS = ['run', 'imports', 'viewer'];
const PAGES = ['agents', 'attributes', 'causes', 'coverage', 'graders', 'seeds', 'verdicts'];

describe('benchmarks/README.md', () => {
  test('has exactly one section for each benchmark', () => {
    const programs = readdirSync(folder)
      .filter((name) => name.endsWith('.ts'))
      .map((name) => name.slice(0, -'.ts'.length));
    expect(benchmarksIn(page).toSorted()).toEqual(
      programs.filter((name) => ![...WITHOUT_RESULTS, ...PAGES].includes(name)).toSorted(),
    );
    for (const name of PAGES) expect(page).toContain(`](${name}.md)`);
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
