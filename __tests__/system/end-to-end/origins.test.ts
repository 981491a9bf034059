import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { addPull } from '../../stand-ins/github/index.ts';
import { createRepository, shallowCheckout, temporaryFolder } from '../../stand-ins/repository.ts';
import type { FixtureRepository } from '../../stand-ins/repository.ts';
import { changeOf, obedient, quiz, quizTests, SETTINGS, straight, WORSE } from './projects.ts';
import type { Change } from './projects.ts';
import { REPOSITORY, type Event, type StepResult } from './runner.ts';
import { eventPayload, PULL, pullRequestEvent, runOn, stage, type Stage } from './stage.ts';

/** What would pass if its own gate and metric judged it. */
const HOSTILE = {
  ...WORSE,
  'evaldiff.yaml': SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, fail_on: never'),
  'prompts/tests/quiz.yaml': quizTests(6, 'metrics: [{ name: answer, uses: is_json, skip: true }]'),
};

/** A change whose head only `refs/pull` has, as a fork's; GitHub gives it by its id all the same. */
function ofFork(head = HOSTILE, behind: Record<string, string>[] = []): Change {
  const change = changeOf(quiz(), head, { behind });
  change.origin.git('update-ref', '-d', 'refs/heads/topic');
  return change;
}

const eventOf = (name: string, sha: string, more: Record<string, unknown> = {}): Event => ({
  name,
  payload: { ...eventPayload(name === 'push' ? 'push' : 'workflow_dispatch'), ...more },
  sha,
});

function judge(
  at: Stage,
  { origin, base }: Change,
  inputs: Record<string, string>,
  event: Event = eventOf('workflow_dispatch', base),
): Promise<StepResult> {
  const checkout = shallowCheckout(origin, 'refs/heads/main');
  return runOn(at, { checkout, event }, { inputs: { mode: 'diff', base: 'main', ...inputs } });
}

const messages = ({ annotations }: StepResult): string =>
  annotations.map(({ message }) => message).join('\n');

