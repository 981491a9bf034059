import { describe, expect, test } from '@jest/globals';
import { addPull, workflowToken, type Exchange } from '../../stand-ins/github/index.ts';
import { changeOf, obedient, quiz, quizPrompt, type Change, WORSE } from './projects.ts';
import { REPOSITORY } from './runner.ts';
import {
  PULL,
  onPullRequest,
  onlyComment,
  pullRequestEvent,
  stage,
  type Stage,
  pullRequest,
} from './stage.ts';

const SAME_PROMPT = 'Answer everything.';
const SAME = { 'prompts/quiz.yaml': quizPrompt(SAME_PROMPT) };

/** What GitHub shows for each name: the newest check run. */
function shown({ github }: Stage): Record<string, string> {
  return Object.fromEntries(
    github.state.checkRuns.map(({ name, status, conclusion }) => [name, conclusion ?? status]),
  );
}

const writes = ({ github }: Stage): Exchange[] =>
  github.state.exchanges.filter(({ path }) => /check-runs|comments|graphql|pulls/.test(path));

describe('a check', () => {
  test('is in progress before the first model call, and the comment no longer shows a verdict', async () => {
    const seen: unknown[] = [];
    const at: Stage = await stage((request) => {
      if (at.models.requests.length <= 1)
        seen.push([shown(at), at.github.state.comments.map(({ body }) => body.split('\n')[1])]);
      return obedient(request);
    });
    const change = changeOf(quiz(), SAME);
    const first = await onPullRequest(at, change);
    expect([first.code, seen]).toEqual([0, [[{ evaldiff: 'in_progress' }, []]]]);
    at.models.requests.length = 0;
    const again = await onPullRequest(at, change, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect([again.code, seen[1]]).toEqual([
      0,
      [{ evaldiff: 'in_progress' }, [`### ⏳ Running for \`${change.head.slice(0, 7)}\``]],
    ]);
    expect(shown(at)).toEqual({ evaldiff: 'success' });
    expect(onlyComment(at)).toContain('### ✅ No regression');
  });

  test.each([true, false])(
    'is completed whether or not the token may change its status (%s)',
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

  test('costs two requests more than a run that opens none', async () => {
    const count = async (inputs: Record<string, string>): Promise<number[]> => {
      const at = await stage(obedient);
      const change = changeOf(quiz(), WORSE);
      const counts: number[] = [];
      for (const attempt of ['1', '2']) {
        at.github.state.exchanges.length = 0;
        await onPullRequest(at, change, { inputs, env: { GITHUB_RUN_ATTEMPT: attempt } });
        counts.push(writes(at).length);
      }
      return counts;
    };
    // Without it: the pull request, our account, the comments, the head, the comment (and once more
    // the comments after it was created), the suggestions, the check.
    expect(await count({})).toEqual([8 + 2, 7 + 2]);
  });

  test('is written once, already completed, where no model is asked', async () => {
    const at = await stage(obedient);
    await onPullRequest(at, changeOf(quiz(), { 'README.md': 'About' }));
    expect(
      writes(at)
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => [method, path.split('/').at(-1)]),
    ).toEqual([
      ['POST', 'graphql'],
      ['POST', 'check-runs'],
    ]);
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });

  test('is opened first where another pull request may have left its verdict on the commit', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), { 'README.md': 'About' });
    const { name, payload } = pullRequestEvent(change);
    const event = { name, payload: { ...(payload as object), action: 'opened' } };
    await onPullRequest(at, change, { event });
    const checks = writes(at).filter(({ path }) => path.includes('check-runs'));
    expect(checks.map(({ method }) => method)).toEqual(['POST', 'GET', 'PATCH']);
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });

  test('is not opened without a check name, but a comment still shows that a run is under way', async () => {
    const bodies: string[] = [];
    const at: Stage = await stage((request) => {
      bodies.push(...at.github.state.comments.map(({ body }) => body));
      return obedient(request);
    });
    const change = changeOf(quiz(), SAME);
    const inputs = { 'check-name': '' };
    await onPullRequest(at, change, { inputs });
    await onPullRequest(at, change, { inputs, env: { GITHUB_RUN_ATTEMPT: '2' } });
    expect(at.github.state.checkRuns).toEqual([]);
    expect(bodies.length).toBeGreaterThan(0);
    expect(bodies.every((body) => body.includes('Running for'))).toBe(true);
  });

  test('is not needed where the token may not write it: the job itself is the check', async () => {
    const { at, run } = await pullRequest(quiz(), WORSE, {
      token: workflowToken({ pull_requests: 'write', checks: 'read' }),
    });
    expect([run.code, at.github.state.checkRuns]).toEqual([1, []]);
    expect(onlyComment(at)).toContain('❌ Regressed');
  });
});

