import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { renderGithub } from '../../stand-ins/github-markdown.ts';
import {
  asciiQuoted,
  canBeWritten,
  hostileLogs,
  hostileTexts,
} from '../../stand-ins/hostile-text.ts';
import { shallowCheckout, temporaryFolder, type FixtureFiles } from '../../stand-ins/repository.ts';
import {
  SETTINGS,
  WORSE,
  changeOf,
  obedient,
  promptOf,
  quiz,
  quizPrompt,
  quizTests,
  recordings,
  testsOf,
  type Change,
} from './projects.ts';
import { ROOT, type Event, type StepResult } from './runner.ts';
import {
  NO_KEY,
  PULL,
  READ_ONLY,
  eventPayload,
  fromBranch,
  fromFork,
  onlyComment,
  pullRequestEvent,
  runOn,
  stage,
  type Stage,
  type StepOptions,
} from './stage.ts';

/**
 * A fork's attempt to pass by changing the metric, the expected answers, the model, the gate and
 * the tests.
 */
const HOSTILE: FixtureFiles = {
  ...WORSE,
  'prompts/tests/quiz.yaml': quizTests(
    4,
    'metrics:\n  - name: answer\n    code: |\n      open("/tmp/evaldiff-canary", "w").write("ran")\n      metric = 1\n      result = True',
  ).replaceAll(/answer \d/g, 'no idea'),
  'evaldiff.yaml': `${SETTINGS.replace('quiz-1', 'quiz-9-expensive')}gate: { fail_on: never }\nbudget: { max_calls: 99999 }\nn_tries: 50\n`,
};
const BROKEN = { 'prompts/quiz.yaml': 'name: quiz\nmodel: quiz-model\n' };

/** The `with:` of the action's step in the example workflow, without secrets. */
function example(name: string): Record<string, string> {
  const text = readFileSync(join(ROOT, 'examples', 'workflows', `${name}.yml`), 'utf8');
  type Jobs = Record<string, { steps: { uses?: string; with?: Record<string, unknown> }[] }>;
  const { jobs } = parse(text) as { jobs: Jobs };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const given = steps.find(({ uses }) => uses?.includes('/evaldiff@'))?.with ?? {};
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      String(value).startsWith('${{') ? '' : String(value),
    ]),
  );
}

function workflowRun({ head }: Change, changes: Record<string, unknown> = {}): Event {
  const payload = eventPayload('workflow_run');
  const run = { ...(payload['workflow_run'] as object), head_sha: head, ...changes };
  return { name: 'workflow_run', payload: { ...payload, workflow_run: run } };
}

const mainOf = ({ origin }: Change) => shallowCheckout(origin, 'refs/heads/main');

/** Runs the second stage as a runner does, with the default branch checked out. */
function evaluate(
  at: Stage,
  change: Change,
  { event = workflowRun(change), inputs, ...options }: StepOptions & { event?: Event } = {},
) {
  const given = { ...example('fork-evaluate'), ...inputs };
  return runOn(at, { checkout: mainOf(change), event }, { ...options, inputs: given });
}

/** A stage with a pull request from a fork that changes the quiz. */
async function forked(head: FixtureFiles, base: FixtureFiles = quiz(), token?: typeof READ_ONLY) {
  const at = await stage(obedient, token);
  return { at, change: fromFork(at, changeOf(base, head)) };
}

const down = () => ({ status: 500, body: { message: 'down', documentation_url: 'x' } });

