import { addPull, workflowToken } from '../stand-ins/github/index.ts';
import {
  changeOf,
  obedient,
  promptOf,
  quiz,
  README,
  WORSE,
  type Change,
} from '../system/end-to-end/projects.ts';
import { REPOSITORY } from '../system/end-to-end/runner.ts';
import {
  PULL,
  onPullRequest,
  onlyComment,
  pullRequest,
  pullRequestEvent,
  stage,
  type Stage,
} from '../system/end-to-end/stage.ts';

const SAME_PROMPT = 'Answer everything.';
const SAME = promptOf(SAME_PROMPT);
const AGAIN = { GITHUB_RUN_ATTEMPT: '2' };

/** The newest check run for each name, which is the one that GitHub shows. */
function shown({ github }: Stage): Record<string, string> {
  return Object.fromEntries(
    github.state.checkRuns.map(({ name, status, conclusion }) => [name, conclusion ?? status]),
  );
}

const firstLines = ({ github }: Stage) =>
  github.state.comments.map(({ body }) => body.split('\n')[1]);
const writes = ({ github }: Stage) =>
  github.state.exchanges.filter(({ path }) => /check-runs|comments|graphql|pulls/.test(path));

describe('the GitHub check of a run', () => {
  test('is in progress before the first model call, while the comment shows no verdict', async () => {
    const seen: unknown[] = [];
    const at = await stage((request) => {
      if (at.models.requests.length <= 1) seen.push([shown(at), firstLines(at)]);
      return obedient(request);
    });
    const change = changeOf(quiz(), SAME);
    const first = await onPullRequest(at, change);
    expect([first.code, seen]).toEqual([0, [[{ evaldiff: 'in_progress' }, []]]]);
    at.models.requests.length = 0;
    const again = await onPullRequest(at, change, { env: AGAIN });
    const running = `### ⏳ Running for \`${change.head.slice(0, 7)}\``;
    expect([again.code, seen[1]]).toEqual([0, [{ evaldiff: 'in_progress' }, [running]]]);
    expect(shown(at)).toEqual({ evaldiff: 'success' });
    expect(onlyComment(at)).toContain('### ✅ No change found');
  });

  test.each([true, false])(
    'is completed even if the token may not change its status (%s)',
    async (statusUpdates) => {
      const at = await stage(obedient);
      at.github.state.statusUpdates = statusUpdates;
      const run = await onPullRequest(at, changeOf(quiz(), WORSE));
      const { checkRuns } = at.github.state;
      expect(shown(at)).toEqual({ evaldiff: 'failure' });
      expect(checkRuns).toHaveLength(statusUpdates ? 1 : 2);
      expect(run.outputs['check-run-id']).toBe(String(checkRuns.at(-1)?.id));
    },
  );

  test('costs two more requests than a run without a check', async () => {
    const { at, change } = await pullRequest(quiz(), WORSE);
    // Other requests: the pull request, the account, the comments (again after creating one), the
    // head, the comment, the suggestions, the check.
    expect(writes(at)).toHaveLength(8 + 2);
    at.github.state.exchanges.length = 0;
    await onPullRequest(at, change, { env: AGAIN });
    expect(writes(at)).toHaveLength(7 + 2);
  });

  test('is written once, as completed, if the run calls no model', async () => {
    const { at } = await pullRequest(quiz(), README);
    const written = writes(at).filter(({ method }) => method !== 'GET');
    expect(written.map(({ method, path }) => [method, path.split('/').at(-1)])).toEqual([
      ['POST', 'graphql'],
      ['POST', 'check-runs'],
    ]);
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });

  test('is created as in progress even without model calls if another pull request may have the same commit', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), README);
    const { name, payload } = pullRequestEvent(change);
    const event = { name, payload: { ...(payload as object), action: 'opened' } };
    await onPullRequest(at, change, { event });
    const checks = writes(at).filter(({ path }) => path.includes('check-runs'));
    expect(checks.map(({ method }) => method)).toEqual(['POST', 'GET', 'PATCH']);
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });

  test('is not created without a check name, but a comment shows that a run is in progress', async () => {
    const bodies: string[] = [];
    const at = await stage((request) => {
      bodies.push(...at.github.state.comments.map(({ body }) => body));
      return obedient(request);
    });
    const change = changeOf(quiz(), SAME);
    const inputs = { 'check-name': '' };
    await onPullRequest(at, change, { inputs });
    await onPullRequest(at, change, { inputs, env: AGAIN });
    expect(at.github.state.checkRuns).toEqual([]);
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.every((body) => body.includes('Running for'))).toBe(true);
  });

  test("is not created if the token lacks write access; the job's own status shows the result", async () => {
    const token = workflowToken({ pull_requests: 'write', checks: 'read' });
    const { at, run } = await pullRequest(quiz(), WORSE, { token });
    expect([run.code, at.github.state.checkRuns]).toEqual([1, []]);
    expect(onlyComment(at)).toContain('❌ Regressed');
  });
});

