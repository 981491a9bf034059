import { workflowToken } from '../../stand-ins/github/index.ts';
import type { FixtureFiles } from '../../stand-ins/repository.ts';
import {
  README,
  SETTINGS,
  WORSE,
  changeOf,
  obedient,
  promptOf,
  questionOf,
  quiz,
  quizPrompt,
  quizTests,
} from './projects.ts';
import { TOKEN } from './runner.ts';
import {
  MODEL_KEY,
  NO_KEY,
  READ_ONLY,
  fromBranch,
  modelServer,
  onPullRequest,
  onlyComment,
  pullRequest,
  pullRequestEvent,
  queueEvent,
  runOn,
  stage,
  type StepOptions,
} from './stage.ts';

const withoutEndpoints = { inputs: { endpoints: '' } };

describe('a missing API key', () => {
  test('is never green: an error in log, check and comment names the input', async () => {
    const { at, run } = await pullRequest(README, {
      ...quiz(),
      ...promptOf('Be exact.', 'gpt-5.4'),
      'prompts/claude.yaml': quizPrompt('Be exact.', 'claude-sonnet-4-6', 'claude'),
      'prompts/tests/claude.yaml': quizTests(2),
    });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', calls: '0' } });
    expect(run.messages.sort()).toEqual([
      'No key for provider anthropic: set ANTHROPIC_API_KEY (in a workflow, the input anthropic-api-key; in a terminal, the file .env works, too).',
      'No key for provider openai: set OPENAI_API_KEY (in a workflow, the input openai-api-key; in a terminal, the file .env works, too).',
    ]);
    const title = 'Not judged: 2 problems to fix';
    expect(run.lastLine).toBe(`| evaldiff: error (nothing was judged). ${title}`);
    expect(at.github.state.checkRuns[0]).toMatchObject({
      conclusion: 'failure',
      title: title,
    });
    expect(onlyComment(at)).toContain('the input openai-api-key');
    expect(run.summary).toContain('the input anthropic-api-key');
  });

  test.each([
    ['a member', 'ada-example'],
    ['Dependabot', 'dependabot[bot]'],
  ])('fails in a merge queue, where a neutral check would merge: of %s', async (_whose, login) => {
    const at = await stage(obedient);
    const change = changeOf(quiz(), WORSE);
    fromBranch(at, change).user = { login, id: 5, type: 'User' };
    const queue = queueEvent(change, change.base, change.merge!);
    const run = await runOn(at, queue, { env: { LOCAL_KEY: '' } });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error' } });
    expect(run.messages.join()).toContain('the environment variable LOCAL_KEY is not set');
    expect(at.github.state.checkRuns).toMatchObject([{ conclusion: 'failure' }]);
  });
});

describe('a pull request from a fork', () => {
  const fork = async (head: FixtureFiles, options: StepOptions = {}) => {
    const at = await stage(obedient, ...(options === withoutEndpoints ? [READ_ONLY] : []));
    const change = changeOf(quiz(), head);
    const event = pullRequestEvent(change, 'pull_request.fork');
    return { at, run: await onPullRequest(at, change, { event, ...options }) };
  };

  test('without keys has the neutral result and calls no model; the summary explains why', async () => {
    const { at, run } = await fork(WORSE, withoutEndpoints);
    const published = { 'comment-id': '', 'check-run-id': '' };
    const outputs = { conclusion: 'neutral', calls: '0', ...published };
    expect(run).toMatchObject({ code: 0, outputs, result: { trust: 'untrusted' } });
    expect(run.lastLine).toBe('| evaldiff: neutral (not red). Checked without a model key');
    expect(run.log).toContain(NO_KEY);
    expect(run.summary).toContain(NO_KEY);
    expect(run.annotations).toMatchObject([
      { level: 'warning', message: expect.stringMatching(/^The check run was not written.*fork/) },
    ]);
    expect(at.models.requests).toEqual([]);
  });

  test('still gets its configuration errors reported', async () => {
    const broken = { 'prompts/quiz.yaml': 'name: quiz\nmodel: quiz-model\n' };
    const { run } = await fork(broken, withoutEndpoints);
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error' } });
    const errors = run.annotations.filter(({ level }) => level === 'error');
    expect(errors.map(({ message }) => message)).toEqual([
      'prompts/quiz.yaml: needs messages or prompt (not both), or code',
    ]);
  });
});