describe("a fork's first stage, without permissions", () => {
  const check = async (head: FixtureFiles, base?: FixtureFiles) => {
    const { at, change } = await forked(head, base, READ_ONLY);
    const checkout = shallowCheckout(change.origin, `refs/pull/${PULL}/merge`);
    const event = pullRequestEvent(change, 'pull_request.fork');
    const inputs = { ...example('fork-check'), endpoints: '' };
    const env = { GITHUB_ACTION_REPOSITORY: 'acme/evaldiff', GITHUB_ACTION_REF: 'v1' };
    return { at, run: await runOn(at, { checkout, event }, { inputs, env }) };
  };

  test('reports trust level, settings and planned runs without a model call, with a neutral result', async () => {
    const { run, at } = await check(WORSE);
    expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'neutral', calls: '0' } });
    for (const line of [
      '| trust: untrusted: head is in a fork, or in a repository that was deleted; GitHub withholds the secrets',
      '|   metrics and roll-ups: base',
      '| prompts/quiz.yaml: 6 references because of messages (prompts/quiz.yaml)',
      '| 24 calls for the first answers',
    ])
      expect(run.log).toContain(line);
    expect(run.log).toMatch(/^\| {3}q6$/m);
    for (const words of [
      NO_KEY,
      '6 tests not run, affected by',
      '[How to get it judged](<https://github.com/acme/evaldiff/blob/v1/docs/forks.md>)',
    ])
      expect(run.summary).toContain(words);
    expect([run.annotations, at.models.requests]).toEqual([[], []]);
    // The run read only its own pull request and user, and wrote nothing.
    const { exchanges } = at.github.state;
    const written = exchanges.filter(({ method, path }) => method !== 'GET' && path !== '/graphql');
    expect(written).toEqual([]);
  });

  test('judges suites that need no key, such as those with recorded answers', async () => {
    const settings = `${SETTINGS}  recorded: { provider: replay, file: old.jsonl, model: old }\nn_tries: 5\n`;
    const old = (system: string) => ({
      'prompts/old.yaml': quizPrompt(system, 'recorded', 'old'),
    });
    const base = {
      ...quiz({ settings }),
      ...old('Be exact.'),
      'prompts/tests/old.yaml': quizTests(),
      'old.jsonl':
        recordings(['old', 'Be exact.', 5], (n) => `answer ${n}`) +
        recordings(['old', 'Skip all', 5], () => 'no idea'),
    };
    const { run } = await check({ ...WORSE, ...old('Skip all') }, base);
    expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '6' });
    expect(run.log).toContain(NO_KEY);
    expect(run.log).toContain('quiz: 6 tests not run');
  });
});

