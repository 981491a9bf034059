import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Result } from '../../../src/kernel/result/result.ts';
import type { Script } from '../../stand-ins/models/server.ts';
import {
  createRepository,
  temporaryFolder,
  type FixtureFiles,
  type FixtureRepository,
} from '../../stand-ins/repository.ts';
import { commandsIn } from '../../stand-ins/runner-commands.ts';
import { obedient, quiz, quizPrompt, WORSE } from './projects.ts';
import { bareEnvironment, startBundle, startCommand, type Ended } from './runner.ts';
import { endpointLines, MODEL_KEY, modelServer } from './stage.ts';

/**
 * A project on branch `main`, without a remote, and a model server that its commands are told of.
 */
async function desk(files: FixtureFiles = quiz(), answer: Script = obedient) {
  const models = await modelServer({ answer, key: MODEL_KEY });
  const repository = createRepository();
  repository.commit('Base', files);
  const evaldiff = (...args: string[]): Promise<Ended> =>
    startCommand(
      args,
      {
        ...bareEnvironment(),
        TMPDIR: temporaryFolder('tmp'),
        LOCAL_KEY: MODEL_KEY,
        EVALDIFF_ENDPOINTS: endpointLines(models),
      },
      repository.directory,
    );
  return { models, repository, evaldiff };
}

const resultOf = ({ stdout }: Ended): Result => JSON.parse(stdout) as Result;
const textOf = (repository: FixtureRepository, path: string): string =>
  readFileSync(join(repository.directory, path), 'utf8');

describe('evaldiff diff', () => {
  test('compares the files as they are with main, without a remote: exit code 1 for a regression, 0 for none', async () => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const red = await evaldiff('diff', '--report', 'out');
    expect(red.code).toBe(1);
    expect(red.stdout).toContain('✗ Regressed: quiz 100.0 % → 50.0 %');
    expect(red.stderr).toContain(
      '6 references of 1 prompt affected: 24 calls for the first answers',
    );
    expect(red.stderr).toMatch(/^report: .*\/out\/report\.html$/m);
    expect(
      ['result.json', 'report.html', 'junit.xml', 'comment.md'].filter(
        (name) => !existsSync(join(repository.directory, 'out', name)),
      ),
    ).toEqual([]);
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

  test('compares commits, takes overrides, and prints the result as JSON and nothing else', async () => {
    const { repository, evaldiff } = await desk();
    repository.git('switch', '--quiet', '--create', 'topic');
    const head = repository.commit('Worse', WORSE);
    repository.write({ 'prompts/quiz.yaml': 'broken, and not part of this' });
    const run = await evaldiff(
      'diff',
      '--base',
      'main',
      '--head',
      'topic',
      '--json',
      '--fail-on',
      'never',
      'n_tries=3',
    );
    expect(run.code).toBe(0);
    expect(resultOf(run)).toMatchObject({ conclusion: 'neutral', n_tries: 3, head: { sha: head } });
    expect(resultOf(run).suites[0]?.compared).toEqual({ references: 6, tries: 3 });
  });

  test('says in one line what stands in its way, with exit code 2', async () => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const told = async (...args: string[]) => {
      const { code, stdout, stderr } = await evaldiff(...args);
      return [code, `${stdout}${stderr}`.trim()];
    };
    expect(await told('diff', '--base', 'trunk')).toEqual([2, expect.stringMatching(/trunk/)]);
    expect(await told('diff', 'n_tries')).toEqual([2, 'overrides: n_tries: must be key=value']);
    expect(await told('diff', '--max-calls', '3')).toEqual([
      2,
      expect.stringMatching(/This run would make 24 model calls/),
    ]);
    expect(await told('diff', '--config', 'nowhere.yaml')).toEqual([
      2,
      expect.stringMatching(/nowhere\.yaml: does not exist/),
    ]);
    expect(await told('diff', '-C', 'no/such/folder')).toEqual([
      2,
      expect.stringMatching(/no\/such\/folder|not a git repository/i),
    ]);
    expect(models.requests).toEqual([]);
  });
});

