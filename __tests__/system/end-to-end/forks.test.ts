import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { addPull, workflowToken } from '../../stand-ins/github/index.ts';
import { renderGithub } from '../../stand-ins/github-markdown.ts';
import { hostileLogs, hostileTexts } from '../../stand-ins/hostile-text.ts';
import { shallowCheckout, temporaryFolder, type FixtureFiles } from '../../stand-ins/repository.ts';
import {
  changeOf,
  obedient,
  quiz,
  quizPrompt,
  quizTests,
  SETTINGS,
  type Change,
  WORSE,
} from './projects.ts';
import { ROOT, type Event, type StepResult } from './runner.ts';
import {
  eventPayload,
  onlyComment,
  PULL,
  pullRequestEvent,
  runOn,
  stage,
  type Stage,
  type StepOptions,
} from './stage.ts';

const FORK = 'bo-example/prompts';
const READ_ONLY = workflowToken({ pull_requests: 'read', checks: 'read' });
const NO_KEY =
  'No model key is available to pull requests from forks. Changes were checked, nothing was sent to a model.';
/**
 * What a stranger would change to pass with that: the metric, what is expected, the model behind
 * the name, the gate, the tests.
 */
const HOSTILE: FixtureFiles = {
  ...WORSE,
  'prompts/tests/quiz.yaml': quizTests(
    4,
    'metrics:\n  - name: answer\n    code: |\n      open("/tmp/evaldiff-canary", "w").write("ran")\n      metric = 1\n      result = True',
  ).replaceAll(/answer \d/g, 'no idea'),
  'evaldiff.yaml': `${SETTINGS.replace('quiz-1', 'quiz-9-expensive')}gate: { fail_on: never }\nbudget: { max_calls: 99999 }\nn_tries: 50\n`,
};

/**
 * The `with:` of the step that uses the action, as the example ships it; secrets are empty here.
 */
function example(name: string): Record<string, string> {
  const { jobs } = parse(
    readFileSync(join(ROOT, 'examples', 'workflows', `${name}.yml`), 'utf8'),
  ) as { jobs: Record<string, { steps: { uses?: string; with?: Record<string, unknown> }[] }> };
  const step = Object.values(jobs)
    .flatMap(({ steps }) => steps)
    .find(({ uses }) => uses?.includes('/evaldiff@'));
  return Object.fromEntries(
    Object.entries(step?.with ?? {}).map(([key, value]) => [
      key,
      String(value).startsWith('${{') ? '' : String(value),
    ]),
  );
}

/** A pull request whose head lies in a fork: the origin has it under `refs/pull` alone. */
function fromFork(at: Stage, change: Change): Change {
  change.origin.git('update-ref', '-d', 'refs/heads/topic');
  addPull(at.github.state, {
    number: PULL,
    base: { ref: 'main', sha: change.base },
    head: { ref: 'friendlier', sha: change.head, repository: FORK },
  });
  return change;
}

function workflowRun({ head }: Change, changes: Record<string, unknown> = {}): Event {
  const payload = eventPayload('workflow_run');
  return {
    name: 'workflow_run',
    payload: {
      ...payload,
      workflow_run: { ...(payload['workflow_run'] as object), head_sha: head, ...changes },
    },
  };
}

/** The second stage as a runner starts it: the default branch is checked out. */
function evaluate(
  at: Stage,
  change: Change,
  { event = workflowRun(change), inputs, ...options }: StepOptions & { event?: Event } = {},
): Promise<StepResult> {
  const checkout = shallowCheckout(change.origin, 'refs/heads/main');
  return runOn(
    at,
    { checkout, event },
    { ...options, inputs: { ...example('fork-evaluate'), ...inputs } },
  );
}

