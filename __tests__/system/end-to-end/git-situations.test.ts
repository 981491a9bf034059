import { describe, expect, test } from '@jest/globals';
import { keepCompiled } from '../../../src/app/session/runtime.ts';
import { startGitServer } from '../../stand-ins/git-server.ts';
import { addPull } from '../../stand-ins/github/index.ts';
import {
  shallowCheckout,
  temporaryFolder,
  writeFiles,
  type FixtureFiles,
} from '../../stand-ins/repository.ts';
import {
  changeOf,
  obedient,
  quiz,
  quizPrompt,
  SETTINGS,
  straight,
  type Change,
} from './projects.ts';
import { bareEnvironment, REPOSITORY, startCommand, TOKEN, type StepResult } from './runner.ts';
import {
  endpointLines,
  MODEL_KEY,
  PULL,
  eventPayload,
  pullRequestEvent,
  runOn,
  stage,
  type Stage,
  pullRequest,
} from './stage.ts';

const WORSE = 'Skip 1 2 3 4';
const REGRESSED = 'Regressed: quiz 100.0 % → 33.3 %';

/** The action on a change that it fetches over HTTP, as from GitHub, in this workspace. */
async function overHttp(at: Stage, change: Change, directory: string): Promise<StepResult> {
  const head = { ref: 'topic', sha: change.head, repository: REPOSITORY };
  addPull(at.github.state, { number: PULL, base: { ref: 'main', sha: change.base }, head });
  const server = await startGitServer(change.origin, REPOSITORY, TOKEN);
  try {
    return await runOn(
      at,
      { checkout: { directory }, origin: change.origin, event: pullRequestEvent(change) },
      { env: { GITHUB_SERVER_URL: server.url, GIT_CONFIG_GLOBAL: '/dev/null' } },
    );
  } finally {
    await server.close();
  }
}

describe('a pull request that changes links', () => {
  const link = (to: string): { link: string } => ({ link: to });
  const base = { ...quiz(), 'docs/latest': link('v1'), 'docs/old': link('v1'), 'docs/a': 'a\n' };
  const head: FixtureFiles = {
    'prompts/quiz.yaml': quizPrompt(WORSE),
    'docs/latest': link('v2'),
    'docs/old': null,
    'docs/new': link('v3'),
    'docs/a': link('b'),
  };
  test.each([
    ['the merge commit', (change: Change) => shallowCheckout(change.origin, 'refs/pull/12/merge')],
    ['the head commit', (change: Change) => shallowCheckout(change.origin, 'refs/heads/topic')],
    ['nothing', () => ({ directory: temporaryFolder('workspace') })],
    [
      'everything',
      (change: Change) => shallowCheckout(change.origin, 'refs/heads/topic', { depth: null }),
    ],
  ])('is judged with %s checked out', async (_, checkout) => {
    const at = await stage(obedient);
    const change = changeOf(base, head);
    const run = await overHttp(at, change, checkout(change).directory);
    expect([run.code, run.outputs['title']]).toEqual([1, expect.stringContaining(REGRESSED)]);
  });
});