describe('evaldiff run', () => {
  test('evaluates the current files in every combination that is asked for', async () => {
    const { evaldiff, models } = await desk(quiz({ questions: 2 }), (request) =>
      request.body['temperature'] === 1 ? { text: 'no idea' } : obedient(request),
    );
    const run = await evaldiff(
      'run',
      'n_tries=1',
      'temperature=0,1',
      'model=quiz-model,quiz-claude',
      '--json',
    );
    expect(run.code).toBe(0);
    expect(
      resultOf(run).suites.map(({ variant, pass_rate }) => [
        variant.model,
        variant.parameters['temperature'],
        pass_rate.head,
      ]),
    ).toEqual([
      ['quiz-model', 0, 1],
      ['quiz-claude', 0, 1],
      ['quiz-model', 1, 0],
      ['quiz-claude', 1, 0],
    ]);
    expect(models.requests).toHaveLength(8);
    expect((await evaldiff('run', 'n_tries=1', 'temperature=1', '--fail-on', 'failure')).code).toBe(
      1,
    );
    expect((await evaldiff('run', 'prompts=nothing-like-it')).code).toBe(2);
  });

  test('records answers that a replay gives again without a server', async () => {
    const { repository, evaldiff, models } = await desk(quiz({ questions: 2 }));
    const recorded = await evaldiff('run', 'n_tries=2', '--json', '--record', 'recordings.jsonl');
    expect(recorded.code).toBe(0);
    expect(textOf(repository, 'recordings.jsonl')).not.toContain(MODEL_KEY);
    const asked = models.requests.length;
    repository.write({
      'evaldiff.yaml':
        'models:\n  quiz-model: { provider: replay, file: recordings.jsonl, model: quiz-1, replaces: [quiz-1] }\n',
    });
    const replayed = await evaldiff('run', 'n_tries=2', '--json');
    const answers = (run: Ended) =>
      resultOf(run).suites[0]?.references.map(({ head }) =>
        head?.tries.map(({ actual, error }) => actual ?? error),
      );
    expect(answers(replayed)).toEqual(answers(recorded));
    expect([replayed.code, models.requests.length]).toEqual([0, asked]);
  });
});

describe('evaldiff without a model', () => {
  test('plans: what runs and why, what comes from which side, and how many calls', async () => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const plan = await evaldiff('plan', '--verbose');
    expect(plan.code).toBe(0);
    expect(plan.stdout).toContain(
      'prompts/quiz.yaml: 6 references because of messages (prompts/quiz.yaml)',
    );
    expect(plan.stdout).toContain('24 calls for the first answers');
    // Six references: five tries a side of each, and 36 more for as many as may be sampled on.
    const usual = /usually about (\d+) calls for all answers.*; at most (\d+)/.exec(plan.stdout);
    expect(Number(usual?.[1])).toBeGreaterThanOrEqual(24);
    expect(Number(usual?.[1])).toBeLessThan(60);
    expect(Number(usual?.[2])).toBe(6 * 2 * 41);
    const json = JSON.parse((await evaldiff('plan', '--json')).stdout) as {
      answer_calls: { usual: number; most: number };
    };
    expect(json.answer_calls).toEqual({ usual: Number(usual?.[1]), most: Number(usual?.[2]) });
    expect(plan.stdout).toMatch(/gate: base/);
    expect(models.requests).toEqual([]);
  });

  test('validates: no error, or all of them with exit code 2', async () => {
    const { repository, evaldiff } = await desk();
    expect(await evaldiff('validate')).toEqual({
      code: 0,
      stdout: '1 prompt with 6 references: no errors\n',
      stderr: '',
    });
    repository.write({
      'prompts/quiz.yaml': quizPrompt('Be exact.').replace('temperature: 0.5', 'temperature: hot'),
    });
    const wrong = await evaldiff('validate');
    expect([wrong.code, wrong.stdout]).toEqual([
      2,
      expect.stringContaining('prompts/quiz.yaml:4: temperature must be a number'),
    ]);
  });

  test('renders a saved result again in every form, and refuses what is none', async () => {
    const { repository, evaldiff, models } = await desk();
    repository.write(WORSE);
    const terminal = await evaldiff('diff', '--report', 'out');
    const asked = models.requests.length;
    const report = (format: string) => evaldiff('report', 'out/result.json', '--format', format);
    expect(await report('terminal')).toEqual({ code: 1, stdout: terminal.stdout, stderr: '' });
    expect((await report('markdown')).stdout).toBe(textOf(repository, 'out/comment.md'));
    expect((await report('html')).stdout).toBe(textOf(repository, 'out/report.html'));
    expect((await report('junit')).stdout).toBe(textOf(repository, 'out/junit.xml'));
    expect(models.requests).toHaveLength(asked);

    repository.write({
      'other.json': '{"schema_version": 1, "::error::": 2}',
      'text.json': 'not JSON ::error::x',
    });
    for (const file of ['other.json', 'text.json', 'missing.json']) {
      const refused = await evaldiff('report', file);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([
        2,
        '',
        expect.stringMatching(new RegExp(`^${file}`)),
      ]);
      expect(commandsIn(refused.stderr)).toEqual([]);
    }
  });

  test('helps, and takes what it does not know for a mistake', async () => {
    const { evaldiff } = await desk();
    const help = await evaldiff('--help');
    expect([help.code, help.stderr]).toEqual([0, '']);
    for (const command of ['diff', 'run', 'plan', 'validate', 'report', 'demo'])
      expect(help.stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
    expect(await evaldiff('diff', '--help')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('evaldiff diff prompts=capitals n_tries=5'),
    });
    expect(await evaldiff('dif')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/unknown command 'dif'[\s\S]*diff/),
    });
    expect(await evaldiff('diff', '--bse', 'main')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/unknown option '--bse'[\s\S]*--base/),
    });
    expect(await evaldiff('diff', '--fail-on', 'maybe')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('regression, failure, never'),
    });
  });
});

