import { findLocalSides, WORKTREE } from '../../src/app/session/sides.ts';
import { commandIn } from '../stand-ins/command-line.ts';
import { bareOrigin, createRepository, type FixtureRepository } from '../stand-ins/repository.ts';
import { using } from '../system/edges/git/opened-repository.ts';

const PROMPT = (text: string) =>
  `name: a\nmodel: { provider: replay, file: a.jsonl }\nmessages: [{ role: user, content: ${text} }]\n`;

/** A repository with this default branch, and a branch `topic` that changes a prompt. */
function history(branch: string) {
  const source = createRepository({ branch });
  const fork = source.commit('base', { 'prompts/a.yaml': PROMPT('one') });
  source.git('switch', '--quiet', '--create', 'topic');
  source.commit('first', { 'README.md': 'x' });
  const topic = source.commit('second', { 'prompts/a.yaml': PROMPT('two') });
  source.git('switch', '--quiet', branch);
  source.commit('later', { 'README.md': 'y' });
  const origin = bareOrigin(source);
  return { origin, url: `file://${origin.directory}`, fork, topic };
}

const MAIN = history('main');
const TRUNK = history('trunk');

type History = typeof MAIN;
type Make = (of: History, clone: FixtureRepository) => void;

/** Clones as CI systems create them. */
const SHAPES: Record<string, Make> = {
  'single branch': ({ url }, { git }) => {
    git('remote', 'add', '-t', 'topic', 'origin', url);
    git('fetch', '--quiet', '--no-tags', 'origin');
    git('checkout', '--quiet', 'topic');
  },
  'depth 1': ({ url }, { git }) => {
    git('remote', 'add', '-t', 'topic', 'origin', url);
    git('fetch', '--quiet', '--no-tags', '--depth=1', 'origin');
    git('checkout', '--quiet', 'topic');
  },
  detached: ({ url, topic }, { git }) => {
    git('remote', 'add', 'origin', url);
    const refs = '+refs/heads/topic:refs/pipelines/7';
    git('fetch', '--quiet', '--no-tags', '--depth=20', 'origin', refs);
    git('checkout', '--quiet', '--detach', topic);
  },
  'no remote': ({ url }, { git }) => {
    git('fetch', '--quiet', url, 'topic:topic');
    git('checkout', '--quiet', 'topic');
  },
};

function cloned(of: History, shape: string) {
  const clone = createRepository({ branch: 'unborn' });
  SHAPES[shape]!(of, clone);
  return clone;
}

/** The base that a clone's work tree gets in a CI environment. */
const baseOf = (clone: FixtureRepository, env: NodeJS.ProcessEnv) =>
  using(clone.directory, async (repository) => {
    const wish = { base: null, head: WORKTREE, env, workingDirectory: '' };
    return (await findLocalSides(repository, wish)).base?.commit;
  });

const failure = (message: RegExp) => ({ problems: [{ message: expect.stringMatching(message) }] });
const NO_BASE = failure(/^There is no base to compare with: .*--base <branch or commit>/);

describe('the default base', () => {
  test.each(['single branch', 'depth 1', 'detached'])(
    "is the remote's default branch, even in a clone that lacks it: %s",
    async (shape) => {
      expect(await baseOf(cloned(MAIN, shape), {})).toBe(MAIN.fork);
      expect(await baseOf(cloned(TRUNK, shape), {})).toBe(TRUNK.fork);
    },
  );

  test('is never HEAD: without a remote and a main branch, there is an error', async () => {
    await expect(baseOf(cloned(MAIN, 'no remote'), {})).rejects.toMatchObject(NO_BASE);
  });

  test.each(['diff', 'plan'])('makes %s exit with 2 if it is not found', async (command) => {
    const clone = cloned(MAIN, 'no remote');
    const { code, out, err } = await commandIn(clone.directory, [command]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('There is no base to compare with');
    expect((await commandIn(clone.directory, [command, '--base', 'nowhere'])).code).toBe(2);
  });

  test('is an error if the remote is unavailable', async () => {
    const clone = cloned(MAIN, 'depth 1');
    clone.git('remote', 'set-url', 'origin', 'file:///nowhere/at/all');
    await expect(baseOf(clone, {})).rejects.toMatchObject(NO_BASE);
  });

  test("is the clone's main branch if it has one, even without a remote", async () => {
    const clone = cloned(MAIN, 'no remote');
    clone.git('fetch', '--quiet', MAIN.url, 'main:main');
    expect(await baseOf(clone, {})).toBe(MAIN.fork);
  });
});

describe('a base from CI variables', () => {
  const variables: [string, (of: History) => string][] = [
    ['GITHUB_BASE_REF', () => 'release'],
    ['CI_MERGE_REQUEST_DIFF_BASE_SHA', ({ fork }) => fork],
    ['CI_MERGE_REQUEST_TARGET_BRANCH_NAME', () => 'release'],
    ['BITBUCKET_PR_DESTINATION_BRANCH', () => 'release'],
    ['SYSTEM_PULLREQUEST_TARGETBRANCH', () => 'refs/heads/release'],
    ['SYSTEM_PULLREQUEST_TARGETBRANCH', () => 'release'],
    ['CHANGE_TARGET', () => 'release'],
  ];
  MAIN.origin.git('update-ref', 'refs/heads/release', `${MAIN.topic}~1`);
  const released = MAIN.origin.git('rev-parse', 'refs/heads/release');

  test.each(
    variables.flatMap(([name, value]) =>
      ['single branch', 'depth 1', 'detached'].map((shape) => [name, shape, value] as const),
    ),
  )('in %s is fetched if the clone lacks it: %s', async (name, shape, value) => {
    const text = value(MAIN);
    const base = await baseOf(cloned(MAIN, shape), { [name]: text });
    expect(base).toBe(text === MAIN.fork ? MAIN.fork : released);
  });

  test('is an error if the remote and the clone both lack it', async () => {
    for (const shape of ['depth 1', 'no remote']) {
      await expect(baseOf(cloned(MAIN, shape), { CHANGE_TARGET: 'gone' })).rejects.toMatchObject(
        failure(/^CHANGE_TARGET names gone as the base, which/),
      );
      const missing = { CI_MERGE_REQUEST_DIFF_BASE_SHA: 'e'.repeat(40) };
      await expect(baseOf(cloned(MAIN, shape), missing)).rejects.toMatchObject(
        failure(/^The base commit eeeeeee could not be/),
      );
    }
  });

  test('is ignored if the variable is empty', async () => {
    expect(await baseOf(cloned(MAIN, 'depth 1'), { GITHUB_BASE_REF: '' })).toBe(MAIN.fork);
  });
});

test('a base that shares no history with head causes an error that names the base', async () => {
  const clone = cloned(MAIN, 'no remote');
  clone.git('switch', '--quiet', '--orphan', 'other');
  clone.commit('other', { 'prompts/a.yaml': PROMPT('three') });
  const wish = { base: 'topic', head: 'other', env: {}, workingDirectory: '' };
  const sides = await using(clone.directory, (repository) => findLocalSides(repository, wish));
  expect(sides).toMatchObject({
    mergeBase: null,
    baseTip: MAIN.topic,
    base: { commit: MAIN.topic },
    notices: [{ message: expect.stringContaining('have no common history') }],
  });
});
