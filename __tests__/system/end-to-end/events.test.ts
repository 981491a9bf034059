import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { filePathsBelow } from '../../../scripts/entries-below.ts';
import { shallowCheckout, temporaryFolder, type FixtureFiles } from '../../stand-ins/repository.ts';
import {
  SETTINGS,
  WORSE,
  changeOf,
  obedient,
  promptOf,
  quiz,
  straight,
  testsOf,
} from './projects.ts';
import { REPOSITORY, type Event } from './runner.ts';
import {
  eventPayload,
  FORK,
  fromBranch,
  fromFork,
  onPullRequest,
  pullRequest,
  pullRequestEvent,
  queueEvent,
  runOn,
  stage,
  type StepOptions,
} from './stage.ts';

const changed = (name: string, changes: Record<string, unknown>): Event => ({
  name: name.split('.')[0]!,
  payload: { ...eventPayload(name), ...changes },
});

/** Runs the action on `main` with a linear history, on an event that may name its commits. */
async function onMain(
  states: FixtureFiles[],
  eventOf: (...commits: string[]) => Event,
  { answer = obedient, ...options }: StepOptions & { answer?: typeof obedient } = {},
) {
  const at = await stage(answer);
  const { origin, commits } = straight(...states);
  const checkout = shallowCheckout(origin, 'refs/heads/main');
  const run = await runOn(at, { checkout, event: eventOf(...commits) }, options);
  return { at, run, commits, origin };
}

describe('a merge queue', () => {
  /** Runs the merge queue's check for a pull request that changes these files of base. */
  const queue = async (
    base: FixtureFiles,
    head: FixtureFiles,
    repository: string | null = REPOSITORY,
  ) => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [before = '', after = ''],
    } = straight(base, head);
    if (repository !== null)
      fromBranch(at, { origin, base: before, head: after }).head.repository = repository;
    return { at, before, after, run: await runOn(at, queueEvent({ origin }, before, after)) };
  };

  test("uses base's gate: a pull request that disables it still fails", async () => {
    const off = SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, fail_on: never');
    const { run } = await queue(quiz(), { ...WORSE, 'evaldiff.yaml': off });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'failure', regressed: '3' } });
    expect(run.notices).toContain(
      "this pull request changes gate (fail_on regression → never); base's settings apply until it is merged",
    );
  });

  test("uses base's budget even if the pull request raises it", async () => {
    const capped = (most: number) => `${SETTINGS}budget: { max_calls: ${most} }\n`;
    const raised = { ...WORSE, 'evaldiff.yaml': capped(5000) };
    const { at, run } = await queue(quiz({ settings: capped(10) }), raised);
    expect(run.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(at.models.requests).toEqual([]);
  });

  test.each([
    ['from a fork', FORK, 'the pull request in the queue comes from a fork', []],
    [
      'unknown',
      null,
      'the origin of the pull request in the queue is unknown',
      [expect.stringMatching(/^The pull request in the merge queue could not be identified/)],
    ],
  ])(
    "is untrusted if its pull request is %s: base's settings and metrics apply",
    async (_whose, repository, why, warnings) => {
      const hostile = {
        ...WORSE,
        'evaldiff.yaml': SETTINGS.replace('quiz-1', 'quiz-9-expensive'),
        ...testsOf(6, 'metrics: [{ name: answer, uses: is_json, skip: true }]'),
      };
      const { at, run } = await queue(quiz(), hostile, repository);
      expect(run.log).toContain(`| trust: untrusted: ${why}`);
      expect(run.result.trust).toBe('untrusted');
      expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
      expect(new Set(at.models.requests.map(({ model }) => model))).toEqual(new Set(['quiz-1']));
      expect(run.messages).toEqual(warnings);
    },
  );

  describe("of an outside contributor's change to AGENTS.md", () => {
    const agents = {
      'evals/notes.yaml': `agent: codex
model: gpt-5.4-mini
workspace: { from: app, with: [AGENTS.md] }
tests: { metrics: [{ name: a, uses: files, with: { exist: [A.md] } }], references: [{ id: a, task: Do it. }] }
`,
      'app/main.js': '',
      'AGENTS.md': 'Be brief.\n',
    };
    const edited = { 'AGENTS.md': 'Be long.\n' };
    const settings = `prompts: [prompts/*.yaml, evals/*.yaml]\n${SETTINGS}`;
    const passing = settings.replace('tolerance: 0.4', 'tolerance: 0.4, untrusted: pass');
    const harmless = promptOf('Be exact and kind.');

    test.each([
      ['fails, because GitHub would merge a neutral check', settings, edited, 'failure'],
      ['fails beside a harmless edit of a prompt', settings, { ...edited, ...harmless }, 'failure'],
      ['is neutral under gate.untrusted: pass', passing, edited, 'neutral'],
      ["keeps base's gate", settings, { ...edited, 'evaldiff.yaml': passing }, 'failure'],
      ['is green without the change to AGENTS.md', settings, harmless, 'success'],
    ])('%s', async (_what, ofBase, head, conclusion) => {
      const base = { ...quiz({ settings: ofBase }), ...agents };
      const { at, run } = await queue(base, head, FORK);
      expect(run).toMatchObject({
        code: conclusion === 'failure' ? 1 : 0,
        outputs: { conclusion },
      });
      expect(at.github.state.checkRuns[0]).toMatchObject({ conclusion });
      if (conclusion === 'failure')
        expect(run.summary).toContain('or set gate.untrusted: pass for merge queues');
    });

    test('is neutral in its pull request, and still judges the prompt', async () => {
      const at = await stage(obedient);
      const change = fromFork(
        at,
        changeOf({ ...quiz({ settings }), ...agents }, { ...edited, ...harmless }),
      );
      const event = pullRequestEvent(change, 'pull_request_target.fork');
      const checkout = shallowCheckout(change.origin, 'refs/heads/main');
      const run = await runOn(at, { checkout, event });
      expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'neutral' } });
      expect(run.result.suites[0]).toMatchObject({ name: 'quiz', verdict: 'unchanged' });
      expect(run.summary).toMatch(/Partly judged.*quiz/);
      expect(run.summary).toContain('was not judged (because of AGENTS.md)');
    });
  });

  test('compares its group of commits with its base and reports only in the check', async () => {
    const { at, run, before, after } = await queue(quiz(), WORSE);
    const red = { conclusion: 'failure', regressed: '3', 'comment-id': '' };
    expect(run).toMatchObject({ code: 1, outputs: red });
    const sides = { base: { sha: before }, head: { sha: after } };
    expect(run.result).toMatchObject({ trust: 'member', ...sides });
    const { checkRuns, comments } = at.github.state;
    expect(checkRuns).toMatchObject([{ headSha: after, conclusion: 'failure' }]);
    expect(comments).toEqual([]);
  });
});

