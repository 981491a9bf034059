import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { viewIn } from '../../../stand-ins/reports.ts';
import { createRepository, temporaryFolder } from '../../../stand-ins/repository.ts';
import { openShop } from '../../../unit/app/commands/shop.ts';
import {
  referenceOf,
  regression,
  resultOf,
  sideOf,
  suiteOf,
} from '../../../unit/report/results.ts';

/** A full sweep of one suite at a commit, where `passed` of ten references passed. */
function sweepAt(sha: string, passed: number) {
  const references = Array.from({ length: 10 }, (_, index) => {
    const outcome = index < passed ? 'pass' : 'fail';
    return referenceOf(`r${index}`, outcome, { head: sideOf([{ outcome, actual: 'x' }]) });
  });
  const suites = [suiteOf('capitals', references, { verdict: 'not_compared' })];
  return resultOf({ mode: 'sweep', base: null, head: { sha }, suites });
}

const evaldiff = (cwd: string, ...args: string[]) => commandIn(cwd, ['report', ...args]);

/** Writes the results below `sweeps/`. The first file is the newest. */
function write(folder: string, results: Record<string, unknown>) {
  for (const [index, [path, value]] of Object.entries(results).entries()) {
    const file = join(folder, 'sweeps', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
    utimesSync(file, 1_700_000_000, 1_700_000_000 - index * 86_400);
  }
  return folder;
}

const rates = (json: string) =>
  (JSON.parse(json) as { points: { suites: { pass_rate: number | null }[] }[] }).points.map(
    ({ suites }) => suites[0]!.pass_rate,
  );

const ONE = { 'result.json': sweepAt('a'.repeat(40), 1) };
const NO_PATHS =
  '--history: needs result.json files or folders with them (evaldiff report --history main sweeps/)\n';
const noBranch = (name: string) =>
  `"${name}" is not a branch, tag or commit of this repository. Give a branch, a tag or a full commit id. Branches here: main.\n`;

describe('evaldiff report --history', () => {
  test('shows runs of all references in commit order, not by file time, and lists the files that it leaves out', async () => {
    const repository = createRepository();
    const [one, two, three] = ['1', '2', '3'].map((text) => repository.commit(text, { a: text }));
    repository.git('switch', '--quiet', '--create', 'topic');
    const elsewhere = repository.commit('topic', { b: '1' });
    const folder = write(repository.directory, {
      'a/result.json': sweepAt(one!, 5),
      'b/result.json': sweepAt(two!, 9),
      'c/result.json': sweepAt(three!, 7),
      'again/result.json': sweepAt(two!, 8),
      'topic/result.json': sweepAt(elsewhere, 1),
      'pull/result.json': { ...regression(), head: { sha: three! } },
      'empty/result.json': resultOf({ conclusion: 'error' }),
      'local/result.json': sweepAt('worktree', 2),
      'hostile/result.json': sweepAt('--output=pwned\u001b[31m', 3),
    });
    const { code, out } = await evaldiff(folder, '--history', 'main', 'sweeps');
    expect(code).toBe(0);
    expect(out).toContain('Pass rates over time – 4 results');
    expect(out).toMatch(/capitals +▁\S{3} +70\.0 % +−20\.0 points +50\.0 % +90\.0 % +4/);
    const text = out.replaceAll(/\/\n\s*/g, '/').replaceAll(/\s+/g, ' ');
    for (const left of [
      '1 result from comparisons, which run only affected tests: sweeps/pull/result.json',
      '1 result in which nothing was judged: sweeps/empty/result.json',
      '1 result of uncommitted files: sweeps/local/result.json (working tree).',
      '2 results of commits that are not on main: sweeps/hostile/result.json (--outpu), sweeps/topic/result.json',
    ])
      expect(text).toContain(`Left out: ${left}`);
    // Both results are of one commit, but the file of "again" is older than that of "b".
    const { out: json } = await evaldiff(folder, '--history', 'main', 'sweeps', '--json');
    expect(rates(json)).toEqual([0.5, 0.8, 0.9, 0.7]);
    expect(rates((await evaldiff(folder, '--history', 'topic', 'sweeps', '--json')).out)).toEqual([
      0.5, 0.8, 0.9, 0.7, 0.1,
    ]);
    // A single argument is the path, and the branch is the default branch.
    expect((await evaldiff(folder, '--history', 'sweeps', '--json')).out).toBe(json);
    expect((await evaldiff(folder, 'sweeps', '--history', '--json')).out).toBe(json);
  });

  test('renders an HTML page or Markdown', async () => {
    const repository = createRepository();
    const folder = write(repository.directory, {
      'a/result.json': sweepAt(repository.commit('one'), 5),
      'b/result.json': sweepAt(repository.commit('two'), 9),
    });
    const trend = (...more: string[]) => evaldiff(folder, '--history', 'main', 'sweeps', ...more);
    expect(await trend('--format', 'html', '--out', 'trend.html')).toEqual({
      ...{ code: 0, out: '', err: 'wrote trend.html\n' },
    });
    const shown = viewIn(readFileSync(join(folder, 'trend.html'), 'utf8'));
    expect(shown.trend?.series[0]?.latest).toBe(
      'latest 90.0 %, +40.0 points since the previous result',
    );
    const { code, out } = await commandIn(folder, ['view', '--no-open', 'sweeps']);
    expect([code, out]).toEqual([0, expect.stringMatching(/^file:.*report-1\.html\n$/)]);
    expect(viewIn(readFileSync(new URL(out.trim()), 'utf8')).trend).toEqual(shown.trend);
    expect((await trend('--format', 'markdown')).out).toContain(
      '**Pass rates over time** – 2 results',
    );
  });

  test('sorts by file time outside a git repository, and says so', async () => {
    const folder = write(temporaryFolder('plain'), {
      'new/result.json': sweepAt('b'.repeat(40), 9),
      'old/result.json': sweepAt('a'.repeat(40), 5),
    });
    const { code, out } = await evaldiff(folder, '--history', 'sweeps');
    expect([code, out.replaceAll(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringMatching(
        /90\.0 % \+40\.0 points.*Not a git repository: results are sorted by file time\./,
      ),
    ]);
    expect((await evaldiff(folder, '--history', 'main', 'sweeps')).err).toBe(
      `--history main: ${folder} is not a git repository with commits; omit the branch to sort results by file time, or set the repository with --directory\n`,
    );
  });

  test.each<[string, Record<string, unknown>, string[], string]>([
    ['no paths', {}, ['--history'], NO_PATHS],
    ['a branch and no paths', {}, ['--history', 'main'], NO_PATHS],
    ['a branch that does not exist', ONE, ['--history', 'mian', 'sweeps'], noBranch('mian')],
    [
      'a branch that is an option',
      ONE,
      ['--history=--upload-pack=id', 'sweeps'],
      noBranch('--upload-pack=id'),
    ],
    [
      'a folder without results',
      { 'notes.json': {} },
      ['--history', 'main', 'sweeps'],
      'sweeps: holds neither a result.json, nor a report-<try>.yaml\n',
    ],
    [
      'results of other versions, all at once',
      { 'a/result.json': { schema_version: 1 }, 'b/result.json': '{' },
      ['--history', 'main', 'sweeps'],
      'sweeps/a/result.json: was made before 1.0: run again\nsweeps/b/result.json: is not JSON, or is incomplete; give the result.json that a run wrote\n',
    ],
    [
      'comparisons alone',
      { 'result.json': regression() },
      ['--history', 'main', 'sweeps'],
      'no result of a full sweep of main was found; give the results of full sweeps (mode: sweep, or evaldiff run with nothing uncommitted)\nLeft out: 1 result from comparisons, which run only affected tests: sweeps/result.json (9e8d7c6).\n',
    ],
    [
      'JUnit',
      { 'result.json': regression() },
      ['--history', 'main', 'sweeps', '--format', 'junit'],
      '--format junit renders one result.json; for a trend use terminal, markdown, html or json\n',
    ],
    [
      'a file that cannot be written',
      { 'result.json': regression() },
      ['sweeps/result.json', '--out', 'sweeps/result.json/page.txt'],
      expect.stringMatching(
        /^sweeps\/result\.json\/page\.txt: cannot be written: .*EEXIST/,
      ) as unknown as string,
    ],
  ])('of %s is refused with advice, and prints nothing', async (_, results, args, err) => {
    const repository = createRepository();
    repository.commit('one', { a: '1' });
    expect(await evaldiff(write(repository.directory, results), ...args)).toEqual({
      code: 2,
      out: '',
      err,
    });
  });
});

describe('a trend of local runs', () => {
  test('includes runs even if earlier reports, recordings and stores are uncommitted files in the folder', async () => {
    const shop = await openShop({ references: 2 });
    const written = ['--report', 'evaldiff-report', '--record', 'said.jsonl', '--store', 'a.db'];
    const shaOf = async (...options: string[]) =>
      (JSON.parse((await shop.evaldiff('run', '--json', ...options)).out) as Result).head.sha;
    await shaOf(...written);
    const head = shop.repository.git('rev-parse', 'HEAD').trim();
    expect(shop.repository.git('status', '--short')).toContain('evaldiff-report/');
    expect(await shaOf(...written)).toBe(head);
    // A recording of another run is an ordinary file that this run may replay.
    expect(await shaOf('--store', 'a.db')).toBe('worktree');
    shop.repository.write({ '.gitignore': 'said.jsonl\na.db*\n' });
    const ignoring = shop.repository.commit('ignore', { '.gitignore': 'said.jsonl\na.db*\n' });
    expect(await shaOf('--store', 'a.db')).toBe(ignoring);
  });

  test('includes runs of commits and excludes runs of uncommitted files', async () => {
    const shop = await openShop({ references: 2 });
    const results = temporaryFolder('results');
    const evaluated = async (name: string) => {
      await shop.evaldiff('run', '--report', join(results, name));
      return (JSON.parse(readFileSync(join(results, name, 'result.json'), 'utf8')) as Result).head
        .sha;
    };
    const before = await evaluated('before');
    shop.repository.write({ 'prompts/tests/more.yaml': 'references: []\n' });
    expect([before, await evaluated('untracked')]).toEqual([
      shop.repository.git('rev-parse', 'HEAD').trim(),
      'worktree',
    ]);
    const after = shop.repository.commit('more', {
      'prompts/tests/more.yaml': 'references: []\n',
    });
    expect(await evaluated('after')).toBe(after);
    const { code, out } = await shop.evaldiff('report', '--history', 'main', results);
    expect([code, out]).toEqual([0, expect.stringContaining('Pass rates over time – 2 results')]);
    expect(out).toContain('1 result of uncommitted files');
  });
});
