import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRepository,
  shallowCheckout,
  temporaryFolder,
  type FixtureRepository,
} from '../../stand-ins/repository.ts';
import {
  SETTINGS,
  WORSE,
  changeOf,
  obedient,
  quiz,
  straight,
  testsOf,
  type Change,
} from './projects.ts';
import type { Event, StepResult } from './runner.ts';
import {
  eventPayload,
  fromBranch,
  PULL,
  pullRequestEvent,
  queueEvent,
  runOn,
  stage,
  type Stage,
} from './stage.ts';

/** This head would pass if its own gate and metric judged it. */
const HOSTILE = {
  ...WORSE,
  'evaldiff.yaml': SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, fail_on: never'),
  ...testsOf(6, 'metrics: [{ name: answer, uses: is_json, skip: true }]'),
};

/** A change whose head is only in `refs/pull`, like a fork's. GitHub still serves it by its id. */
function ofFork(head = HOSTILE) {
  const change = changeOf(quiz(), head);
  change.origin.git('update-ref', '-d', 'refs/heads/topic');
  return change;
}

const eventOf = (name: string, sha: string, more: Record<string, unknown> = {}): Event => ({
  name,
  payload: { ...eventPayload(name === 'push' ? 'push' : 'workflow_dispatch'), ...more },
  sha,
});

async function judge(
  { origin, base }: Change,
  inputs: Record<string, string>,
  event: Event = eventOf('workflow_dispatch', base),
  given?: Stage,
) {
  const at = given ?? (await stage(obedient));
  const checkout = shallowCheckout(origin, 'refs/heads/main');
  const all = { mode: 'diff', base: 'main', ...inputs };
  return { at, run: await runOn(at, { checkout, event }, { inputs: all }) };
}

const textOf = ({ messages }: StepResult) => messages.join('\n');
const UNTRUSTED = { trust: 'untrusted', conclusion: 'failure' };
const TRUSTED = { trust: 'trusted', conclusion: 'failure' };
const MEMBER = { trust: 'member', conclusion: 'failure' };