describe('a push', () => {
  test('is compared with the commit that it replaced', async () => {
    const { run, commits } = await onMain(
      [WORSE, quiz(), { 'README.md': 'About', ...WORSE }],
      (_, before, after) => changed('push', { before, after }),
    );
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    const sides = { base: { sha: commits[1] }, head: { sha: commits[2] } };
    expect(run.result).toMatchObject({ trust: 'trusted', ...sides });
  });

  test("of the default branch's first commit has no base, so everything is new", async () => {
    const { run } = await onMain([quiz({ questions: 2 })], (after) =>
      changed('push.new-branch', { after, ref: 'refs/heads/main' }),
    );
    const rates = { 'pass-rate-base': '', 'pass-rate-head': '1.0000' };
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'success', ...rates } });
    expect(run.result).toMatchObject({ base: null, suites: [{ verdict: 'new' }] });
  });

  test("of a new branch is compared with the remote's default branch, not with an old local one", async () => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [old = '', main = '', after = ''],
    } = straight({ 'README.md': 'Old' }, quiz(), WORSE);
    origin.git('branch', 'topic', after);
    origin.git('update-ref', 'refs/heads/main', main);
    const checkout = shallowCheckout(origin, 'refs/heads/topic', { depth: null });
    checkout.git('branch', 'main', old);
    const event = changed('push.new-branch', { after, ref: 'refs/heads/topic' });
    const run = await runOn(at, { checkout, event });
    expect(run.result.base).toEqual({ sha: main });
  });

  test("of an annotated tag is about the tag's commit, although the event names the tag object", async () => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [, commit = ''],
    } = straight(quiz(), WORSE);
    origin.git('tag', '-a', '-m', 'x', 'v1', commit);
    const after = origin.git('rev-parse', 'refs/tags/v1');
    const event = changed('push', { before: '0'.repeat(40), after, ref: 'refs/tags/v1' });
    const run = await runOn(at, { checkout: shallowCheckout(origin, 'refs/tags/v1'), event });
    expect(run.result).toMatchObject({ trust: 'trusted', head: { sha: commit } });
    expect(at.github.state.checkRuns.map(({ headSha }) => headSha)).toEqual([commit]);
  });

  test('that was forced over an unreachable commit reports the missing commit', async () => {
    const { at, run } = await onMain([quiz({ questions: 2 })], (after) =>
      changed('push', { before: 'c'.repeat(40), after }),
    );
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error' } });
    expect(run.messages).toEqual([
      expect.stringMatching(/^The base commit ccccccc could not be fetched: ./),
    ]);
    expect(at.models.requests).toEqual([]);
  });
});