describe("a fork's commit in the input head", () => {
  const named: [string, (change: Change) => string][] = [
    ['by its id', ({ head }) => head],
    ['by its pull request', () => `refs/pull/${String(PULL)}/head`],
    ["by its pull request's merge", () => `refs/pull/${String(PULL)}/merge`],
  ];
  const events: [string, (change: Change) => Event][] = [
    ['workflow_dispatch', ({ base }) => eventOf('workflow_dispatch', base)],
    ['repository_dispatch', ({ base }) => eventOf('repository_dispatch', base)],
    ['schedule', ({ base }) => eventOf('schedule', base)],
    ['push', ({ base }) => eventOf('push', base, { before: base, after: base })],
    ['pull_request', (change) => pullRequestEvent(change)],
  ];
  const table = events.flatMap(([event, make]) =>
    (event === 'workflow_dispatch' ? named : named.slice(0, 1)).map(
      ([how, head]) => [event, how, make, head] as const,
    ),
  );
  test.each(table)('on %s %s is judged by base, untrusted', async (_event, _how, make, head) => {
    const at = await stage(obedient);
    const change = ofFork();
    const run = await judge(at, change, { head: head(change) }, make(change));
    expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
    expect(run.outputs['regressed']).toBe('3');
    expect(run.log).toContain('| trust: untrusted: head is on no branch or tag of this repository');
    expect(run.notices).toContainEqual(
      expect.stringMatching(/^Head is on no branch or tag .* outside contributor's\.$/),
    );
  });

  test('is refused with code: host, with its origin and what to do, and nothing is run', async () => {
    const at = await stage(obedient);
    const canary = join(temporaryFolder('canary'), 'ran');
    const metric = `metrics:\n  - name: answer\n    code: |\n      open(${JSON.stringify(canary)}, 'w').write('x')\n      result = True`;
    const change = ofFork({ ...HOSTILE, 'prompts/tests/quiz.yaml': quizTests(6, metric) });
    const run = await judge(at, change, { head: change.head, code: 'host' });
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(messages(run)).toMatch(
      /^code: host is refused: head \([0-9a-f]{7}\) is on no branch or tag of this repository \(it comes from a fork.*push it to a branch of this repository, or leave out code: host/,
    );
    expect(existsSync(canary)).toBe(false);
    expect(at.models.requests).toEqual([]);
  });

  test.each(['diff', 'noise'])('as the base of mode %s judges nothing', async (mode) => {
    const at = await stage(obedient);
    const change = ofFork();
    const run = await judge(at, change, { mode, base: change.head, head: 'main' });
    if (mode === 'diff') {
      expect(messages(run)).toMatch(/^base: commit [0-9a-f]{7} is on no branch or tag of this/);
      expect(at.models.requests).toEqual([]);
    } else expect(run.log).not.toContain('trust: trusted');
  });

  test.each([
    ['noise', 'head'],
    ['noise', 'base'],
    ['sweep', 'head'],
  ])('in mode %s, named as %s, does not judge itself', async (mode, input) => {
    const at = await stage(obedient);
    const change = ofFork();
    const run = await judge(at, change, { mode, base: '', [input]: change.head });
    expect(run.outputs['conclusion']).toBe('error');
    expect(messages(run)).toMatch(
      new RegExp(`^mode: ${mode} is refused: head \\([0-9a-f]{7}\\) is on no branch or tag of`),
    );
    expect(at.models.requests).toEqual([]);
  });

  test("in a merge queue's branch is still a fork's", async () => {
    const at = await stage(obedient);
    const change = ofFork();
    const queue = `refs/heads/gh-readonly-queue/main/pr-${String(PULL)}-${change.base}`;
    change.origin.git('update-ref', queue, change.merge!);
    const run = await judge(at, change, { head: change.head });
    expect(run.result.trust).toBe('untrusted');
  });
});

describe('a commit of the repository in the input head', () => {
  test.each<[string, (origin: FixtureRepository, head: string) => void]>([
    ['the tip of a branch', () => undefined],
    [
      'a tag, annotated',
      (origin, head) => {
        origin.git('tag', '-a', '-m', 'x', 'v1', head);
        origin.git('update-ref', '-d', 'refs/heads/topic');
      },
    ],
    [
      'deep in the history of a branch',
      (origin, head) => {
        const work = createRepository();
        work.git('fetch', '--quiet', `file://${origin.directory}`, 'topic');
        work.git('reset', '--quiet', '--hard', head);
        work.commitMany(120, (at) => ({ path: 'README.md', text: String(at) }));
        work.git('push', '--quiet', `file://${origin.directory}`, 'HEAD:refs/heads/later');
        origin.git('update-ref', '-d', 'refs/heads/topic');
      },
    ],
  ])('is trusted: %s', async (_where, place) => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    place(change.origin, change.head);
    for (const checkout of [shallowCheckout(change.origin, 'refs/heads/main'), emptyFolder()]) {
      const run = await runOn(
        at,
        { checkout, origin: change.origin, event: eventOf('workflow_dispatch', change.base) },
        { inputs: { mode: 'diff', base: 'main', head: change.head } },
      );
      expect(run.result).toMatchObject({ trust: 'trusted', conclusion: 'failure' });
    }
  });

  const emptyFolder = () => ({ directory: temporaryFolder('workspace') });
});

describe('a base as a checkout names it', () => {
  const names = ['origin/main', 'refs/remotes/origin/main', 'topic~1', 'topic^', 'main'];
  test.each(names)('%s is found without it', async (base) => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    const run = await judge(at, change, { base, head: 'topic' });
    expect(run.result).toMatchObject({ trust: 'trusted', conclusion: 'failure' });
    expect(run.result.base?.sha).toBe(change.base);
  });

  test('HEAD~1 is an ancestor of what is checked out, however little of it', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    const checkout = shallowCheckout(change.origin, 'refs/heads/topic');
    const event = eventOf('workflow_dispatch', change.head);
    const run = await runOn(
      at,
      { checkout, event },
      { inputs: { mode: 'diff', base: 'HEAD~1' }, needsCheckout: true },
    );
    expect(run.result.base?.sha).toBe(change.base);
    const none = { directory: temporaryFolder('workspace') };
    const without = await runOn(
      at,
      { checkout: none, origin: change.origin, event },
      { inputs: { mode: 'diff', base: 'HEAD~1' } },
    );
    expect(messages(without)).toMatch(/^"HEAD~1" is not a branch, tag or commit/);
  });

  test.each(['topic~9', 'origin/nowhere', 'refs/remotes/origin/nowhere'])(
    '%s is an error',
    async (base) => {
      const at = await stage(obedient);
      const run = await judge(at, changeOf(quiz(), WORSE), { base, head: 'topic' });
      expect(messages(run)).toContain(
        `"${base}" is not a branch, tag or commit of this repository`,
      );
    },
  );
});