describe('a token without permissions', () => {
  const unpublished = { conclusion: 'failure', 'comment-id': '', 'check-run-id': '' };

  test('prevents the comment and the check but not the verdict, and a warning names the permission', async () => {
    const { run } = await pullRequest(quiz(), WORSE, { token: workflowToken() });
    expect(run).toMatchObject({ code: 1, outputs: { ...unpublished, regressed: '3' } });
    expect(run.annotations.map(({ level, message }) => `${level}: ${message}`).sort()).toEqual([
      expect.stringMatching(/^warning: The check run was not written: .*checks: write/),
      expect.stringMatching(/^warning: The comment was not written: .*pull-requests: write/),
    ]);
    expect(run.summary).toContain('### ❌ Regressed: ');
  });

  test('leaves the verdict unchanged when GitHub is down', async () => {
    const at = await stage(obedient);
    at.github.intercept('POST', /./, () => 'reset');
    const run = await onPullRequest(at, changeOf(quiz(), WORSE));
    expect(run.outputs).toMatchObject(unpublished);
    expect(run.annotations.map(({ level }) => level)).toEqual(['warning', 'warning']);
  });
});

describe('keys', () => {
  test('reach only their own server, never another host, log, output, report, comment or check', async () => {
    const openaiKey = 'sk-proj-0a1b2c3d4e5f6a7b8c9d0e1f';
    const otherKey = 'other-key-77aa55cc33ee11ff';
    const keys = [MODEL_KEY, otherKey, openaiKey, TOKEN];
    const spellings = (key: string) => [
      ...[key, encodeURIComponent(key), key.slice(-8)],
      ...(['base64', 'hex'] as const).map((encoding) => Buffer.from(key).toString(encoding)),
    ];
    // The model repeats every key that it could know, in plain text and encoded. For one question,
    // the server also returns an error that repeats the keys.
    const at = await stage((request) => {
      const key = /key-\S+/.exec(String(request.headers.authorization))?.[0] ?? '';
      if (questionOf(request.messages) === 12)
        return { status: 401, error: { message: `Incorrect API key provided: ${MODEL_KEY}` } };
      return { text: [...keys.flatMap(spellings), key].join(' ') };
    });
    const other = await modelServer({ answer: obedient, key: otherKey });
    const settings = `${SETTINGS}  quiz-other: { provider: openai, endpoint: other, model: quiz-2 }\n`;
    const files = (system: string) => ({
      ...promptOf(system),
      'prompts/other.yaml': quizPrompt(system, 'quiz-other', 'other'),
    });
    const questions = { ...quiz({ questions: 12, settings }), ...files('Be exact.') };
    const change = changeOf(
      { ...questions, 'prompts/tests/other.yaml': quizTests(2) },
      files(`Be brief. ${otherKey.slice(0, 4)}`),
    );
    const run = await onPullRequest(at, change, {
      inputs: {
        'openai-api-key': openaiKey,
        endpoints: `local=${at.models.openaiUrl} key=LOCAL_KEY\nother=${other.openaiUrl} key=OTHER_KEY`,
      },
      env: { OTHER_KEY: otherKey, OPENAI_API_KEY: openaiKey },
    });

    const masked = run.commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data);
    expect(masked.sort()).toEqual(keys.toSorted());
    const sentToGitHub = at.github.state.exchanges.map(({ path, query, body }) => [
      path,
      query,
      body,
    ]);
    const shown = {
      log: run.log.replace(/^::add-mask::.*$/gm, ''),
      outputs: JSON.stringify(run.outputs),
      summary: run.summary,
      ...run.reports,
      comment: onlyComment(at),
      check: JSON.stringify(at.github.state.checkRuns),
      requests: JSON.stringify(sentToGitHub),
    };
    for (const [where, text] of Object.entries(shown))
      for (const spelling of keys.flatMap(spellings))
        expect([where, text.includes(spelling)]).toEqual([where, false]);
    expect(run.reports['result.json']).toContain('***');
    const sent = (server: typeof other) =>
      server.requests.map(({ headers, body }) => JSON.stringify([headers, body])).join('\n');
    for (const key of [otherKey, openaiKey, TOKEN]) expect(sent(at.models)).not.toContain(key);
    for (const key of [MODEL_KEY, openaiKey, TOKEN]) expect(sent(other)).not.toContain(key);
    expect(other.requests.length).toBeGreaterThan(0);
  });

  test('are not sent to an address from an environment variable', async () => {
    const trap = await modelServer({});
    const { run } = await pullRequest(quiz(), WORSE, {
      env: { OPENAI_BASE_URL: trap.openaiUrl, HTTPS_PROXY: trap.url, HTTP_PROXY: trap.url },
    });
    expect(run.outputs['conclusion']).toBe('failure');
    expect(trap.requests).toEqual([]);
    expect(run.log).toContain('the environment variable OPENAI_BASE_URL is ignored');
  });
});