describe('the first stage, without rights', () => {
  const check = async (change: Change): Promise<{ run: StepResult; at: Stage }> => {
    const at = await stage(obedient, READ_ONLY);
    fromFork(at, change);
    const checkout = shallowCheckout(change.origin, `refs/pull/${String(PULL)}/merge`);
    return {
      at,
      run: await runOn(
        at,
        { checkout, event: pullRequestEvent(change, 'pull_request.fork') },
        {
          inputs: { ...example('fork-check'), endpoints: '' },
          env: { GITHUB_ACTION_REPOSITORY: 'acme/evaldiff', GITHUB_ACTION_REF: 'v1' },
        },
      ),
    };
  };

  test('says level, what comes from where, what would run and why; makes no model calls and is neutral', async () => {
    const { run, at } = await check(changeOf(quiz(), WORSE));
    expect(run.code).toBe(0);
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    expect(run.log).toContain(
      '| trust: untrusted: head is in a fork or deleted; GitHub gives no secrets',
    );
    expect(run.log).toContain('|   metrics and roll-ups: base');
    expect(run.log).toContain(
      '| prompts/quiz.yaml: 6 references because of messages (prompts/quiz.yaml)',
    );
    expect(run.log).toMatch(/^\| {3}q6$/m);
    expect(run.log).toContain('| 24 calls for the first answers');
    expect(run.summary).toContain(NO_KEY);
    expect(run.summary).toContain('6 references not run, affected by');
    expect(run.summary).toContain(
      '[How to get it judged](<https://github.com/acme/evaldiff/blob/v1/docs/forks.md>)',
    );
    expect(run.annotations).toEqual([]);
    expect(at.models.requests).toEqual([]);
    // Nothing but its own account and pull request was asked for, and nothing was written.
    expect(
      at.github.state.exchanges.filter(
        ({ method, path }) => method !== 'GET' && path !== '/graphql',
      ),
    ).toEqual([]);
  });

  test('judges what needs no key: recorded answers', async () => {
    const recordings = (system: string, question: number, output: string): string[] =>
      [0, 1, 2, 3, 4].map((attempt) =>
        JSON.stringify({
          request: {
            provider: 'replay',
            model: 'old',
            parameters: { temperature: 0.5 },
            messages: [
              { role: 'system', content: system },
              { role: 'user', content: `Question ${String(question)}?` },
            ],
            try: attempt,
          },
          reply: { output },
        }),
      );
    const lines = [1, 2, 3, 4, 5, 6].flatMap((n) => [
      ...recordings('Be exact.', n, `answer ${String(n)}`),
      ...recordings('Skip all', n, 'no idea'),
    ]);
    const settings = `${SETTINGS}  recorded: { provider: replay, file: old.jsonl, model: old }\nn_tries: 5\n`;
    const files = {
      ...quiz({ settings }),
      'prompts/old.yaml': quizPrompt('Be exact.', 'recorded', 'old'),
      'prompts/tests/old.yaml': quizTests(6, 'metrics: [{ name: answer, uses: exact_match }]'),
      'old.jsonl': `${lines.join('\n')}\n`,
    };
    const { run } = await check(
      changeOf(files, { ...WORSE, 'prompts/old.yaml': quizPrompt('Skip all', 'recorded', 'old') }),
    );
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '6' });
    expect(run.log).toContain(NO_KEY);
    expect(run.log).toContain('quiz: 6 references not run');
  });
});