describe("a fork's commit that an input names", () => {
  const head = ({ head }: Change) => head;
  const manual = ({ base }: Change) => eventOf('workflow_dispatch', base);
  const [PULL_HEAD, PULL_MERGE] = ['head', 'merge'].map((of) => `refs/pull/${PULL}/${of}`);
  test.each([
    ['workflow_dispatch', 'by its id', manual, head],
    ['workflow_dispatch', 'by its pull request', manual, () => PULL_HEAD],
    ['workflow_dispatch', "by its pull request's merge", manual, () => PULL_MERGE],
    ['repository_dispatch', 'by its id', ({ base }) => eventOf('repository_dispatch', base), head],
    ['schedule', 'by its id', ({ base }) => eventOf('schedule', base), head],
    ['push', 'by its id', ({ base }) => eventOf('push', base, { before: base, after: base }), head],
    ['pull_request', 'by its id', (change) => pullRequestEvent(change), head],
  ])(
    "as head in a %s event, named %s, is untrusted and judged by base's rules",
    async (_event, _how, make, headOf) => {
      const change = ofFork();
      const { run } = await judge(change, { head: headOf(change) ?? '' }, make(change));
      expect(run).toMatchObject({ result: UNTRUSTED, outputs: { regressed: '3' } });
      expect(run.log).toContain(
        '| trust: untrusted: head is not on a branch or tag of this repository',
      );
      expect(run.notices).toContainEqual(
        expect.stringMatching(/^Head is not on a branch or tag .* outside contributor's\.$/),
      );
    },
  );

  test('as head with code: host is rejected before anything runs; the error says where it comes from and what to do', async () => {
    const canary = join(temporaryFolder('canary'), 'ran');
    const metric = `metrics:\n  - name: answer\n    code: |\n      open(${JSON.stringify(canary)}, 'w').write('x')\n      result = True`;
    const change = ofFork({ ...HOSTILE, ...testsOf(6, metric) });
    const { at, run } = await judge(change, { head: change.head, code: 'host' });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', calls: '0' } });
    expect(textOf(run)).toMatch(
      /^code: host is refused: head \([0-9a-f]{7}\) is not on a branch or tag of this repository \(it comes from a fork.*push it to a branch of this repository, or leave out code: host/,
    );
    expect(existsSync(canary)).toBe(false);
    expect(at.models.requests).toEqual([]);
  });

  test.each(['diff', 'noise'])('as base in mode %s is rejected', async (mode) => {
    const change = ofFork();
    const { at, run } = await judge(change, { mode, base: change.head, head: 'main' });
    if (mode === 'noise') return expect(run.log).not.toContain('trust: trusted');
    expect(textOf(run)).toMatch(/^base: commit [0-9a-f]{7} is not on a branch or tag of this/);
    expect(at.models.requests).toEqual([]);
  });

  test.each([
    ['noise', 'head'],
    ['noise', 'base'],
    ['sweep', 'head'],
  ])('in mode %s is rejected as input %s, because its scoring would apply', async (mode, input) => {
    const change = ofFork();
    const { at, run } = await judge(change, { mode, base: '', [input]: change.head });
    expect(run.outputs['conclusion']).toBe('error');
    const refused = `^mode: ${mode} is refused: head \\([0-9a-f]{7}\\) is not on a branch or tag of`;
    expect(textOf(run)).toMatch(new RegExp(refused));
    expect(at.models.requests).toEqual([]);
  });

  test("in a merge queue's branch still counts as a fork's", async () => {
    const change = ofFork();
    queueEvent(change, change.base, change.merge!);
    const { run } = await judge(change, { head: change.head });
    expect(run.result.trust).toBe('untrusted');
  });
});

describe('a commit of the repository itself in the input head', () => {
  test.each<[string, (origin: FixtureRepository, head: string) => void]>([
    ['the tip of a branch', () => undefined],
    [
      'an annotated tag',
      (origin, head) => {
        origin.git('tag', '-a', '-m', 'x', 'v1', head);
        origin.git('update-ref', '-d', 'refs/heads/topic');
      },
    ],
    [
      'a commit deep in the history of a branch',
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
    const { origin, base, head } = changeOf(quiz(), WORSE);
    place(origin, head);
    const empty = { directory: temporaryFolder('workspace') };
    for (const checkout of [shallowCheckout(origin, 'refs/heads/main'), empty]) {
      const event = eventOf('workflow_dispatch', base);
      const inputs = { mode: 'diff', base: 'main', head };
      const run = await runOn(at, { checkout, origin, event }, { inputs });
      expect(run.result).toMatchObject(TRUSTED);
    }
  });
});

describe('a base named by a ref that the checkout may lack', () => {
  const names = ['origin/main', 'refs/remotes/origin/main', 'topic~1', 'topic^', 'main'];
  test.each(names)('%s is found although the checkout lacks it', async (base) => {
    const change = changeOf(quiz(), WORSE);
    const { run } = await judge(change, { base, head: 'topic' });
    expect(run.result).toMatchObject({ ...TRUSTED, base: { sha: change.base } });
  });

  test('HEAD~1 is an ancestor of the checked-out commit even in a shallow clone', async () => {
    const at = await stage(obedient);
    const { origin, base, head } = changeOf(quiz(), WORSE);
    const checkout = shallowCheckout(origin, 'refs/heads/topic');
    const event = eventOf('workflow_dispatch', head);
    const inputs = { mode: 'diff', base: 'HEAD~1' };
    const run = await runOn(at, { checkout, event }, { inputs, needsCheckout: true });
    expect(run.result.base?.sha).toBe(base);
    const none = { directory: temporaryFolder('workspace') };
    const without = await runOn(at, { checkout: none, origin, event }, { inputs });
    expect(textOf(without)).toMatch(/^"HEAD~1" is not a branch, tag or commit/);
  });

  test.each(['topic~9', 'origin/nowhere', 'refs/remotes/origin/nowhere'])(
    '%s is an error',
    async (base) => {
      const { run } = await judge(changeOf(quiz(), WORSE), { base, head: 'topic' });
      const unknown = `"${base}" is not a branch, tag or commit of this repository`;
      expect(textOf(run)).toContain(unknown);
    },
  );
});

describe('what GitHub reports about a pull request', () => {
  /**
   * Runs the action on the event of a change. GitHub reports `ref` as the base of its pull request.
   */
  const judgeEvent = async (change: Change, ref: string) => {
    const at = await stage(obedient);
    fromBranch(at, change, ref);
    return (await judge(change, { base: '' }, pullRequestEvent(change), at)).run;
  };

  test('does not make a head commit trusted that is no longer on any branch', async () => {
    expect((await judgeEvent(ofFork(), 'main')).result).toMatchObject(UNTRUSTED);
  });

  /** Head's parent is a commit of `main` or `release` that is newer than the event's base. */
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
    ['a base branch that moved since the event is read at its current commit', 'main'],
    ['a base branch that was replaced since the event is looked up on GitHub', 'release'],
  ])('takes precedence over the event: %s', async (_what, branch) => {
    const { change, between } = updated(branch);
    const { result } = await judgeEvent(change, branch);
    expect(result).toMatchObject({ ...MEMBER, base: { sha: between } });
  });

  test("is ignored for the base if head is already merged: the event's base commit is used", async () => {
    const { change } = updated('release');
    change.origin.git('update-ref', 'refs/heads/main', change.head);
    const { result } = await judgeEvent(change, 'main');
    expect(result).toMatchObject({ ...MEMBER, base: { sha: change.base } });
  });
});

describe("a merge queue's base that is itself queued", () => {
  test('is replaced by the tip of the base branch', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), HOSTILE);
    fromBranch(at, { ...change, head: change.base });
    change.origin.git('update-ref', '-d', 'refs/heads/topic');
    const run = await runOn(at, queueEvent(change, change.head, change.merge!));
    expect(run.result).toMatchObject({ ...UNTRUSTED, base: { sha: change.base } });
    expect(run.notices).toContainEqual(
      expect.stringMatching(
        /tip of main \([0-9a-f]{7}\), because the event's base, commit [0-9a-f]{7}, is not/,
      ),
    );
  });
});
