import { keepCompiled } from '../../src/app/session/runtime.ts';
import { startGitServer } from '../stand-ins/git-server.ts';
import {
  shallowCheckout,
  temporaryFolder,
  writeFiles,
  type FixtureFiles,
} from '../stand-ins/repository.ts';
import {
  SETTINGS,
  changeOf,
  obedient,
  promptOf,
  quiz,
  type Change,
} from '../system/end-to-end/projects.ts';
import { REPOSITORY, TOKEN, startCommand } from '../system/end-to-end/runner.ts';
import {
  commandEnvironment,
  eventPayload,
  fromBranch,
  pullRequest,
  pullRequestEvent,
  runOn,
  stage,
  type Stage,
} from '../system/end-to-end/stage.ts';

const WORSE = promptOf('Skip 1 2 3 4');
const REGRESSED = 'Regressed: quiz 100 → 33 %';
const TOPIC = 'refs/heads/topic';
const MAIN = 'refs/heads/main';
const OTHER_FILES = { 'README.md': 'x\n' };

/** Runs the action in this workspace on a change that it fetches over HTTP. */
async function overHttp(at: Stage, change: Change, directory: string) {
  fromBranch(at, change);
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

describe('a pull request that changes symbolic links and a prompt', () => {
  const link = (to: string) => ({ link: to });
  const base = { ...quiz(), 'docs/latest': link('v1'), 'docs/old': link('v1'), 'docs/a': 'a\n' };
  const gone = { 'docs/old': null, 'docs/new': link('v3') };
  const head = { ...WORSE, ...gone, 'docs/latest': link('v2'), 'docs/a': link('b') };
  test.each([
    ['the merge commit', 'refs/pull/12/merge', 1],
    ['the head commit', 'refs/heads/topic', 1],
    ['nothing', null, null],
    ['everything', 'refs/heads/topic', null],
  ])('is judged if this is checked out in the workspace: %s', async (_, ref, depth) => {
    const at = await stage(obedient);
    const change = changeOf(base, head);
    const { directory } =
      ref === null
        ? { directory: temporaryFolder('workspace') }
        : shallowCheckout(change.origin, ref, { depth });
    const run = await overHttp(at, change, directory);
    expect([run.code, run.outputs['title']]).toEqual([1, expect.stringContaining(REGRESSED)]);
  });
});

describe('a change that no evaluation reads', () => {
  const program = (files = '') => ({
    'evaldiff.yaml': `gate: { tolerance: 0.4 }\nmodels:\n  app: { provider: program, command: [sh, app/run.sh]${files} }\n`,
  });
  const answering = {
    ...quiz({ model: 'app' }),
    'app/run.sh': 'cat\n',
    'app/notes.txt': 'one\n',
  };
  const submodule = (id: string) => ({ submodule: id.repeat(40) });
  const looking = (kind: string) => quiz({ settings: `${kind}: ${kind}/**/*.yaml\n${SETTINGS}` });

  const rows: [string, FixtureFiles[string], FixtureFiles[string], FixtureFiles, string][] = [
    ['prompts/shared', submodule('a'), submodule('b'), looking('prompts'), 'is a submodule and'],
    [
      'prompts/shared',
      { link: '../a' },
      { link: '../b' },
      looking('prompts'),
      'is a symbolic link',
    ],
    ['rubrics/shared', submodule('a'), submodule('b'), looking('rubrics'), 'is a submodule and'],
    [
      'app/engine',
      submodule('a'),
      submodule('b'),
      { ...answering, ...program(", files: ['app/**']") },
      'is a submodule and',
    ],
    [
      'app/engine',
      submodule('a'),
      submodule('b'),
      { ...answering, ...program(', files: [app/run.sh, app/engine]') },
      'is a submodule and',
    ],
    [
      'app/notes.txt',
      'one\n',
      'two\n',
      { ...answering, ...program(', files: [app/run.sh]') },
      'changed next to the program "app"',
    ],
  ];
  test.each(rows)('is not judged: a change of %s', async (path, before, after, files, words) => {
    const [base, head] = [{ ...files, [path]: before }, { [path]: after }];
    const { run } = await pullRequest(base, head, { inputs: { code: 'host' } });
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    expect(run.outputs['title']).toContain(`${path} ${words}`);
  });

  test('is not judged if a submodule replaces a folder of prompts, and the log says so', async () => {
    const { 'prompts/quiz.yaml': prompt = '', 'prompts/tests/quiz.yaml': tests = '' } = quiz();
    const moved = { 'prompts/shared/quiz.yaml': prompt, 'prompts/shared/tests/quiz.yaml': tests };
    const gone = { 'prompts/shared/quiz.yaml': null, 'prompts/shared/tests/quiz.yaml': null };
    const head = { ...gone, 'prompts/shared': submodule('a') };
    const { run } = await pullRequest({ ...looking('prompts'), ...moved }, head);
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(run.log).toContain('prompts/shared is a submodule and changed');
  });

  test('in a submodule among the prompts makes the run neutral even if another prompt did not get worse', async () => {
    const base = { ...looking('prompts'), 'prompts/shared': submodule('a') };
    const head = { 'prompts/shared': submodule('b'), ...promptOf('Be kind.') };
    const { run } = await pullRequest(base, head);
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(run.log).toContain('prompts/shared is a submodule and changed');
  });

  test('is ignored in a folder without configured prompts', async () => {
    const base = { ...quiz(), 'vendor/lib': submodule('a') };
    const { run } = await pullRequest(base, { 'vendor/lib': submodule('b') });
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });
});

describe('the first push of a branch or tag', () => {
  const push = async (
    { origin }: Pick<Change, 'origin'>,
    after: string,
    [ref, at = ref, before = '0'.repeat(40)]: [string, string?, string?],
  ) => {
    const payload = eventPayload('push');
    const repository = { ...(payload['repository'] as object), default_branch: 'main' };
    const event = { name: 'push', payload: { ...payload, after, before, ref, repository } };
    return runOn(await stage(obedient), { checkout: shallowCheckout(origin, at), event });
  };

  test('compares with the point where it left the default branch', async () => {
    const change = changeOf(quiz(), WORSE);
    const run = await push(change, change.head, [TOPIC]);
    expect([run.code, run.outputs['title']]).toEqual([1, expect.stringContaining(REGRESSED)]);
  });

  test.each([
    ['that edits only other files', TOPIC],
    ['of a tag on such a commit', 'refs/tags/v1'],
  ])('%s makes no call', async (_, ref) => {
    const change = changeOf(quiz(), OTHER_FILES);
    const run = await push(change, change.head, [ref, TOPIC]);
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });

  test("makes no call if it points to the default branch's commit", async () => {
    const change = changeOf(quiz(), OTHER_FILES);
    const run = await push(change, change.base, [TOPIC, MAIN]);
    expect(run.outputs).toMatchObject({ conclusion: 'success', calls: '0' });
  });
});

describe('an outdated git', () => {
  test('is an error that names its version', async () => {
    const folder = temporaryFolder('bin');
    writeFiles(folder, { git: { program: '#!/bin/sh\necho git version 2.25.1\n' } });
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    const { run } = await pullRequest(quiz(), OTHER_FILES, { env });
    expect(run.outputs['conclusion']).toBe('error');
    expect(run.log).toContain('This is git 2.25.1. Install git 2.31 or newer.');
  });
});

describe('a home or cache folder that cannot be created', () => {
  test.each(['HOME', 'XDG_CACHE_HOME'])('in %s does not block a command', async (name) => {
    const at = await stage(obedient);
    const env = { ...commandEnvironment(at.models), [name]: '/proc/nope' };
    delete env.NODE_COMPILE_CACHE;
    keepCompiled(env);
    const { directory } = shallowCheckout(changeOf(quiz(), {}).origin, MAIN);
    const ended = await startCommand(['diff', '--base', 'HEAD'], env, directory);
    expect([0, 2]).toContain(ended.code);
  });
});

describe('the temporary folder', () => {
  test.each([
    ['/proc/nope', 'error'],
    ['', 'success'],
  ])('in RUNNER_TEMP (%j) leads to the conclusion %s', async (RUNNER_TEMP, conclusion) => {
    const { run } = await pullRequest(quiz(), OTHER_FILES, { env: { RUNNER_TEMP } });
    expect(run.outputs['conclusion']).toBe(conclusion);
    if (conclusion === 'error')
      expect(run.log).toContain('The folder for temporary files cannot be used');
  });
});