describe('the second stage, with the keys', () => {
  test("finds the pull request by its head and judges it by the default branch's scoring; comment and check are the pull request's", async () => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), HOSTILE));
    const run = await evaluate(at, change);
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
    expect(run.result).toMatchObject({
      trust: 'untrusted',
      base: { sha: change.base },
      head: { sha: change.head },
      n_tries: 'adaptive',
    });
    expect(run.result.suites[0]?.references.map(({ id, expected }) => [id, expected])).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => [`q${String(n)}`, `answer ${String(n)}`]),
    );
    expect(new Set(at.models.requests.map(({ model }) => model))).toEqual(new Set(['quiz-1']));
    expect(at.github.state.comments.map(({ issue }) => issue)).toEqual([PULL]);
    expect(onlyComment(at)).toContain('❌ Regressed: `quiz` 100.0 % → 50.0 %');
    expect(
      at.github.state.checkRuns.map(({ headSha, conclusion }) => [headSha, conclusion]),
    ).toEqual([[change.head, 'failure']]);
    const said = run.result.notices
      .filter(({ kind }) => kind === 'trust')
      .map(({ message }) => message);
    expect(said).toEqual([
      "this pull request comes from an outside contributor and changes evaldiff.yaml. Base's settings were used.",
      expect.stringMatching(
        /^this pull request comes from an outside contributor and changes code \(metrics\.answer\)\. The base version was run\. A maintainer can run the new code/,
      ),
      expect.stringMatching(
        /edits 4 references \(q1, q2, q3, q4\)\. Base's inputs, expected values/,
      ),
      expect.stringMatching(/removes 2 references \(q5, q6\)\. They were run all the same\./),
    ]);
  });

  test("fetches the fork's commits as objects, none of them into the workspace, which stays the default branch's", async () => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), { ...WORSE, 'planted.txt': 'from the fork' }));
    const checkout = shallowCheckout(change.origin, 'refs/heads/main');
    const before = checkout.git('rev-parse', 'HEAD');
    const run = await runOn(
      at,
      { checkout, event: workflowRun(change) },
      { inputs: example('fork-evaluate') },
    );
    expect(run.outputs['conclusion']).toBe('failure');
    expect(checkout.git('rev-parse', 'HEAD')).toBe(before);
    expect(checkout.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(readdirSync(checkout.directory)).not.toContain('planted.txt');
    expect(() => checkout.git('cat-file', '-t', change.head)).toThrow('could not get object info');
  });

  test('skips quietly when the pull request was pushed to or closed in the meantime', async () => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), WORSE));
    at.github.state.pulls.get(PULL)!.head.sha = 'e'.repeat(40);
    for (const state of ['open', 'closed'] as const) {
      at.github.state.pulls.get(PULL)!.state = state;
      const run = await evaluate(at, change);
      expect(run.code).toBe(0);
      expect(run.outputs).toMatchObject({
        conclusion: 'neutral',
        title: `No open pull request has ${change.head.slice(0, 7)} as its head: it was closed, or pushed to since.`,
      });
      expect(run.commands.filter(({ name }) => name === 'notice').map(({ data }) => data)).toEqual([
        expect.stringMatching(/^Nothing was evaluated\. No open pull request/),
      ]);
      expect(run.lastLine).toMatch(/^\| evaldiff: neutral/);
    }
    expect(at.models.requests).toEqual([]);
    expect([at.github.state.comments, at.github.state.checkRuns]).toEqual([[], []]);
  });

  test('is an error in one line when GitHub cannot say which pull request it is, and when its key is missing', async () => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), WORSE));
    const keyless = await evaluate(at, change, { env: { LOCAL_KEY: '' } });
    expect(keyless.code).toBe(1);
    expect(keyless.messages).toEqual([expect.stringContaining('LOCAL_KEY')]);
    at.github.intercept('GET', /./, () => ({
      status: 500,
      body: { message: 'down', documentation_url: 'x' },
    }));
    const down = await evaluate(at, change);
    expect(down.code).toBe(1);
    expect(down.messages).toEqual([
      expect.stringMatching(
        /^The pull request of this run was not found: GitHub answers with an error of its own/,
      ),
    ]);
    expect(down.log).not.toContain('    at ');
    expect(at.models.requests).toEqual([]);
  });

  test("does not take the pull request that another repository's run names", async () => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), WORSE));
    const event = workflowRun(change, {
      head_repository: { full_name: 'mallory-example/prompts' },
      pull_requests: [{ number: PULL }],
    });
    const run = await evaluate(at, change, { event });
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(at.models.requests).toEqual([]);
  });
});

