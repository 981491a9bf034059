import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { addPull } from '../../stand-ins/github/index.ts';
import { shallowCheckout, temporaryFolder, type FixtureFiles } from '../../stand-ins/repository.ts';
import {
  changeOf,
  obedient,
  quiz,
  quizPrompt,
  quizTests,
  SETTINGS,
  straight,
  WORSE,
} from './projects.ts';
import { REPOSITORY, type Event, type StepResult } from './runner.ts';
import {
  eventPayload,
  onPullRequest,
  PULL,
  runOn,
  stage,
  type Stage,
  pullRequest,
} from './stage.ts';

const changed = (name: string, changes: Record<string, unknown>): Event => ({
  name: name.split('.')[0]!,
  payload: { ...eventPayload(name), ...changes },
});

describe('a merge queue', () => {
  /** The queue's run for a pull request that changes base by these files. */
  const queue = async (
    base: FixtureFiles,
    head: FixtureFiles,
    { repository = REPOSITORY, known = true }: { repository?: string; known?: boolean } = {},
  ): Promise<{ at: Stage; run: StepResult; before: string; after: string }> => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [before = '', after = ''],
    } = straight(base, head);
    if (known)
      addPull(at.github.state, { number: PULL, head: { ref: 'topic', sha: after, repository } });
    const ref = `refs/heads/gh-readonly-queue/main/pr-${String(PULL)}-${before}`;
    origin.git('update-ref', ref, after);
    const payload = eventPayload('merge_group');
    const group = {
      ...(payload['merge_group'] as object),
      base_sha: before,
      head_sha: after,
      head_ref: ref,
    };
    const run = await runOn(at, {
      checkout: shallowCheckout(origin, ref),
      event: { name: 'merge_group', payload: { ...payload, merge_group: group } },
    });
    return { at, run, before, after };
  };

  test("is held by base's gate: a pull request that switches it off fails here as it did before", async () => {
    const { run } = await queue(quiz(), {
      ...WORSE,
      'evaldiff.yaml': SETTINGS.replace('tolerance: 0.4', 'tolerance: 0.4, fail_on: never'),
    });
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    expect(run.notices).toContain(
      "this pull request changes gate; base's settings are in force until it is merged",
    );
  });

  test("is held by base's budget: a pull request that raises it makes no call more", async () => {
    const { at, run } = await queue(quiz({ settings: `${SETTINGS}budget: { max_calls: 10 }\n` }), {
      ...WORSE,
      'evaldiff.yaml': `${SETTINGS}budget: { max_calls: 5000 }\n`,
    });
    expect(run.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(at.models.requests).toEqual([]);
  });

  test.each([
    [
      "a fork's",
      { repository: 'bo-example/prompts' },
      'the pull request in the queue comes from a fork',
    ],
    [
      'not known',
      { known: false },
      'nobody can say where the pull request in the queue comes from',
    ],
  ])(
    "is untrusted where its pull request is %s: base's settings and metrics hold",
    async (_whose, pull, why) => {
      const { at, run } = await queue(
        quiz(),
        {
          ...WORSE,
          'evaldiff.yaml': SETTINGS.replace('quiz-1', 'quiz-9-expensive'),
          'prompts/tests/quiz.yaml': quizTests(
            6,
            'metrics: [{ name: answer, uses: is_json, skip: true }]',
          ),
        },
        pull,
      );
      expect(run.log).toContain(`| trust: untrusted: ${why}`);
      expect(run.result.trust).toBe('untrusted');
      expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
      expect(new Set(at.models.requests.map(({ model }) => model))).toEqual(new Set(['quiz-1']));
      expect(run.messages).toEqual(
        'known' in pull
          ? [expect.stringMatching(/^The pull request in the merge queue is not known/)]
          : [],
      );
    },
  );

  test('judges its group against its base, in the check alone', async () => {
    const { at, run, before, after } = await queue(quiz(), WORSE);
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3', 'comment-id': '' });
    expect(run.result).toMatchObject({
      trust: 'member',
      base: { sha: before },
      head: { sha: after },
    });
    expect(
      at.github.state.checkRuns.map(({ headSha, conclusion }) => [headSha, conclusion]),
    ).toEqual([[after, 'failure']]);
    expect(at.github.state.comments).toEqual([]);
  });
});