describe("a fork's second stage, with keys", () => {
  test('finds the pull request, scores it by the default branch, and writes its comment and check', async () => {
    const { at, change } = await forked(HOSTILE);
    const run = await evaluate(at, change);
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'failure', regressed: '3' } });
    const sides = { base: { sha: change.base }, head: { sha: change.head } };
    expect(run.result).toMatchObject({ trust: 'untrusted', ...sides, n_tries: 'adaptive' });
    expect(run.result.suites[0]?.references.map(({ id, expected }) => [id, expected])).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => [`q${n}`, `answer ${n}`]),
    );
    expect(new Set(at.models.requests.map(({ model }) => model))).toEqual(new Set(['quiz-1']));
    const { comments, checkRuns } = at.github.state;
    expect(comments.map(({ issue }) => issue)).toEqual([PULL]);
    expect(onlyComment(at)).toContain('`quiz` 100 → 50 %: 3 of 6 tests broke');
    expect(onlyComment(at)).not.toContain('For your coding agent');
    expect(checkRuns).toMatchObject([{ headSha: change.head, conclusion: 'failure' }]);
    const said = run.result.notices.filter(({ kind }) => kind === 'trust');
    expect(said.map(({ message }) => message)).toEqual([
      "this pull request comes from an outside contributor and changes evaldiff.yaml. Base's settings were used.",
      expect.stringMatching(
        /^this pull request comes from an outside contributor\. Base's version was used of: .*code \(metrics\.answer\), .*edited references \(q1, q2, q3, q4\), removed references \(q5, q6\)\. A maintainer can run the new code/,
      ),
    ]);
  });

  test("fetches the fork's commits as objects and leaves the workspace on the default branch", async () => {
    const { at, change } = await forked({ ...WORSE, 'planted.txt': 'from the fork' });
    const checkout = mainOf(change);
    const before = checkout.git('rev-parse', 'HEAD');
    const inputs = example('fork-evaluate');
    const run = await runOn(at, { checkout, event: workflowRun(change) }, { inputs });
    expect(run.outputs['conclusion']).toBe('failure');
    expect(checkout.git('rev-parse', 'HEAD')).toBe(before);
    expect(checkout.git('status', '--porcelain', '--untracked-files=no')).toBe('');
    expect(readdirSync(checkout.directory)).not.toContain('planted.txt');
    expect(() => checkout.git('cat-file', '-t', change.head)).toThrow('could not get object info');
  });

  test('skips the run without an error if the pull request was updated or closed in the meantime', async () => {
    const { at, change } = await forked(WORSE);
    const title = `No open pull request has ${change.head.slice(0, 7)} as its head: it was closed or updated in the meantime.`;
    for (const state of ['open', 'closed'] as const) {
      const pull = at.github.state.pulls.get(PULL)!;
      Object.assign(pull, { state, head: { ...pull.head, sha: 'e'.repeat(40) } });
      const run = await evaluate(at, change);
      expect(run).toMatchObject({ code: 0, outputs: { conclusion: 'neutral', title } });
      const notices = run.commands.filter(({ name }) => name === 'notice').map(({ data }) => data);
      expect(notices).toEqual([
        expect.stringMatching(/^Nothing was evaluated\. No open pull request/),
      ]);
      expect(run.lastLine).toMatch(/^\| evaldiff: neutral/);
    }
    expect(at.models.requests).toEqual([]);
    expect([at.github.state.comments, at.github.state.checkRuns]).toEqual([[], []]);
  });

  test('reports one error line if GitHub cannot identify the pull request or the key is missing', async () => {
    const { at, change } = await forked(WORSE);
    const keyless = await evaluate(at, change, { env: { LOCAL_KEY: '' } });
    expect(keyless).toMatchObject({ code: 1, messages: [expect.stringContaining('LOCAL_KEY')] });
    at.github.intercept('GET', /./, down);
    const run = await evaluate(at, change);
    expect(run.code).toBe(1);
    expect(run.messages).toEqual([
      expect.stringMatching(
        /^The pull request of this run was not found: GitHub failed with an internal error/,
      ),
    ]);
    expect(run.log).not.toContain('    at ');
    expect(at.models.requests).toEqual([]);
  });

  test("does not accept a pull request that is named by another repository's run", async () => {
    const { at, change } = await forked(WORSE);
    const event = workflowRun(change, {
      head_repository: { full_name: 'mallory-example/prompts' },
      pull_requests: [{ number: PULL }],
    });
    const run = await evaluate(at, change, { event });
    expect(run.outputs['conclusion']).toBe('neutral');
    expect(at.models.requests).toEqual([]);
  });
});