describe('a manual run', () => {
  const byHand = (sha?: string): Event => ({
    name: 'workflow_dispatch',
    payload: eventPayload('workflow_dispatch'),
    ...(sha === undefined ? {} : { sha }),
  });

  test('runs every reference in every combination of the overrides, and compares with no base', async () => {
    const { run } = await onMain([quiz({ questions: 3 })], byHand, {
      answer: (request) =>
        request.body['temperature'] === 1 ? { text: 'no idea' } : obedient(request),
      inputs: { overrides: 'temperature=0,1\nn_tries=1' },
    });
    expect(run.outputs).toMatchObject({ conclusion: 'success', 'pass-rate-base': '', calls: '6' });
    expect(run.result.mode).toBe('sweep');
    // There is nothing to compare, so the log lists only what runs, once.
    expect(run.log).toContain('| prompts/quiz.yaml: 3 references × 2 variants\n| 6 calls for');
    expect(run.log).not.toMatch(/head only|new prompt|0 calls for their grades|a second/);
    expect(run.summary).toContain(
      '3 of 6 tests failed. Highest: `quiz` 100 % with `quiz-model, temperature 0`.',
    );
    const { suites } = run.result;
    expect(
      suites.map(({ variant, pass_rate }) => [variant.parameters['temperature'], pass_rate.head]),
    ).toEqual([
      [0, 1],
      [1, 0],
    ]);
    const statuses = suites.flatMap(({ references }) => references.map(({ status }) => status));
    expect(statuses).toEqual(['pass', 'pass', 'pass', 'fail', 'fail', 'fail']);

    const runs = join(run.outputs['report-path']!, 'multirun');
    const written = filePathsBelow(runs).filter((path) => path.endsWith('.yaml'));
    expect(written).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d\/\d\d-\d\d-\d\d\/0\/report-0\.yaml$/),
      expect.stringMatching(/\/1\/report-0\.yaml$/),
    ]);
    const { prompts } = parse(readFileSync(join(runs, written[1]!), 'utf8')) as {
      prompts: { temperature: number; tests: { references: unknown[] } };
    };
    expect(prompts.temperature).toBe(1);
    expect(prompts.tests.references[0]).toEqual({
      id: 'q1',
      input: { question: 'Question 1?' },
      expected: 'answer 1',
      actual: 'no idea',
      metrics: { answer: expect.objectContaining({ result: 'fail', skipped: false }) },
      duration: expect.any(Number),
    });
  });

  test('compares the commits that the inputs name by branch or id', async () => {
    const at = await stage(obedient);
    const { origin, base, head } = changeOf(quiz(), WORSE);
    const checkout = shallowCheckout(origin, 'refs/heads/main', { depth: null });
    checkout.git('fetch', '--quiet', 'origin', 'topic:topic');
    const step = { checkout, event: byHand() };
    const inputs = { mode: 'diff', base, head: 'topic', overrides: 'n_tries=3' };
    const run = await runOn(at, step, { inputs });
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    const sides = { base: { sha: base }, head: { sha: head } };
    expect(run.result).toMatchObject({ n_tries: 3, ...sides });

    const without = await runOn(at, step, { inputs: { mode: 'diff' } });
    expect(without.outputs['conclusion']).toBe('error');
    expect(without.messages).toEqual([
      'workflow_dispatch has no commit to compare with; set the input base',
    ]);
  });
});