describe('what Node compiles of the command line', () => {
  test.each([
    ['is kept among the caches of its user', {}, true],
    ['is not kept in CI, where others may have been at work before', { CI: 'true' }, false],
  ])('%s', async (_name, env, kept) => {
    const home = temporaryFolder('home');
    const given = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: home, ...env };
    const { code } = await startBundle('cli/index.js', ['--version'], given, home);
    expect(code).toBe(0);
    expect(existsSync(join(home, 'evaldiff', 'compiled'))).toBe(kept);
  });
});

describe('evaldiff demo', () => {
  test('shows the comment of a real regression, without a key or a network, and leaves the reports to read', async () => {
    const folder = temporaryFolder('demo');
    const { code, stdout, stderr } = await startBundle(
      'cli/index.js',
      ['demo'],
      { ...bareEnvironment(), TMPDIR: folder },
      folder,
    );
    expect([code, stderr]).toEqual([0, '']);
    const shown = stdout.split(/^─+$/m)[1] ?? '';
    expect(shown).toMatch(/^\n✗ Regressed: support 100\.0 % → 70\.0 %\n/);
    // Lines end where a terminal's do.
    const text = shown.replace(/\s+/g, ' ');
    expect(text).toContain('Cause in support: prompts/support.yaml:12');
    expect(text).toContain(
      'prompts/tags.yaml:13 (Help readers to see why it fits.), only together',
    );
    expect(text).toContain('refund-late (prompts/tests/support.yaml:9) – 2 of 2 passed → 0 of 2');
    expect(text).toContain('Scoring changed in 1 suite');
    expect(stdout).toContain('Check run: failure – Regressed: support');
    const report = /^Open in a browser: (.+)$/m.exec(stdout)?.[1] ?? '';
    expect(readFileSync(report, 'utf8')).toContain('refund-window');

    // What the comment says to type does what it says, where the demo's programs answer.
    const reports = dirname(report);
    const comment = readFileSync(join(reports, 'comment.md'), 'utf8');
    const [, line = ''] = /locally: `npx evaldiff ([^`]+)`/.exec(comment) ?? [];
    expect(line).toMatch(/^diff --base [0-9a-f]{7} --head [0-9a-f]{7} --code host$/);
    const shop = dirname(reports);
    const again = await startCommand(
      [...line.split(' '), '--no-store', '--json'],
      { ...bareEnvironment(), TMPDIR: folder },
      shop,
    );
    expect(again.code).toBe(1);
    expect((JSON.parse(again.stdout) as Result).title).toBe(
      /Check run: failure – (.+) \(\d+ annotations\)/.exec(stdout)?.[1],
    );
  });
});
