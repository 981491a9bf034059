import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Result } from '../../../src/kernel/result/result.ts';
import { temporaryFolder, type FixtureRepository } from '../../stand-ins/repository.ts';
import { commandsIn } from '../../stand-ins/runner-commands.ts';
import { obedient, quiz, WORSE } from './projects.ts';
import { bareEnvironment, startBundle, startCommand, type Ended } from './runner.ts';
import { desk, MODEL_KEY } from './stage.ts';

const resultOf = ({ stdout }: Ended) => JSON.parse(stdout) as Result;
const textOf = (repository: FixtureRepository, path: string) =>
  readFileSync(join(repository.directory, path), 'utf8');

describe('evaldiff diff', () => {
  test('compares the current files with main without a remote, and exits with 1 for a regression', async () => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const red = await evaldiff('diff', '--report', 'out');
    expect(red.code).toBe(1);
    expect(red.stdout).toContain('quiz 100 → 50 %: 3 of 6 tests broke');
    const last =
      'evaldiff: failure (the gate failed). Regressed: quiz 100 → 50 %: 3 of 6 tests broke';
    expect(red.stderr.trimEnd().split('\n').at(-1)).toBe(last);
    expect(red.stdout).not.toContain('evaldiff: failure');
    const affected = '6 references of 1 prompt affected: 24 calls for the first answers';
    expect(red.stderr).toContain(affected);
    expect(red.stderr).toMatch(/^report: .*\/out\/report\.html$/m);
    for (const name of ['report.html', 'junit.xml', 'comment.md'])
      expect([name, existsSync(join(repository.directory, 'out', name))]).toEqual([name, true]);
    expect(JSON.parse(textOf(repository, 'out/result.json'))).toMatchObject({
      conclusion: 'failure',
      trust: 'member',
      base: { sha: repository.git('rev-parse', 'HEAD') },
      head: { sha: 'worktree' },
    });
    expect(red.stdout + red.stderr).not.toContain(MODEL_KEY);

    repository.git('checkout', '--quiet', '--', '.');
    const asked = models.requests.length;
    const idle = await evaldiff('diff');
    expect([idle.code, models.requests.length]).toEqual([0, asked]);
    expect(idle.stdout).toContain('Nothing affected');
  });

  test('compares commits, takes overrides, and prints only the result as JSON', async () => {
    const { repository, evaldiff } = await desk();
    repository.git('switch', '--quiet', '--create', 'topic');
    const head = repository.commit('Worse', WORSE);
    repository.write({ 'prompts/quiz.yaml': 'broken, and not part of this' });
    const sides = ['--base', 'main', '--head', 'topic'];
    const run = await evaldiff('diff', ...sides, '--json', '--fail-on', 'never', 'n_tries=3');
    expect(run.code).toBe(0);
    expect(resultOf(run)).toMatchObject({ conclusion: 'neutral', n_tries: 3, head: { sha: head } });
    expect(resultOf(run).suites[0]?.compared).toEqual({ references: 6, tries: 3 });
  });

  test.each([
    ['a missing base', /trunk/, '--base', 'trunk'],
    ['an exceeded call limit', /This run would make 24 model calls/, '--max-calls', '3'],
    ['a missing settings file', /nowhere\.yaml: does not exist/, '--config', 'nowhere.yaml'],
    ['a missing folder', /no\/such\/folder|not a git repository/i, '-C', 'no/such/folder'],
  ])('reports %s in one line with exit code 2', async (_, said, ...args) => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const { code, stdout, stderr } = await evaldiff('diff', ...args);
    expect([code, `${stdout}${stderr}`.trim()]).toEqual([2, expect.stringMatching(said)]);
    expect(models.requests).toEqual([]);
  });
});

describe('evaldiff run', () => {
  test('evaluates the current files with every requested combination of model and parameters', async () => {
    const { evaldiff, models } = await desk(quiz({ questions: 2 }), (request) =>
      request.body['temperature'] === 1 ? { text: 'no idea' } : obedient(request),
    );
    const combinations = ['temperature=0,1', 'model=quiz-model,quiz-claude'];
    const run = await evaldiff('run', 'n_tries=1', ...combinations, '--json');
    expect(run.code).toBe(0);
    const rates = resultOf(run).suites.map(({ variant: { model, parameters }, pass_rate }) => [
      ...[model, parameters['temperature'], pass_rate.head],
    ]);
    expect(rates).toEqual([
      ['quiz-model', 0, 1],
      ['quiz-claude', 0, 1],
      ['quiz-model', 1, 0],
      ['quiz-claude', 1, 0],
    ]);
    expect(models.requests).toHaveLength(8);
    const failed = await evaldiff('run', 'n_tries=1', 'temperature=1', '--fail-on', 'failure');
    expect(failed.code).toBe(1);
    expect((await evaldiff('run', 'prompts=nothing-like-it')).code).toBe(2);
  });
});