test("the second stage reports a hostile fork's file names, but does not execute or render them", async () => {
  const texts = [...Object.values(hostileTexts), ...hostileLogs].filter(canBeWritten);
  const nth = (text: string, index: number) => asciiQuoted(`${text} ${index}`);
  const metrics = texts
    .slice(0, 9)
    .map((text, index) => `  - { name: ${nth(text, index)}, uses: is_json }`);
  const references = texts.map(
    (text, index) =>
      `  - { id: ${nth(text, index)}, input: { question: ${asciiQuoted(`${text} Question ${index + 10}?`)} }, expected: x }`,
  );
  const user = asciiQuoted(texts.slice(0, 9).join(' '));
  const { at, change } = await forked({
    'prompts/quiz.yaml': quizPrompt('Skip 1 2 3', '::error::model ##[error]x @octocat').replace(
      'temperature: 0.5',
      `temperature: 0.5\nuser: ${user}`,
    ),
    'prompts/tests/quiz.yaml': `metrics:\n${metrics.join('\n')}\nreferences:\n${references.join('\n')}\n`,
    'prompts/::error::@octocat new.yaml': quizPrompt('x', 'quiz-model', '<img src=x>').replace(
      'tests/<img src=x>',
      'tests/quiz',
    ),
    'evaldiff.yaml': '::error::not yaml: [\n  ##[error]: {\n',
  });
  const event = workflowRun(change, { head_branch: 'a$(id)`id`<b>@octocat' });
  const run = await evaluate(at, change, { event });
  expect(run.outputs).toMatchObject({ conclusion: 'failure', regressed: '3' });
  expect(run.commands.map(({ name }) => name).filter((name) => name !== 'add-mask')).toEqual([]);
  // Links to this run, and to the fork's files at its commit.
  const ours =
    /^https:\/\/github\.example\/(acme\/prompts\/|bo-example\/prompts\/blob\/[0-9a-f]{40}\/[\w./%-]+(#L\d+)?$)/;
  const comment = onlyComment(at).replace(/^<!-- evaldiff comment evaldiff [0-9a-f]{8} -->/, '');
  for (const markdown of [comment, run.summary, at.github.state.checkRuns[0]?.summary ?? '']) {
    const { images, references, comments, links, elements } = renderGithub(markdown);
    const others = links.filter((url) => !ours.test(url));
    expect([images, references, comments, others]).toEqual([[], [], [], []]);
    for (const name of ['img', 'script', 'h1', 'input', 'svg', 'style'])
      expect(elements).not.toContain(name);
  }
  expect(run.result.notices.filter(({ kind }) => kind === 'trust').length).toBeGreaterThan(2);
});

describe("a workspace with the fork's files next to the keys", () => {
  test.each([
    ['workflow_run', 'head'],
    ['workflow_run', 'merge'],
    ['pull_request_target', 'head'],
    ['pull_request_target', 'merge'],
  ])('is rejected on %s of %s before anything is read or sent', async (name, ref) => {
    const { at, change } = await forked(WORSE);
    const event =
      name === 'workflow_run'
        ? workflowRun(change)
        : pullRequestEvent(change, 'pull_request_target.fork');
    const checkout = shallowCheckout(change.origin, `refs/pull/${PULL}/${ref}`);
    const run = await runOn(at, { checkout, event }, { needsCheckout: true });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', calls: '0' } });
    expect(run.messages).toEqual([
      `${name} can read secrets, and the head of a fork is checked out: remove ref and repository from the checkout step. This action does not need the checkout.`,
    ]);
    expect(at.models.requests).toEqual([]);
  });
});

describe('approval by label', () => {
  const LABEL = 'evaluate prompts';
  const labelsOf = ({ github }: Stage) => github.state.pulls.get(PULL)?.labels;
  const labeled = (change: Change, label = LABEL, more: object = {}): Event => {
    const event = pullRequestEvent(change, 'pull_request_target.approved');
    const payload = { ...(event.payload as object), label: { name: label }, ...more };
    return { ...event, payload };
  };
  const byLabel = (
    { at, change }: { at: Stage; change: Change },
    { event = labeled(change), inputs, env = {} }: StepOptions & { event?: Event } = {},
  ) => {
    at.github.state.pulls.get(PULL)!.labels = ['bug', LABEL];
    const given = { ...example('fork-approve'), ...inputs };
    return runOn(at, { checkout: mainOf(change), event }, { inputs: given, env });
  };
  const NOT_HOST = 'code: host does not apply to a pull request from a fork';

  test("judges the labelled commit like a team member's, uses the fork's scoring, and removes the label", async () => {
    const fork = await forked(testsOf(6, 'metrics: [{ name: answer, uses: contains }]'));
    const { at, change } = fork;
    const run = await byLabel(fork);
    expect(run).toMatchObject({ code: 0, result: { trust: 'member', head: { sha: change.head } } });
    expect(run.result.suites[0]?.because.map(({ key }) => key)).toContain('metrics.answer');
    const approved = 'ada-example (write) approved commit';
    expect(run.log).toContain(
      `| trust: member: ${approved} ${change.head.slice(0, 7)} with a label`,
    );
    expect(onlyComment(at)).toContain(approved);
    expect(labelsOf(at)).toEqual(['bug']);
  });

  test('shows no prompt for a coding agent, because an outsider wrote the names and lines in it', async () => {
    const fork = await forked(WORSE);
    const run = await byLabel(fork);
    expect(run.result).toMatchObject({ trust: 'member', conclusion: 'failure' });
    expect(onlyComment(fork.at)).toContain('**Next**: ');
    expect(onlyComment(fork.at)).not.toContain('For your coding agent');
  });

  test('does not count if added by a user with triage access, and the report says why', async () => {
    const fork = await forked(HOSTILE);
    fork.at.github.state.roles.set('tri', 'triage');
    const event = labeled(fork.change, LABEL, { sender: { id: 1, login: 'tri' } });
    const run = await byLabel(fork, { event });
    expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
    expect(run.notices.join('\n')).toContain('The approval by label does not count: ');
    expect(run.notices.join('\n')).toContain('tri, who added the label, has no write access');
    expect(labelsOf(fork.at)).toEqual(['bug']);
  });

  test('does not count for another commit, or if GitHub does not report who has write access', async () => {
    const fork = await forked(HOSTILE);
    const named = await byLabel(fork, { inputs: { head: fork.change.head } });
    expect(named.result.trust).toBe('untrusted');
    fork.at.github.intercept('GET', /\/permission$/, down);
    const run = await byLabel(fork);
    expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
    const unknown = 'it is unknown whether ada-example, who added the label, has write access';
    expect(run.log).toContain(unknown);
  });

  test("never lets the fork's code leave its sandbox, whatever the workflow allows", async () => {
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
    const fork = await forked(testsOf(6, code));
    const run = await byLabel(fork, {
      inputs: { code: 'host', 'code-env': 'TEAM_SECRET' },
      env: { TEAM_SECRET: 'canary-7f3a' },
    });
    expect(run.result.trust).toBe('member');
    expect(existsSync(canary)).toBe(false);
    const log = run.log.replaceAll('::add-mask::canary-7f3a', '');
    const comment = onlyComment(fork.at);
    expect(log + run.reports['result.json'] + comment).not.toContain('canary-7f3a');
    const { summary } = fork.at.github.state.checkRuns[0]!;
    for (const text of [run.log, comment, summary])
      expect(text).toContain(`${NOT_HOST}, even an approved one`);
  });

  test('does not run programs from an approved fork, and explains why', async () => {
    const fork = await forked({
      'evaldiff.yaml': `${SETTINGS}  app: { provider: program, command: [node, app.mjs] }\n`,
      'app.mjs': 'process.exit(3);\n',
      ...promptOf('Be exact.', 'app'),
    });
    const run = await byLabel(fork, { inputs: { code: 'host' } });
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    const comment = onlyComment(fork.at);
    expect(comment).toContain('do not run for outside contributors. quiz was not judged');
    expect(comment).toContain(NOT_HOST);
    expect(fork.at.models.requests).toEqual([]);
  });

  test('does not run promptfoo code from an approved fork: no provider, prompt or tests', async () => {
    const canary = join(temporaryFolder('canary'), 'ran');
    const leaves = (what: string) =>
      `require('node:fs').writeFileSync(${JSON.stringify(canary)}, ''); module.exports = ${what};\n`;
    const fork = await forked({
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
    });
    const run = await byLabel(fork, { inputs: { code: 'host' } });
    expect(run.result.trust).toBe('member');
    expect(existsSync(canary)).toBe(false);
    expect(JSON.stringify(run.result.notices)).toContain('the provider file://provider.cjs');
    expect(onlyComment(fork.at)).toContain(NOT_HOST);
  });

  test("does not count with another label or after a push: base's scoring applies and the label stays", async () => {
    const fork = await forked(HOSTILE);
    const push = pullRequestEvent(fork.change, 'pull_request_target.fork');
    for (const event of [labeled(fork.change, 'bug'), push]) {
      const run = await byLabel(fork, { event });
      expect(run.result).toMatchObject({ trust: 'untrusted', conclusion: 'failure' });
      expect(labelsOf(fork.at)).toEqual(['bug', LABEL]);
    }
  });

  test('never overrides the verdict of an approved fork, whoever added the override label', async () => {
    const fork = await forked(WORSE);
    const pull = fork.at.github.state.pulls.get(PULL)!;
    pull.body = 'accept: reviewed by the prompt team';
    const actor = { login: 'ada-example', id: 2001, type: 'User' } as const;
    pull.events = [{ event: 'labeled', label: 'accept', at: new Date(), actor }];
    fork.at.github.intercept('GET', /\/pulls\/12$/, () => void pull.labels.push('accept'));
    const run = await byLabel(fork, { inputs: { 'override-label': 'accept' } });
    expect(run.result).toMatchObject({ trust: 'member', conclusion: 'failure', override: null });
    expect(run.log).toContain("it never applies to an outside contributor's pull request");
  });

  test('removes the label even if the run ends in an error', async () => {
    const fork = await forked(BROKEN);
    expect((await byLabel(fork)).outputs['conclusion']).toBe('error');
    expect(labelsOf(fork.at)).toEqual(['bug']);
  });
});

describe('a verdict for the branch lax, whose gate never fails', () => {
  const named = { 'check-name': 'evaldiff verdict', 'untrusted-approval': 'evaluate prompts' };
  const LAX = SETTINGS.replace('gate: { ', 'gate: { fail_on: never, ');
  const shown = ({ github }: Stage) =>
    Object.fromEntries(github.state.checkRuns.map((run) => [run.name, run.conclusion]));

  /** Runs the action for the pull request, which merges into this branch now. */
  type Run = (
    at: Stage,
    change: Change,
    branch: string,
    more?: Record<string, unknown>,
  ) => Promise<StepResult>;
  const onEvent =
    (kind: string, payloadMore: object = {}): Run =>
    (at, change, branch, more = {}) => {
      const event = pullRequestEvent(change, kind);
      const payload = event.payload as { pull_request: { base: { ref: string } } };
      payload.pull_request.base.ref = branch;
      Object.assign(payload, payloadMore, more);
      const checkout = mainOf(change);
      return runOn(at, { checkout, event: { ...event, payload } }, { inputs: named });
    };
  const labelled = { action: 'labeled', label: { name: 'evaluate prompts' } };
  const byLabel = onEvent('pull_request_target.approved', labelled);
  const afterReview: Run = (at, change) => evaluate(at, change, { inputs: named });
  const ofMember = onEvent('pull_request');

  async function intoLax(isMember: boolean) {
    const at = await stage(obedient);
    const history = { behind: [{ 'evaldiff.yaml': SETTINGS }] };
    const change = changeOf(quiz({ settings: LAX }), WORSE, history);
    const lax = change.origin.git('rev-parse', 'main~1');
    change.origin.git('update-ref', 'refs/heads/lax', lax);
    if (isMember) fromBranch(at, change);
    else fromFork(at, change);
    const pull = at.github.state.pulls.get(PULL)!;
    const into = (ref: 'lax' | 'main') => {
      pull.base = { ref, sha: ref === 'lax' ? lax : change.base };
      pull.labels = ['evaluate prompts'];
    };
    into('lax');
    return { at, change, into };
  }

  test.each([
    ['approved by label', false, byLabel],
    ['approved in an environment', false, afterReview],
    ['of a member', true, ofMember],
  ])('does not count for main: a pull request %s', async (_whose, isMember, run) => {
    const { at, change, into } = await intoLax(isMember);
    const lax = await run(at, change, 'lax');
    expect(lax.result).toMatchObject({ conclusion: 'neutral', suites: [{ verdict: 'regressed' }] });
    expect(shown(at)).toEqual({ 'evaldiff verdict (base lax)': 'neutral' });
    const [check] = at.github.state.checkRuns;
    expect(check).toMatchObject({
      title: expect.stringMatching(/^Regressed: quiz .* \(base lax\)$/),
      externalId: expect.stringMatching(/:12:lax:neutral$/),
    });
    expect(onlyComment(at)).toContain(' · base `lax`');

    into('main');
    await run(at, change, 'main');
    expect(shown(at)).toMatchObject({ 'evaldiff verdict': 'failure' });
    expect(at.github.state.checkRuns.at(-1)?.title).not.toContain('(base');
    expect(onlyComment(at)).not.toContain(' · base');
  });

  test.each<['lax' | 'main', Record<string, string>]>([
    ['main', { 'evaldiff verdict (base lax)': 'neutral', 'evaldiff verdict': 'failure' }],
    ['lax', { 'evaldiff verdict (base lax)': 'neutral' }],
  ])('stays beside that of the present base %s', async (present, checks) => {
    const { at, change, into } = await intoLax(true);
    await ofMember(at, change, 'lax', {});
    into(present);
    await ofMember(at, change, present, { action: 'edited' });
    expect(shown(at)).toEqual(checks);
  });
});