describe("a pull request's own facts", () => {
  const pull = (at: Stage, change: Change, base: string): void => {
    addPull(at.github.state, {
      number: PULL,
      base: { ref: base, sha: change.base },
      head: { ref: 'topic', sha: change.head, repository: REPOSITORY },
    });
  };

  test('do not make a member of a head that is no longer on a branch', async () => {
    const at = await stage(obedient);
    const change = ofFork();
    pull(at, change, 'main');
    const run = await judge(at, change, { base: '' }, pullRequestEvent(change));
    expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
  });

  /** Head's parent is a commit of `main` or `release` that the event's base does not have. */
  const updated = (branch: string): { change: Change; between: string } => {
    const { origin, commits } = straight(
      quiz(),
      { 'README.md': 'x' },
      { 'README.md': 'x', ...WORSE },
    );
    const [base = '', between = '', head = ''] = commits;
    origin.git('update-ref', 'refs/heads/topic', head);
    origin.git('update-ref', 'refs/heads/main', base);
    origin.git('update-ref', `refs/heads/${branch}`, between);
    return { change: { origin, base, head, merge: null }, between };
  };

  test.each([
    ['a base branch that moved on since the event is used as it is now', 'main'],
    ['a base branch that was changed since the event is asked of GitHub', 'release'],
  ])('%s', async (_what, branch) => {
    const at = await stage(obedient);
    const { change, between } = updated(branch);
    pull(at, change, branch);
    const run = await judge(at, change, { base: '' }, pullRequestEvent(change));
    expect(run.result).toMatchObject({ trust: 'member', conclusion: 'failure' });
    expect(run.result.base?.sha).toBe(between);
  });

  test('a branch that is merged by now is compared with what it was merged into', async () => {
    const at = await stage(obedient);
    const { change } = updated('release');
    change.origin.git('update-ref', 'refs/heads/main', change.head);
    pull(at, change, 'main');
    const run = await judge(at, change, { base: '' }, pullRequestEvent(change));
    expect(run.result).toMatchObject({ trust: 'member', conclusion: 'failure' });
    expect(run.result.base?.sha).toBe(change.base);
  });
});

describe("a queue's base that is itself queued", () => {
  test("gives its place to the base branch's tip", async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), HOSTILE);
    addPull(at.github.state, {
      number: PULL,
      head: { ref: 'topic', sha: change.base, repository: REPOSITORY },
    });
    const ref = `refs/heads/gh-readonly-queue/main/pr-${String(PULL)}-${change.head}`;
    change.origin.git('update-ref', '-d', 'refs/heads/topic');
    change.origin.git('update-ref', ref, change.merge!);
    const payload = eventPayload('merge_group');
    const group = {
      ...(payload['merge_group'] as object),
      base_sha: change.head,
      head_sha: change.merge,
      head_ref: ref,
    };
    const run = await runOn(at, {
      checkout: shallowCheckout(change.origin, ref),
      event: { name: 'merge_group', payload: { ...payload, merge_group: group } },
    });
    expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
    expect(run.result.base?.sha).toBe(change.base);
    expect(run.notices).toContainEqual(
      expect.stringMatching(/gives its place to the tip of main \([0-9a-f]{7}\)/),
    );
  });
});