describe('inputs', () => {
  test('that are invalid are reported together by name, and nothing runs', async () => {
    const inputs = {
      mode: 'dif',
      'max-calls': 'many',
      code: 'anywhere',
      'report-path': '../out',
      endpoints: 'local=http://models.example/v1',
      base: '--upload-pack=id',
    };
    const { at, run } = await pullRequest(quiz(), WORSE, { inputs });
    expect(run.code).toBe(1);
    expect(run.outputs).toEqual({ conclusion: 'error' });
    const said = run.annotations.map(({ level, message }) => `${level} ${message.split(':')[0]!}`);
    expect(said.sort()).toEqual(
      Object.keys(inputs)
        .toSorted()
        .map((name) => `error ${name}`),
    );
    expect(run.lastLine).toMatch(/^\| evaldiff: error \(nothing was judged\)\. .+ \(and 5 more\)$/);
    expect(at.models.requests).toEqual([]);
    const title = expect.stringMatching(/^No verdict: /);
    expect(at.github.state.checkRuns).toMatchObject([{ conclusion: 'failure', title }]);
  });

  test('set a limit of calls, checked before anything is sent, and decide what fails a run', async () => {
    const capped = await pullRequest(quiz(), WORSE, { inputs: { 'max-calls': '23' } });
    expect(capped.run.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(capped.run.messages).toEqual([
      expect.stringMatching(
        /^This run would make 24 model calls .*; the limit is 23 \(input max-calls\)\. Nothing was sent\.$/,
      ),
    ]);
    expect(capped.at.models.requests).toEqual([]);

    const { run } = await pullRequest(quiz(), WORSE, { inputs: { 'fail-on': 'never' } });
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'neutral', regressed: '3' } });
    expect(run.lastLine).toMatch(/^\| evaldiff: neutral \(not red\)\. Regressed: quiz/);
  });

  test('set the path of the settings and the folder of the reports', async () => {
    const { 'evaldiff.yaml': _, ...files } = quiz();
    const base = { ...files, 'conf/prompts.yaml': SETTINGS };
    const { at, run, change } = await pullRequest(base, promptOf('Be brief.'), {
      inputs: { config: 'conf/prompts.yaml', 'report-path': 'out/reports', comment: 'never' },
    });
    expect(run.outputs).toMatchObject({ conclusion: 'success', 'comment-id': '' });
    expect(run.outputs['report-path']).toMatch(/\/out\/reports$/);
    expect(run.reports['report.html']).not.toBe('');

    const missing = await onPullRequest(at, change, { inputs: { config: 'conf/nowhere.yaml' } });
    expect(missing.outputs['conclusion']).toBe('error');
    expect(missing.messages.join('\n')).toMatch(
      /^conf\/nowhere\.yaml: does not exist at [0-9a-f]{7}$/,
    );
  });
});

describe('an event without anything to evaluate', () => {
  const followed = (event: string): Event => {
    const payload = eventPayload('workflow_run')['workflow_run'] as object;
    return changed('workflow_run', { workflow_run: { ...payload, event } });
  };

  test.each<[string, Event, RegExp]>([
    [
      'a deleted branch',
      changed('push', { after: '0'.repeat(40), deleted: true }),
      /^This push deletes a branch or tag\.$/,
    ],
    ['a closed pull request', changed('pull_request', { action: 'closed' }), /is closed\.$/],
    [
      'a run that follows a manual run',
      followed('workflow_dispatch'),
      /^This workflow_run follows a run that workflow_dispatch started, .* no commit to compare with/,
    ],
    [
      "a run that follows a merge queue's run",
      followed('merge_group'),
      /Use the action in a workflow on merge_group itself\.$/,
    ],
  ])('%s gets a neutral check with a reason and no call', async (_what, event, reason) => {
    const { at, run } = await onMain([quiz(), WORSE], () => event);
    const title = expect.stringMatching(reason);
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'neutral', title } });
    expect(at.models.requests).toEqual([]);
    expect(run.annotations.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a runner with missing files or variables', () => {
  const pushed = async (env: Record<string, string>) => {
    const event = (before: string, after: string) => changed('push', { before, after });
    return (await onMain([quiz(), WORSE], event, { env })).run;
  };

  test.each([
    ['an unset GITHUB_EVENT_PATH', '', /^GITHUB_EVENT_PATH is not set\./],
    [
      'a missing event file',
      '/nowhere/event.json',
      /^GITHUB_EVENT_PATH names a file that cannot be read \(ENOENT/,
    ],
  ])('%s is reported in one line and not as an internal error', async (_what, path, message) => {
    const run = await pushed({ GITHUB_EVENT_PATH: path });
    expect(run).toMatchObject({ code: 1, messages: [expect.stringMatching(message)] });
    expect(run.log).not.toContain('Internal error');
  });

  test('creates a missing RUNNER_TEMP folder', async () => {
    const temporary = join(temporaryFolder('runner'), 'not', 'yet');
    const run = await pushed({ RUNNER_TEMP: temporary });
    expect(run.outputs['conclusion']).toBe('failure');
    expect(existsSync(temporary)).toBe(true);
  });

  test('reports a RUNNER_TEMP that is a file', async () => {
    const file = join(temporaryFolder('runner'), 'file');
    writeFileSync(file, '');
    const run = await pushed({ RUNNER_TEMP: file });
    expect(run.messages).toEqual([
      expect.stringMatching(/^The folder for temporary files cannot be used \(EEXIST.*RUNNER_TEMP/),
    ]);
  });
});