describe('a run that is cancelled', () => {
  const cancelled = async (meanwhile: (at: Stage) => void, before: boolean) => {
    let isArmed = !before;
    const at: Stage = await stage((request) => {
      if (isArmed && at.models.requests.length > 5) {
        isArmed = false;
        meanwhile(at);
        process.emit('SIGINT');
      }
      return obedient(request);
    });
    const change = changeOf(quiz(), SAME);
    if (before) {
      await onPullRequest(at, change);
      isArmed = true;
    }
    const run = await onPullRequest(at, change, { env: { GITHUB_RUN_ATTEMPT: '2' } });
    return { at, run, change };
  };

  test('ends the check as cancelled and creates no comment', async () => {
    const { at, run } = await cancelled(() => undefined, false);
    expect(run.code).toBe(1);
    expect(shown(at)).toEqual({ evaldiff: 'cancelled' });
    expect(at.github.state.comments).toEqual([]);
  });

  test('by a newer push says in the comment that it was superseded', async () => {
    const { at, change } = await cancelled((stage) => {
      stage.github.state.pulls.get(PULL)!.head.sha = 'c'.repeat(40);
    }, true);
    expect(onlyComment(at)).toContain(
      `### ⏹️ Superseded: no verdict for \`${change.head.slice(0, 7)}\``,
    );
    expect(shown(at)).toEqual({ evaldiff: 'cancelled' });
  });

  test('by a newer push leaves the announcement of the newer run alone', async () => {
    const newer = '### ⏳ Running for `ccccccc`';
    const { at } = await cancelled(({ github }) => {
      github.state.pulls.get(PULL)!.head.sha = 'c'.repeat(40);
      const [comment] = github.state.comments;
      comment!.body = comment!.body.replace(/### .*/, newer);
    }, true);
    expect(onlyComment(at)).toContain(newer);
  });

  test('by hand says so in the comment', async () => {
    const { at } = await cancelled(() => undefined, true);
    expect(onlyComment(at)).toContain('### ⏹️ Cancelled: no verdict for ');
  });
});

describe('jobs of one workflow run', () => {
  /** A project whose `math` is worse on head and whose `other` is as before. */
  const two = (): Change =>
    changeOf(
      { ...quiz(), 'evals-b.yaml': quiz()['evaldiff.yaml']!.replace('evaldiff', 'evals-b') },
      WORSE,
    );
  const job = (name: string) => ({ GITHUB_JOB: name, GITHUB_WORKFLOW: 'Prompts' });

  test.each<[string, Record<string, string>, string]>([
    ['overrides', { overrides: 'references=q4' }, 'evaldiff (references=q4)'],
    [
      'a settings file',
      { config: 'evals-b.yaml', overrides: 'references=q4' },
      'evaldiff (references=q4, evals-b.yaml)',
    ],
  ])('with %s of their own keep their own check and comment', async (_, inputs) => {
    const at = await stage(obedient);
    const change = two();
    const red = await onPullRequest(at, change, { env: job('gate') });
    const green = await onPullRequest(at, change, { inputs, env: job('gate') });
    expect([red.outputs['conclusion'], green.outputs['conclusion']]).toEqual([
      'failure',
      'success',
    ]);
    expect(Object.values(shown(at))).toEqual(['failure', 'success']);
    expect(at.github.state.comments.map(({ body }) => body.split('\n')[1])).toEqual([
      expect.stringMatching(/^### ❌ Regressed/),
      expect.stringMatching(/^### ✅ No regression.* – `.*references=q4`$/),
    ]);
  });

  test('that differ in nothing but the base never hide a red check by a green one', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    await onPullRequest(at, change, { env: job('gate') });
    const green = await onPullRequest(at, change, {
      inputs: { base: change.head },
      env: job('gate'),
    });
    expect(green.outputs['conclusion']).toBe('success');
    expect(shown(at)).toEqual({ evaldiff: 'failure' });
    const again = { ...job('gate'), GITHUB_RUN_ATTEMPT: '2' };
    await onPullRequest(at, change, { inputs: { base: change.head }, env: again });
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });

  test.each([
    ['red', WORSE, 'failure', true],
    ['green', SAME, 'success', true],
    ['red', WORSE, 'failure', false],
    ['green', SAME, 'success', false],
  ])(
    'that differ in nothing but the base show what the slower one says: %s',
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

  test('that share a name they were given get a check each, and a warning', async () => {
    const at = await stage(obedient);
    const change = two();
    const named = { 'check-name': 'gate' };
    await onPullRequest(at, change, { inputs: named, env: job('a') });
    const inputs = { ...named, overrides: 'references=q4' };
    const green = await onPullRequest(at, change, { inputs, env: job('b') });
    expect(shown(at)).toEqual({ gate: 'failure', 'gate (references=q4)': 'success' });
    expect(green.messages).toEqual([
      expect.stringMatching(/^Another job of this workflow run writes the check "gate" too/),
    ]);
  });

  test('keep the second name when they are red, so that the first stays green', async () => {
    const at = await stage(obedient);
    const change = two();
    const named = { 'check-name': 'gate' };
    const green = { ...named, overrides: 'references=q4' };
    await onPullRequest(at, change, { inputs: green, env: job('b') });
    await onPullRequest(at, change, { inputs: named, env: job('a') });
    expect(shown(at)).toEqual({ gate: 'success', 'gate (a)': 'failure' });
  });

  test('of two workflows with one name never show green for red', async () => {
    const at = await stage(obedient);
    const change = two();
    const run = (id: string, workflow: string, overrides: string) =>
      onPullRequest(at, change, {
        inputs: { 'check-name': 'gate', overrides },
        env: { GITHUB_RUN_ID: id, GITHUB_WORKFLOW: workflow },
      });
    await run('1', 'A', '');
    await run('2', 'B', 'references=q4');
    expect(shown(at)).toEqual({ gate: 'failure' });
    expect(at.github.state.checkRuns.at(-1)?.title).toMatch(
      /^Held back by another job or workflow: /,
    );
    expect(at.github.state.comments).toHaveLength(2);
  });
});

describe('two pull requests with one head', () => {
  const on = async (at: Stage, change: Change, number: number, env: Record<string, string>) => {
    const event = pullRequestEvent(change);
    const payload = event.payload as { number: number; pull_request: { number: number } };
    payload.number = payload.pull_request.number = number;
    return onPullRequest(at, change, { event, env });
  };
  const both = async (second: 'open' | 'closed') => {
    let isWorse = true;
    const at = await stage((request) =>
      isWorse && request.messages[0]?.content === SAME_PROMPT ? { text: 'no' } : obedient(request),
    );
    const change = changeOf(quiz(), SAME);
    addPull(at.github.state, {
      number: 13,
      state: second,
      head: { ref: 'topic', sha: change.head, repository: REPOSITORY },
    });
    await on(at, change, 13, { GITHUB_RUN_ID: '1' });
    isWorse = false;
    const run = await on(at, change, PULL, { GITHUB_RUN_ID: '2' });
    return { at, run };
  };

  test('do not share a verdict: the check stays red while one of them is', async () => {
    const { at, run } = await both('open');
    expect(run.outputs['conclusion']).toBe('success');
    expect(shown(at)).toEqual({ evaldiff: 'failure' });
    expect(at.github.state.checkRuns.at(-1)?.title).toMatch(/^Held back by #13: /);
    expect(at.github.state.comments.map(({ issue, body }) => [issue, body.split('\n')[1]])).toEqual(
      [
        [13, expect.stringContaining('❌ Regressed')],
        [PULL, expect.stringContaining('✅ No regression')],
      ],
    );
  });

  test('share nothing once the other one is closed', async () => {
    const { at } = await both('closed');
    expect(shown(at)).toEqual({ evaldiff: 'success' });
  });
});