describe('a push', () => {
  test('is compared with what it replaced', async () => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [, before, after],
    } = straight(WORSE, quiz(), { 'README.md': 'About', ...WORSE });
    const run = await runOn(at, {
      checkout: shallowCheckout(origin, 'refs/heads/main'),
      event: changed('push', { before, after }),
    });
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    expect(run.result).toMatchObject({
      trust: 'trusted',
      base: { sha: before },
      head: { sha: after },
    });
  });

  test("of the default branch's first commit has nothing before it: everything is new", async () => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [after],
    } = straight(quiz({ questions: 2 }));
    const run = await runOn(at, {
      checkout: shallowCheckout(origin, 'refs/heads/main'),
      event: changed('push.new-branch', { after, ref: 'refs/heads/main' }),
    });
    expect(run.code).toBe(0);
    expect(run.outputs).toMatchObject({
      conclusion: 'success',
      'pass-rate-base': '',
      'pass-rate-head': '1.0000',
    });
    expect(run.result).toMatchObject({ base: null, suites: [{ verdict: 'new' }] });
  });

  test('of an annotated tag, which the event names by its own id, is about its commit', async () => {
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

  test('that was forced over an unreachable commit says which commit is missing', async () => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [after],
    } = straight(quiz({ questions: 2 }));
    const run = await runOn(at, {
      checkout: shallowCheckout(origin, 'refs/heads/main'),
      event: changed('push', { before: 'c'.repeat(40), after }),
    });
    expect(run.code).toBe(1);
    expect(run.outputs['conclusion']).toBe('error');
    expect(run.messages).toEqual([
      expect.stringMatching(/^The base commit ccccccc could not be fetched: ./),
    ]);
    expect(at.models.requests).toEqual([]);
  });
});

describe('a run by hand', () => {
  test('sweeps every reference in every combination that the overrides ask for, without a base', async () => {
    const at = await stage(({ messages, body }) =>
      body['temperature'] === 1 ? { text: 'no idea' } : obedient({ messages } as never),
    );
    const {
      origin,
      commits: [head],
    } = straight(quiz({ questions: 3 }));
    const run = await runOn(
      at,
      {
        checkout: shallowCheckout(origin, 'refs/heads/main'),
        event: {
          name: 'workflow_dispatch',
          payload: eventPayload('workflow_dispatch'),
          sha: head!,
        },
      },
      { inputs: { overrides: 'temperature=0,1\nn_tries=1' } },
    );
    expect(run.outputs).toMatchObject({ conclusion: 'success', 'pass-rate-base': '', calls: '6' });
    expect(run.result.mode).toBe('sweep');
    // Nothing is new here, and no side is missing: the log says what runs, once.
    expect(run.log).toContain('| prompts/quiz.yaml: 3 references × 2 variants\n| 6 calls for');
    expect(run.log).not.toMatch(/head only|new prompt|0 calls for their grades|a second/);
    expect(run.summary).toContain(
      '3 of 6 references failed. Highest: `quiz` 100.0 % with `quiz-model, temperature 0`.',
    );
    expect(
      run.result.suites.map(({ variant, pass_rate }) => [
        variant.parameters['temperature'],
        pass_rate.head,
      ]),
    ).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(
      run.result.suites.flatMap(({ references }) => references.map(({ status }) => status)),
    ).toEqual(['pass', 'pass', 'pass', 'fail', 'fail', 'fail']);

    const runs = join(run.outputs['report-path']!, 'multirun');
    const written = readdirSync(runs, { recursive: true })
      .map(String)
      .filter((path) => path.endsWith('.yaml'))
      .sort();
    expect(written).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d\/\d\d-\d\d-\d\d\/0\/report-0\.yaml$/),
      expect.stringMatching(/\/1\/report-0\.yaml$/),
    ]);
    const { prompts } = parse(readFileSync(join(runs, written[1]!), 'utf8')) as {
      prompts: {
        temperature: number;
        tests: { references: { id: string; actual: string; metrics: unknown }[] };
      };
    };
    expect([prompts.temperature, prompts.tests.references[0]]).toEqual([
      1,
      {
        id: 'q1',
        input: { question: 'Question 1?' },
        expected: 'answer 1',
        actual: 'no idea',
        metrics: { answer: expect.objectContaining({ result: 'fail', skipped: false }) },
        duration: expect.any(Number),
      },
    ]);
  });

  test('compares the commits that the inputs name, by branch or by id', async () => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    const checkout = shallowCheckout(change.origin, 'refs/heads/main', { depth: null });
    const event = { name: 'workflow_dispatch', payload: eventPayload('workflow_dispatch') };
    checkout.git('fetch', '--quiet', 'origin', 'topic:topic');
    const run = await runOn(
      at,
      { checkout, event },
      { inputs: { mode: 'diff', base: change.base, head: 'topic', overrides: 'n_tries=3' } },
    );
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    expect(run.result).toMatchObject({
      n_tries: 3,
      base: { sha: change.base },
      head: { sha: change.head },
    });

    const without = await runOn(at, { checkout, event }, { inputs: { mode: 'diff' } });
    expect(without.outputs['conclusion']).toBe('error');
    expect(without.messages).toEqual([
      'workflow_dispatch names no commit to compare with; set the input base',
    ]);
  });

  test('is told in one line where the event is none of ours', async () => {
    const at = await stage(obedient);
    const { origin } = straight({ 'README.md': 'About' });
    const run = await runOn(at, {
      checkout: shallowCheckout(origin, 'refs/heads/main'),
      event: { name: 'issue_comment', payload: {} },
    });
    expect(run.code).toBe(1);
    expect(run.outputs).toEqual({ conclusion: 'error' });
    expect(run.messages).toEqual([
      expect.stringMatching(/^This action runs on pull_request, .*; this is issue_comment\.$/),
    ]);
    expect(run.log).not.toContain('    at ');
  });
});