test('a hostile fork has its names told in the second stage, and nothing obeyed or rendered', async () => {
  const at = await stage(obedient);
  const texts = [...Object.values(hostileTexts), ...hostileLogs].filter(
    (text) => text.isWellFormed() && !/[\0-\x08\v\f\x0e-\x1f\x7f]/.test(text),
  );
  const quoted = (text: string): string =>
    JSON.stringify(text).replaceAll(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  const metrics = texts
    .slice(0, 9)
    .map((text, index) => `  - { name: ${quoted(`${text} ${String(index)}`)}, uses: is_json }`)
    .join('\n');
  const references = texts
    .map(
      (text, index) =>
        `  - { id: ${quoted(`${text} ${String(index)}`)}, input: { question: ${quoted(`${text} Question ${String(index + 10)}?`)} }, expected: x }`,
    )
    .join('\n');
  const change = fromFork(
    at,
    changeOf(quiz(), {
      'prompts/quiz.yaml': quizPrompt('Skip 1 2 3', '::error::model ##[error]x @octocat').replace(
        'temperature: 0.5',
        `temperature: 0.5\nuser: ${quoted(texts.slice(0, 9).join(' '))}`,
      ),
      'prompts/tests/quiz.yaml': `metrics:\n${metrics}\nreferences:\n${references}\n`,
      'prompts/::error::@octocat new.yaml': quizPrompt('x', 'quiz-model', '<img src=x>').replace(
        'tests/<img src=x>',
        'tests/quiz',
      ),
      'evaldiff.yaml': '::error::not yaml: [\n  ##[error]: {\n',
    }),
  );
  const run = await evaluate(at, change, {
    event: workflowRun(change, { head_branch: 'a$(id)`id`<b>@octocat' }),
  });
  expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
  expect(run.commands.map(({ name }) => name).filter((name) => name !== 'add-mask')).toEqual([]);
  const check = at.github.state.checkRuns[0];
  for (const markdown of [
    onlyComment(at).replace(/^<!-- evaldiff comment evaldiff [0-9a-f]{8} -->/, ''),
    run.summary,
    check?.summary ?? '',
  ]) {
    const rendered = renderGithub(markdown);
    expect([
      rendered.images,
      rendered.references,
      rendered.comments,
      // Our run, and files of the fork at its commit.
      rendered.links.filter(
        (url) =>
          !url.startsWith('https://github.example/acme/prompts/') &&
          !/^https:\/\/github\.example\/bo-example\/prompts\/blob\/[0-9a-f]{40}\/[\w./%-]+(#L\d+)?$/.test(
            url,
          ),
      ),
    ]).toEqual([[], [], [], []]);
    expect(
      rendered.elements.filter((name) =>
        ['img', 'script', 'h1', 'input', 'svg', 'style'].includes(name),
      ),
    ).toEqual([]);
  }
  expect(run.result.notices.filter(({ kind }) => kind === 'trust').length).toBeGreaterThan(4);
});

describe("a workspace with the fork's files beside the keys", () => {
  test.each([
    ['workflow_run', `refs/pull/${String(PULL)}/head`],
    ['workflow_run', `refs/pull/${String(PULL)}/merge`],
    ['pull_request_target', `refs/pull/${String(PULL)}/head`],
    ['pull_request_target', `refs/pull/${String(PULL)}/merge`],
  ])('is refused on %s of %s before anything is read or sent', async (name, ref) => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), WORSE));
    const event =
      name === 'workflow_run'
        ? workflowRun(change)
        : pullRequestEvent(change, 'pull_request_target.fork');
    const checkout = shallowCheckout(change.origin, ref);
    const run = await runOn(at, { checkout, event }, { needsCheckout: true });
    expect(run.code).toBe(1);
    expect(run.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(run.messages).toEqual([
      `${name} with the head of a fork checked out: remove the checkout step's ref and repository. This action reads the pull request through git objects.`,
    ]);
    expect(at.models.requests).toEqual([]);
  });
});