describe('evaldiff without a model', () => {
  test('plan shows what runs and why, the source of each setting, and how many calls', async () => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const plan = await evaldiff('plan', '--verbose');
    expect(plan.code).toBe(0);
    const why = 'prompts/quiz.yaml: 6 references because of messages (prompts/quiz.yaml)';
    expect(plan.stdout).toContain(why);
    expect(plan.stdout).toContain('24 calls for the first answers');
    // Six references, which may all get extra tries: up to 40 on each side.
    const most = 6 * 2 * 40;
    expect(plan.stdout).toContain(`at most ${most} calls for all answers`);
    const json: unknown = JSON.parse((await evaldiff('plan', '--json')).stdout);
    expect((json as { answer_calls: unknown }).answer_calls).toEqual({ most });
    expect(plan.stdout).toMatch(/gate: base/);
    expect(models.requests).toEqual([]);
  });

  test('renders a saved result in every format and rejects other files', async () => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const { stdout } = await evaldiff('diff', '--report', 'out');
    const asked = models.requests.length;
    const report = (format: string) => evaldiff('report', 'out/result.json', '--format', format);
    expect(await report('terminal')).toEqual({ code: 1, stdout, stderr: '' });
    const files = { markdown: 'comment.md', html: 'report.html', junit: 'junit.xml' };
    // The page contains the result packed, with its keys in another order.
    const unpacked = (text: string) => text.replace(/ id="data">[^<]+/, '');
    for (const [format, file] of Object.entries(files))
      expect(unpacked((await report(format)).stdout)).toBe(
        unpacked(textOf(repository, `out/${file}`)),
      );
    expect(models.requests).toHaveLength(asked);

    const other = '{"schema_version": 1, "::error::": 2}';
    repository.write({ 'other.json': other, 'text.json': 'not JSON ::error::x' });
    for (const file of ['other.json', 'text.json', 'missing.json']) {
      const refused = await evaldiff('report', file);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toMatch(new RegExp(`^${file}`));
      expect(commandsIn(refused.stderr)).toEqual([]);
    }
  });
});

describe("Node's compile cache of the command line", () => {
  test.each([
    ["is stored in the user's cache folder", {}, true],
    ['is not stored in CI, where other users may have written it', { CI: 'true' }, false],
  ])('is stored on disk only outside CI: it %s', async (_name, env, kept) => {
    const home = temporaryFolder('home');
    const given = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: home, ...env };
    const { code } = await startBundle('cli/index.js', ['--version'], given, home);
    expect(code).toBe(0);
    expect(existsSync(join(home, 'evaldiff', 'compiled'))).toBe(kept);
  });
});

describe('evaldiff demo', () => {
  test('shows the comment of a real regression without a key or network, and keeps the reports', async () => {
    const folder = temporaryFolder('demo');
    const env = { ...bareEnvironment(), TMPDIR: folder };
    const { code, stdout, stderr } = await startBundle('cli/index.js', ['demo'], env, folder);
    expect([code, stderr]).toEqual([0, '']);
    const shown = stdout.split(/^─+$/m)[1] ?? '';
    expect(shown).toMatch(
      /^\n✗ Regressed: support, tags\n\n- support 100 → 70 %: 6 of 20 tests broke/,
    );
    // The terminal wraps lines.
    const text = shown.replace(/\s+/g, ' ');
    for (const words of [
      'Cause in support: prompts/support.yaml:12',
      'prompts/tags.yaml:12 and line 13, only together',
      'refund-late (prompts/tests/support.yaml:9) – 2 of 2 → 0 of 2',
      'Scoring',
    ])
      expect(text).toContain(words);
    expect(stdout).toContain('check run failure – Regressed: support');
    const report = /^Open in a browser: (.+)$/m.exec(stdout)?.[1] ?? '';
    expect(readFileSync(report, 'utf8')).toContain('refund-window');

    // The command in the comment reproduces the verdict, with the demo's programs as models.
    const reports = dirname(report);
    const comment = readFileSync(join(reports, 'comment.md'), 'utf8');
    const [, line = ''] =
      /Repeat it on your machine: (?:<code>|`)npx evaldiff ([^`<]+)/.exec(comment) ?? [];
    expect(line).toMatch(/^diff --base [0-9a-f]{7} --head [0-9a-f]{7} --code host$/);
    const again = [...line.split(' '), '--no-store', '--json'];
    const { code: same, ...printed } = await startCommand(again, env, dirname(reports));
    expect(same).toBe(1);
    const [, title] = /check run failure – (.+?)\. A required/.exec(stdout) ?? [];
    expect((JSON.parse(printed.stdout) as Result).title).toBe(title);
  });
});