describe('inputs', () => {
  test('that cannot be read are told all at once, by name, and nothing is run', async () => {
    const { at, run } = await pullRequest(quiz(), WORSE, {
      inputs: {
        mode: 'dif',
        'max-calls': 'many',
        code: 'anywhere',
        'report-path': '../out',
        endpoints: 'local=http://models.example/v1',
        base: '--upload-pack=id',
      },
    });
    expect(run.code).toBe(1);
    expect(run.outputs).toEqual({ conclusion: 'error' });
    expect(
      run.annotations.map(({ level, message }) => `${level} ${message.split(':')[0]!}`).sort(),
    ).toEqual([
      'error base',
      'error code',
      'error endpoints',
      'error max-calls',
      'error mode',
      'error report-path',
    ]);
    expect(run.lastLine).toMatch(/^\| evaldiff: error \(nothing was judged\)\. .+ \(and 5 more\)$/);
    expect(at.models.requests).toEqual([]);
    expect(at.github.state.checkRuns).toMatchObject([
      { conclusion: 'failure', title: expect.stringMatching(/^No verdict: /) },
    ]);
  });

  test('put a cap on calls before anything is sent, and decide what fails a run', async () => {
    const { at, run: capped } = await pullRequest(quiz(), WORSE, { inputs: { 'max-calls': '23' } });
    expect(capped.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(capped.messages).toEqual([
      expect.stringMatching(
        /^This run would make 24 model calls .*; the limit is 23 \(max-calls\)\. Nothing was sent\.$/,
      ),
    ]);
    expect(at.models.requests).toEqual([]);

    const reported = await onPullRequest(at, changeOf(quiz(), WORSE), {
      inputs: { 'fail-on': 'never' },
    });
    expect(reported.code).toBe(0);
    expect(reported.outputs).toMatchObject({ conclusion: 'neutral', regressed: '3' });
    expect(reported.lastLine).toMatch(/^\| evaldiff: neutral \(not red\)\. Regressed: quiz/);
  });

  test('say where settings and reports lie', async () => {
    const { 'evaldiff.yaml': _, ...files } = quiz();
    const { at, change, run } = await pullRequest(
      { ...files, 'conf/prompts.yaml': SETTINGS },
      { 'prompts/quiz.yaml': quizPrompt('Be brief.') },
      { inputs: { config: 'conf/prompts.yaml', 'report-path': 'out/reports', comment: 'never' } },
    );
    expect(run.outputs).toMatchObject({
      conclusion: 'success',
      'report-path': expect.stringMatching(/\/out\/reports$/),
      'comment-id': '',
    });
    expect(run.reports['report.html']).not.toBe('');

    const missing = await onPullRequest(at, change, { inputs: { config: 'conf/nowhere.yaml' } });
    expect(missing.outputs['conclusion']).toBe('error');
    expect(missing.messages.join('\n')).toMatch(
      /^conf\/nowhere\.yaml: does not exist at [0-9a-f]{7}$/,
    );
  });

  test('narrow the models that a pull request may name', async () => {
    const { run } = await pullRequest(
      quiz(),
      { 'prompts/quiz.yaml': quizPrompt('Be exact.', 'quiz-claude') },
      { inputs: { 'allowed-models': 'quiz-model, other' } },
    );
    expect(run.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(run.messages).toEqual([expect.stringMatching(/"quiz-claude" .*allowed-models/)]);
  });
});

describe('an event without anything to evaluate', () => {
  const followed = (origin: string): Record<string, unknown> => {
    const payload = eventPayload('workflow_run');
    return { workflow_run: { ...(payload['workflow_run'] as object), event: origin } };
  };
  test.each<[string, Event, RegExp]>([
    [
      'a deleted branch',
      changed('push', { after: '0'.repeat(40), deleted: true }),
      /^This push deletes a branch or tag\.$/,
    ],
    ['a closed pull request', changed('pull_request', { action: 'closed' }), /is closed\.$/],
    [
      'a run that follows one started by hand',
      changed('workflow_run', followed('workflow_dispatch')),
      /^This workflow_run follows a run that workflow_dispatch started, .* no commit to compare with/,
    ],
    [
      "a run that follows a queue's",
      changed('workflow_run', followed('merge_group')),
      /Use the action in a workflow on merge_group itself\.$/,
    ],
  ])('%s is neutral, with its reason, and nobody is asked', async (_what, event, reason) => {
    const at = await stage(obedient);
    const { origin } = straight(quiz(), WORSE);
    const run = await runOn(at, { checkout: shallowCheckout(origin, 'main'), event });
    expect(run.code).toBe(0);
    expect(run.outputs).toMatchObject({
      conclusion: 'neutral',
      title: expect.stringMatching(reason),
    });
    expect(at.models.requests).toEqual([]);
    expect(run.annotations.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a runner that forgot something', () => {
  const pushed = async (env: Record<string, string>): Promise<StepResult> => {
    const at = await stage(obedient);
    const {
      origin,
      commits: [before, after],
    } = straight(quiz(), WORSE);
    const event = changed('push', { before, after });
    return runOn(at, { checkout: shallowCheckout(origin, 'main'), event }, { env });
  };

  test.each([
    ['no event file', '', /^GITHUB_EVENT_PATH is not set\./],
    [
      'an event file that is not there',
      '/nowhere/event.json',
      /^GITHUB_EVENT_PATH names a file that cannot be read \(ENOENT/,
    ],
  ])('%s is said in one line, and is not a fault of ours', async (_what, path, message) => {
    const run = await pushed({ GITHUB_EVENT_PATH: path });
    expect(run.code).toBe(1);
    expect(run.messages).toEqual([expect.stringMatching(message)]);
    expect(run.log).not.toContain('the fault is its own');
  });

  test('a missing RUNNER_TEMP folder is made', async () => {
    const temporary = join(temporaryFolder('runner'), 'not', 'yet');
    const run = await pushed({ RUNNER_TEMP: temporary });
    expect(run.outputs['conclusion']).toBe('failure');
    expect(existsSync(temporary)).toBe(true);
  });

  test('a RUNNER_TEMP that is a file is named', async () => {
    const file = join(temporaryFolder('runner'), 'file');
    writeFileSync(file, '');
    const run = await pushed({ RUNNER_TEMP: file });
    expect(run.messages).toEqual([
      expect.stringMatching(/^The folder for temporary files cannot be used \(EEXIST.*RUNNER_TEMP/),
    ]);
  });
});