describe('what changed and is read by nothing', () => {
  const program = (files = ''): string =>
    `gate: { tolerance: 0.4 }\nmodels:\n  app: { provider: program, command: [sh, app/run.sh]${files} }\n`;
  const answering = {
    ...quiz({ settings: program(), model: 'app' }),
    'app/run.sh': 'cat\n',
    'app/notes.txt': 'one\n',
  };
  const submodule = (id: string) => ({ submodule: id.repeat(40) });
  const rows: [string, FixtureFiles, FixtureFiles, string][] = [
    [
      'a submodule under the pattern of prompts',
      {
        ...quiz({ settings: `prompts: prompts/**/*.yaml\n${quiz()['evaldiff.yaml']!}` }),
        'prompts/shared': submodule('a'),
      },
      { 'prompts/shared': submodule('b') },
      'prompts/shared is a submodule and changed',
    ],
    [
      'a link to a folder under the pattern of prompts',
      {
        ...quiz({ settings: `prompts: prompts/**/*.yaml\n${quiz()['evaldiff.yaml']!}` }),
        'prompts/shared': { link: '../a' },
      },
      { 'prompts/shared': { link: '../b' } },
      'prompts/shared is a symbolic link and changed',
    ],
    [
      'a submodule under the pattern of rubrics',
      {
        ...quiz({ settings: `rubrics: rubrics/**/*.yaml\n${quiz()['evaldiff.yaml']!}` }),
        'rubrics/shared': submodule('a'),
      },
      { 'rubrics/shared': submodule('b') },
      'rubrics/shared is a submodule and changed',
    ],
    [
      "a submodule under a program's files",
      {
        ...answering,
        'evaldiff.yaml': program(", files: ['app/**']"),
        'app/engine': submodule('a'),
      },
      { 'app/engine': submodule('b') },
      'app/engine is a submodule and changed',
    ],
    [
      "a submodule that a program's files name",
      {
        ...answering,
        'evaldiff.yaml': program(', files: [app/run.sh, app/engine]'),
        'app/engine': submodule('a'),
      },
      { 'app/engine': submodule('b') },
      'app/engine is a submodule and changed',
    ],
    [
      'a file in the folder of a program that names others',
      { ...answering, 'evaldiff.yaml': program(', files: [app/run.sh]') },
      { 'app/notes.txt': 'two\n' },
      'app/notes.txt changed beside the program "app"',
    ],
  ];
  const skill = {
    'evaldiff.yaml': `${SETTINGS}  default: { provider: openai, endpoint: local, model: quiz-1 }\ngrader: quiz-model\nprompts: [skills/*/evals/evals.json]\n`,
    'skills/kind/SKILL.md': '---\nname: kind\ndescription: Be kind.\n---\nBe kind.\n',
    'skills/kind/references/tone.md': 'Soft.\n',
    'skills/kind/evals/evals.json':
      '{"skill_name": "kind", "evals": [{"id": 1, "prompt": "hi", "assertions": ["is kind"]}]}',
  };
  test.each([
    ['skills/kind/SKILL.md', '---\nname: kind\ndescription: Be rude.\n---\nBe kind.\n'],
    ['skills/kind/references/tone.md', 'Loud.\n'],
    ['skills/kind/scripts/check.sh', 'exit 1\n'],
  ])('is not judged: a part of a skill that its evals do not use, %s', async (path, text) => {
    const { run } = await pullRequest(skill, { [path]: text });
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    expect(run.outputs['title']).toContain(`${path} changed in a skill`);
  });

  test('is not judged, and says why, where a submodule replaces a folder of prompts', async () => {
    const settings = `prompts: prompts/**/*.yaml\n${SETTINGS}`;
    const { 'prompts/quiz.yaml': prompt, 'prompts/tests/quiz.yaml': tests } = quiz();
    const moved = { 'prompts/shared/quiz.yaml': prompt!, 'prompts/shared/tests/quiz.yaml': tests! };
    const gone = { 'prompts/shared/quiz.yaml': null, 'prompts/shared/tests/quiz.yaml': null };
    const base = { ...quiz({ settings }), ...moved };
    const head = { ...gone, 'prompts/shared': submodule('a') };
    const { run } = await pullRequest(base, head);
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(run.log).toContain('prompts/shared is a submodule and changed');
  });

  test.each(rows)('is not judged: %s', async (_, base, head, words) => {
    const { run } = await pullRequest(base, head, { inputs: { code: 'host' } });
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    expect(run.outputs['title']).toContain(words);
  });

  test('is neutral too beside a prompt that did not get worse', async () => {
    const base = {
      ...quiz({ settings: `prompts: prompts/**/*.yaml\n${quiz()['evaldiff.yaml']!}` }),
      'prompts/shared': submodule('a'),
    };
    const head = { 'prompts/shared': submodule('b'), 'prompts/quiz.yaml': quizPrompt('Be kind.') };
    const { run } = await pullRequest(base, head);
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(run.log).toContain('prompts/shared is a submodule and changed');
  });

  test('does not matter where nothing looks for files', async () => {
    const base = { ...quiz(), 'vendor/lib': submodule('a') };
    const { run } = await pullRequest(base, { 'vendor/lib': submodule('b') });
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });
});