describe('approval by label', () => {
  const LABEL = 'evaluate prompts';
  const byLabel = (
    at: Stage,
    change: Change,
    event: Event,
    { inputs, env }: StepOptions = {},
  ): Promise<StepResult> => {
    at.github.state.pulls.get(PULL)!.labels = ['bug', LABEL];
    return runOn(
      at,
      { checkout: shallowCheckout(change.origin, 'refs/heads/main'), event },
      { inputs: { ...example('fork-approve'), ...inputs }, ...(env === undefined ? {} : { env }) },
    );
  };
  const labeled = (change: Change, label: string): Event => {
    const event = pullRequestEvent(change, 'pull_request_target.approved');
    return { ...event, payload: { ...(event.payload as object), label: { name: label } } };
  };

  test("evaluates that commit as a member's, with the fork's own scoring, and uses the label up", async () => {
    const at = await stage(obedient);
    const change = fromFork(
      at,
      changeOf(quiz(), {
        'prompts/tests/quiz.yaml': quizTests(6, 'metrics: [{ name: answer, uses: contains }]'),
      }),
    );
    const run = await byLabel(at, change, labeled(change, LABEL));
    expect(run.code).toBe(0);
    expect(run.result).toMatchObject({ trust: 'member', head: { sha: change.head } });
    expect(run.result.suites[0]?.because.map(({ key }) => key)).toContain('metrics.answer');
    expect(run.log).toContain(
      `| trust: member: ada-example (write) approved commit ${change.head.slice(0, 7)} with a label`,
    );
    expect(onlyComment(at)).toContain('ada-example (write) approved commit');
    expect(at.github.state.pulls.get(PULL)?.labels).toEqual(['bug']);
  });

  test.each<[string, { login: string; type?: string }, string | null, string]>([
    ['the author', { login: 'bo-example' }, 'write', 'bo-example, who added the label, opened'],
    [
      'the author in other letters',
      { login: 'Bo-Example' },
      'admin',
      'who added the label, opened',
    ],
    ['someone with triage', { login: 'tri' }, 'triage', 'tri, who added the label, may not write'],
    ['someone who may read', { login: 'rea' }, 'read', 'rea, who added the label, may not write'],
    ['someone whom GitHub does not know', { login: 'who' }, null, 'may not write'],
    [
      'an app',
      { login: 'helper[bot]', type: 'Bot' },
      'write',
      'helper[bot], which added the label, is',
    ],
    ['an app by its type', { login: 'helper', type: 'Bot' }, 'write', 'is an app'],
  ])('by %s does not count, and the report says why', async (_who, sender, role, why) => {
    const at = await stage(obedient);
    if (role !== null) at.github.state.roles.set(sender.login, role);
    const change = fromFork(at, changeOf(quiz(), HOSTILE));
    const event = labeled(change, LABEL);
    const run = await byLabel(at, change, {
      ...event,
      payload: { ...(event.payload as object), sender: { id: 1, ...sender } },
    });
    expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
    const notices = run.notices.join('\n');
    expect(notices).toContain('The approval by label does not count: ');
    expect(notices).toContain(why);
    expect(at.github.state.pulls.get(PULL)?.labels).toEqual(['bug']);
  });

  test('does not count where GitHub does not say who may write, nor for another commit', async () => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), HOSTILE));
    const named = await byLabel(at, change, labeled(change, LABEL), {
      inputs: { head: change.head },
    });
    expect(named.result.trust).toBe('untrusted');
    at.github.intercept('GET', /\/permission$/, () => ({
      status: 500,
      body: { message: 'down', documentation_url: 'x' },
    }));
    const run = await byLabel(at, change, labeled(change, LABEL));
    expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
    expect(run.log).toContain(
      'it is not known whether ada-example, who added the label, may write',
    );
  });

  test("never lets the fork's code out of its confinement, whatever the workflow says of code", async () => {
    const at = await stage(obedient);
    const canary = join(temporaryFolder('canary'), 'ran');
    const code = `metrics:
  - name: answer
    code: |
      import os
      metric = os.environ.get('TEAM_SECRET', 'nothing')
      try:
          open(${JSON.stringify(canary)}, 'w').write(metric)
      except Exception as error:
          metric = type(error).__name__
      result = actual == expected`;
    const change = fromFork(
      at,
      changeOf(quiz(), { 'prompts/tests/quiz.yaml': quizTests(6, code) }),
    );
    const run = await byLabel(at, change, labeled(change, LABEL), {
      inputs: { code: 'host', 'code-env': 'TEAM_SECRET' },
      env: { TEAM_SECRET: 'canary-7f3a' },
    });
    expect(run.result.trust).toBe('member');
    expect(existsSync(canary)).toBe(false);
    const log = run.log.replaceAll('::add-mask::canary-7f3a', '');
    expect(log + run.reports['result.json'] + onlyComment(at)).not.toContain('canary-7f3a');
    const said = 'code: host does not hold for a pull request from a fork, approved or not';
    expect(run.log).toContain(said);
    expect(onlyComment(at)).toContain(said);
    expect(at.github.state.checkRuns[0]?.summary).toContain(said);
  });

  test('runs no program that an approved fork brings, and says why', async () => {
    const at = await stage(obedient);
    const change = fromFork(
      at,
      changeOf(quiz(), {
        'evaldiff.yaml': `${SETTINGS}  app: { provider: program, command: [node, app.mjs] }\n`,
        'app.mjs': 'process.exit(3);\n',
        'prompts/quiz.yaml': quizPrompt('Be exact.', 'app'),
      }),
    );
    const run = await byLabel(at, change, labeled(change, LABEL), { inputs: { code: 'host' } });
    expect(run.outputs).toMatchObject({ conclusion: 'error', calls: '0' });
    expect(run.messages.join()).toContain('the model "app" is a program of this repository');
    expect(onlyComment(at)).toContain('code: host does not hold for a pull request from a fork');
    expect(at.models.requests).toEqual([]);
  });

  test("runs none of promptfoo's code that an approved fork brings: no provider, no prompt, no tests", async () => {
    const at = await stage(obedient);
    const canary = join(temporaryFolder('canary'), 'ran');
    const leaves = (what: string) =>
      `require('node:fs').writeFileSync(${JSON.stringify(canary)}, ''); module.exports = ${what};\n`;
    const change = fromFork(
      at,
      changeOf(quiz(), {
        'evaldiff.yaml': `${SETTINGS}  default: { provider: openai, endpoint: local, model: quiz-1 }\nprompts: ['prompts/*.yaml', promptfooconfig.yaml]\n`,
        'promptfooconfig.yaml': `prompts: ['Be exact. Question {{n}}?', file://prompt.cjs]
providers: [file://provider.cjs, 'exec:./provider.cjs']
tests:
  - { vars: { n: 1 }, assert: [{ type: contains, value: answer }] }
  - file://tests.cjs
`,
        'provider.cjs': leaves("{ id: () => 'own', callApi: async () => ({ output: 'answer' }) }"),
        'prompt.cjs': leaves("() => 'Question 2?'"),
        'tests.cjs': leaves('() => [{ vars: { n: 3 } }]'),
      }),
    );
    const run = await byLabel(at, change, labeled(change, LABEL), { inputs: { code: 'host' } });
    expect(run.result.trust).toBe('member');
    expect(existsSync(canary)).toBe(false);
    expect(JSON.stringify(run.result.notices)).toContain('the provider file://provider.cjs');
    expect(onlyComment(at)).toContain('code: host does not hold for a pull request from a fork');
  });

  test("by another label, or a push after it, is none: the scoring is base's and the label stays", async () => {
    const at = await stage(obedient);
    const change = fromFork(at, changeOf(quiz(), HOSTILE));
    for (const event of [
      labeled(change, 'bug'),
      pullRequestEvent(change, 'pull_request_target.fork'),
    ]) {
      const run = await byLabel(at, change, event);
      expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
      expect(at.github.state.pulls.get(PULL)?.labels).toEqual(['bug', LABEL]);
    }
  });

  test('is used up also where the run ends in an error', async () => {
    const at = await stage(obedient);
    const change = fromFork(
      at,
      changeOf(quiz(), { 'prompts/quiz.yaml': 'name: quiz\nmodel: quiz-model\n' }),
    );
    const run = await byLabel(at, change, labeled(change, LABEL));
    expect(run.outputs['conclusion']).toBe('error');
    expect(at.github.state.pulls.get(PULL)?.labels).toEqual(['bug']);
  });
});