describe('a cancelled run', () => {
  const cancelled = async (before: boolean, meanwhile: (at: Stage) => void = () => undefined) => {
    let isArmed = !before;
    const at = await stage((request) => {
      if (isArmed && at.models.requests.length > 5) {
        isArmed = false;
        meanwhile(at);
        process.emit('SIGINT');
      }
      return obedient(request);
    });
    const change = changeOf(quiz(), SAME);
    if (before) await onPullRequest(at, change);
    isArmed = true;
    return { at, change, run: await onPullRequest(at, change, { env: AGAIN }) };
  };
  const pushNewer = ({ github }: Stage) => {
    github.state.pulls.get(PULL)!.head.sha = 'c'.repeat(40);
  };

  test('completes the check as cancelled and creates no comment', async () => {
    const { at, run } = await cancelled(false);
    expect(run.code).toBe(1);
    expect(shown(at)).toEqual({ evaldiff: 'cancelled' });
    expect(at.github.state.comments).toEqual([]);
  });

  test('is shown as superseded in the comment if a newer push cancelled it', async () => {
    const { at, change } = await cancelled(true, pushNewer);
    const superseded = `### ⏹️ Superseded: no verdict for \`${change.head.slice(0, 7)}\``;
    expect(onlyComment(at)).toContain(superseded);
    expect(shown(at)).toEqual({ evaldiff: 'cancelled' });
  });

  test("does not change the newer run's comment if a newer push cancelled it", async () => {
    const newer = '### ⏳ Running for `ccccccc`';
    const { at } = await cancelled(true, (stage) => {
      pushNewer(stage);
      const [comment] = stage.github.state.comments;
      comment!.body = comment!.body.replace(/### .*/, newer);
    });
    expect(onlyComment(at)).toContain(newer);
  });

  test('is shown as cancelled in the comment if a person cancelled it', async () => {
    const { at } = await cancelled(true);
    expect(onlyComment(at)).toContain('### ⏹️ Cancelled: no verdict for ');
  });
});

describe('jobs for the same commit', () => {
  /** A project whose `math` gets worse on head and whose `other` does not. */
  const base = {
    ...quiz(),
    'evals-b.yaml': quiz()['evaldiff.yaml']!.replace('evaldiff', 'evals-b'),
  };
  const job = (name: string) => ({ GITHUB_JOB: name, GITHUB_WORKFLOW: 'Prompts' });

  test.each([
    ['overrides', { overrides: 'references=q4' }],
    ['a settings file', { config: 'evals-b.yaml', overrides: 'references=q4' }],
  ])('with different %s have separate checks and comments', async (_, inputs) => {
    const env = job('gate');
    const { at, change, run: red } = await pullRequest(base, WORSE, { env });
    const green = await onPullRequest(at, change, { inputs, env });
    const verdicts = ['failure', 'success'];
    expect([red.outputs['conclusion'], green.outputs['conclusion']]).toEqual(verdicts);
    expect(Object.values(shown(at))).toEqual(verdicts);
    expect(firstLines(at)).toEqual([
      expect.stringMatching(/^### ❌ Regressed/),
      expect.stringMatching(/^### ✅ No change found.* – `.*references=q4`$/),
    ]);
  });

  test('that differ only in the base never replace a red check with a green one', async () => {
    const { at, change } = await pullRequest(quiz(), WORSE, { env: job('gate') });
    const inputs = { base: change.head };
    const green = await onPullRequest(at, change, { inputs, env: job('gate') });
    expect(green.outputs['conclusion']).toBe('success');
    expect(shown(at)).toEqual({ evaldiff: 'failure' });
    await onPullRequest(at, change, { inputs, env: { ...job('gate'), ...AGAIN } });
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });

  test.each([
    ['red', WORSE, 'failure', true],
    ['green', SAME, 'success', true],
    ['red', WORSE, 'failure', false],
    ['green', SAME, 'success', false],
  ])(
    'that differ only in the base show the verdict of the job that ends last (%s)',
    async (_verdict, files, expected, statusUpdates) => {
      const running = Promise.withResolvers<void>();
      const faster = Promise.withResolvers<void>();
      const at = await stage(async (request) => {
        running.resolve();
        await faster.promise;
        return obedient(request);
      });
      at.github.state.statusUpdates = statusUpdates;
      const change = changeOf(quiz(), files);
      const slow = onPullRequest(at, change, { env: job('gate') });
      await running.promise;
      await onPullRequest(at, change, { inputs: { base: change.head }, env: job('gate') });
      expect(shown(at)).toEqual({ evaldiff: 'failure' });
      faster.resolve();
      expect((await slow).outputs['conclusion']).toBe(expected);
      expect(shown(at)).toEqual({ evaldiff: expected });
    },
  );

  const named = { 'check-name': 'gate' };
  const part = { ...named, overrides: 'references=q4' };

  test.each([
    ['red first', [named, part], 'Held back by another job or workflow: '],
    ['green first', [part, named], 'Regressed: '],
  ])('with the same check name never show green instead of red: %s', async (_, both, title) => {
    const [first = {}, second = {}] = both;
    const { at, change } = await pullRequest(base, WORSE, { inputs: first, env: job('a') });
    await onPullRequest(at, change, { inputs: second, env: job('b') });
    expect(shown(at)).toEqual({ gate: 'failure' });
    expect(at.github.state.checkRuns.at(-1)?.title).toContain(title);
  });

  test('of two workflows with the same check name never show green instead of red', async () => {
    const env = (id: string, workflow: string) => ({
      GITHUB_RUN_ID: id,
      GITHUB_WORKFLOW: workflow,
    });
    const { at, change } = await pullRequest(base, WORSE, { inputs: named, env: env('1', 'A') });
    await onPullRequest(at, change, { inputs: part, env: env('2', 'B') });
    expect(shown(at)).toEqual({ gate: 'failure' });
    const held = /^Held back by another job or workflow: /;
    expect(at.github.state.checkRuns.at(-1)?.title).toMatch(held);
    expect(at.github.state.comments).toHaveLength(2);
  });
});

describe('two pull requests with the same head', () => {
  const on = async (at: Stage, change: Change, number: number, run: string) => {
    const event = pullRequestEvent(change);
    const payload = event.payload as { number: number; pull_request: { number: number } };
    payload.number = payload.pull_request.number = number;
    return onPullRequest(at, change, { event, env: { GITHUB_RUN_ID: run } });
  };
  const both = async (state: 'open' | 'closed') => {
    let isWorse = true;
    const at = await stage((request) =>
      isWorse && request.messages[0]?.content === SAME_PROMPT ? { text: 'no' } : obedient(request),
    );
    const change = changeOf(quiz(), SAME);
    const head = { ref: 'topic', sha: change.head, repository: REPOSITORY };
    addPull(at.github.state, { number: 13, state, head });
    await on(at, change, 13, '1');
    isWorse = false;
    return { at, run: await on(at, change, PULL, '2') };
  };

  test('have separate verdicts: the check stays red while one of them is red', async () => {
    const { at, run } = await both('open');
    expect(run.outputs['conclusion']).toBe('success');
    expect(shown(at)).toEqual({ evaldiff: 'failure' });
    expect(at.github.state.checkRuns.at(-1)?.title).toMatch(/^Held back by #13: /);
    expect(at.github.state.comments.map(({ issue }) => issue)).toEqual([13, PULL]);
    expect(firstLines(at)).toEqual([
      expect.stringContaining('❌ Regressed'),
      expect.stringContaining('✅ No change found'),
    ]);
  });

  test('stop affecting each other once one of them is closed', async () => {
    const { at } = await both('closed');
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });
});