describe('the first push of a branch or tag', () => {
  const pushOf = (after: string, more: Record<string, unknown> = {}) => {
    const payload = { ...eventPayload('push'), after, before: '0'.repeat(40), ...more };
    const { repository } = payload as unknown as { repository: object };
    return {
      name: 'push',
      payload: { ...payload, repository: { ...repository, default_branch: 'main' } },
    };
  };
  const feature = { ref: 'refs/heads/topic' };

  test('compares with where it left the default branch', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), { 'prompts/quiz.yaml': quizPrompt(WORSE) });
    const run = await runOn(at, {
      checkout: shallowCheckout(change.origin, 'refs/heads/topic'),
      event: pushOf(change.head, feature),
    });
    expect([run.code, run.outputs['title']]).toEqual([1, expect.stringContaining(REGRESSED)]);
  });

  test.each([
    ['that edits only other files', { 'README.md': 'x\n' }, feature],
    ['of a tag on such a commit', { 'README.md': 'x\n' }, { ref: 'refs/tags/v1' }],
  ])('%s makes no call', async (_, files, ref) => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), files);
    const run = await runOn(at, {
      checkout: shallowCheckout(change.origin, 'refs/heads/topic'),
      event: pushOf(change.head, ref),
    });
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });

  test("at the default branch's own commit makes no call", async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), { 'README.md': 'x\n' });
    const run = await runOn(at, {
      checkout: shallowCheckout(change.origin, 'refs/heads/main'),
      event: pushOf(change.base, feature),
    });
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });

  test('of the default branch has nothing before it', async () => {
    const at = await stage(obedient);
    const { origin, commits } = straight(quiz());
    const run = await runOn(at, {
      checkout: shallowCheckout(origin, 'refs/heads/main'),
      event: pushOf(commits[0]!, { ref: 'refs/heads/main' }),
    });
    expect(run.outputs['title']).toContain('Nothing compared');
  });

  test('that replaces a commit which is gone says so, and nothing of permissions', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), { 'README.md': 'x\n' });
    const run = await runOn(at, {
      checkout: shallowCheckout(change.origin, 'refs/heads/topic'),
      event: pushOf(change.head, { ...feature, before: 'deadbeef'.repeat(5) }),
    });
    expect(run.outputs['conclusion']).toBe('error');
    expect(run.log).toContain('not our ref');
    expect(run.log).toContain(
      'No branch or tag of the remote has it, as after a force push: name another commit.',
    );
    expect(run.log).not.toContain('contents: read');
  });
});

describe('a git that is too old', () => {
  test('is an error that names its version', async () => {
    const folder = temporaryFolder('bin');
    writeFiles(folder, { git: { program: '#!/bin/sh\necho git version 2.25.1\n' } });
    const { run } = await pullRequest(
      quiz(),
      { 'README.md': 'x\n' },
      { env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } },
    );
    expect(run.outputs['conclusion']).toBe('error');
    expect(run.log).toContain('This is git 2.25.1. Install git 2.31 or newer.');
  });
});

describe('a home or cache that cannot be made', () => {
  test.each(['HOME', 'XDG_CACHE_HOME'])('in %s does not keep a command waiting', async (name) => {
    const at = await stage(obedient);
    const { origin } = changeOf(quiz(), {});
    const env = { ...bareEnvironment(), [name]: '/proc/nope', TMPDIR: temporaryFolder('tmp') };
    delete env.NODE_COMPILE_CACHE;
    keepCompiled(env);
    const { directory } = shallowCheckout(origin, 'refs/heads/main');
    const ended = await startCommand(
      ['diff', '--base', 'HEAD'],
      { ...env, LOCAL_KEY: MODEL_KEY, EVALDIFF_ENDPOINTS: endpointLines(at.models) },
      directory,
    );
    expect([0, 2]).toContain(ended.code);
  });
});

describe('the folder for temporary files', () => {
  test.each([
    ['/proc/nope', 'error'],
    ['', 'success'],
  ])('named by RUNNER_TEMP %j: the run ends as %s', async (RUNNER_TEMP, conclusion) => {
    const { run } = await pullRequest(quiz(), { 'README.md': 'x\n' }, { env: { RUNNER_TEMP } });
    expect(run.outputs['conclusion']).toBe(conclusion);
    if (conclusion === 'error')
      expect(run.log).toContain('The folder for temporary files cannot be used');
  });
});
