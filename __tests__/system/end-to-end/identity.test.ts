import { IDENTITIES, REQUEST_TOKEN, startFederation } from '../../stand-ins/federation.ts';
import {
  README,
  WORSE,
  changeOf,
  obedient,
  promptOf,
  quiz,
  quizPrompt,
  quizTests,
} from './projects.ts';
import {
  MODEL_KEY,
  NO_KEY,
  onPullRequest,
  onlyComment,
  pullRequest,
  pullRequestEvent,
  stage,
} from './stage.ts';

const PROJECT = {
  ...quiz(),
  ...promptOf('Be exact.', 'gpt-5.4'),
  'prompts/claude.yaml': quizPrompt('Be exact.', 'claude-sonnet-4-6', 'claude'),
  'prompts/tests/claude.yaml': quizTests(4),
};

/** Runs the shipped action without any key on a project of both vendors. */
async function keyless(
  inputs: Record<string, string> = {},
  ...script: [exchange?: Parameters<typeof startFederation>[2], firstLasts?: number]
) {
  const at = await stage(obedient);
  const federation = await startFederation(at.models, MODEL_KEY, ...script);
  const { env } = federation;
  const options = { inputs: { ...federation.inputs, ...inputs }, env, shipped: true };
  const run = await onPullRequest(at, changeOf(README, PROJECT), options);
  return { at, federation, run };
}

describe('a job without keys', () => {
  test('is judged with tokens of both vendors; no token is shown or kept', async () => {
    const { at, federation, run } = await keyless();
    expect(run).toMatchObject({ messages: [], outputs: { errors: '0', calls: '20' } });
    expect(federation.exchanges()).toBe(2);
    const masks = run.commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data);
    expect(masks).toEqual(expect.arrayContaining(federation.secrets()));
    // The runner replaces masked values.
    const log = masks.reduce((text, mask) => text.replaceAll(mask, '***'), run.log);
    const shown = JSON.stringify([log, run.outputs, run.summary, run.reports, onlyComment(at)]);
    for (const secret of federation.secrets()) expect(shown).not.toContain(secret);
  });

  test('loses no answer to tokens that expire during the run, and pays none twice', async () => {
    const { federation, run } = await keyless({}, undefined, 3);
    expect(federation.exchanges()).toBe(4);
    expect(run.outputs).toMatchObject({ calls: '20', errors: '0', conclusion: 'success' });
  });

  test('survives a failing exchange', async () => {
    const { run } = await keyless({}, (at) => (at < 3 ? { status: 500, body: {} } : null));
    expect(run.outputs).toMatchObject({ errors: '0', conclusion: 'success' });
  });

  const refusal = { error: 'invalid_grant', error_description: 'no mapping for this subject' };
  const elsewhere = IDENTITIES.replace('sa_1', 'sa_1 audience=https://other.example');
  test.each([
    ['subject', {}, () => ({ status: 403, body: refusal }), '(403): no mapping for this subject'],
    ['audience', { keys: elsewhere }, undefined, '(400): not trusted'],
    ['account', { keys: IDENTITIES.replace('sa_1', 'sa_2') }, undefined, '(400): not trusted'],
  ])("names the line if a vendor refuses the identity's %s", async (_, inputs, exchange, why) => {
    const { federation, run } = await keyless(inputs, exchange);
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error' } });
    expect(run.log).toContain(
      `OpenAI refused the job's identity ${why}; the identity comes from the line openai=oidc:… of the input keys`,
    );
    expect(federation.exchanges()).toBeLessThan(5);
  });
});

describe('a job that may not request identity tokens', () => {
  const inputs = { endpoints: '', keys: IDENTITIES };

  test('gets the permission to add', async () => {
    const { run } = await pullRequest(README, PROJECT, { inputs });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', calls: '0' } });
    expect(run.messages).toContain(
      'The input keys names an identity for openai, but this job cannot request an identity token: add the line "id-token: write" under permissions: of the job (next to "contents: read").',
    );
  });

  test('is neutral in a pull request from a fork, which never gets a token', async () => {
    const at = await stage(obedient);
    const change = changeOf(PROJECT, WORSE);
    const event = pullRequestEvent(change, 'pull_request.fork');
    const run = await onPullRequest(at, change, { event, inputs });
    expect(run.outputs).toMatchObject({ conclusion: 'neutral', calls: '0' });
    expect(run.log).toContain(NO_KEY);
  });
});

test("code, programs and their setup cannot read the job's right to request identity tokens", async () => {
  const env = {
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
    ACTIONS_ID_TOKEN_REQUEST_URL: 'https://runner.example/idtoken/17?api-version=2.0',
  };
  const look = `require('fs').writeFileSync('seen', JSON.stringify(process.env))`;
  const answer = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => { const { id } = JSON.parse(line); console.log(JSON.stringify({ id, output: require('fs').readFileSync('seen', 'utf8') + JSON.stringify(process.env) })) })`;
  const metric =
    'n_tries: 1\nmetrics:\n  - name: sees\n    code: |\n      import os\n      metric = actual + str(dict(os.environ))\n      result = True\nreferences: [{ input: { q: a } }]\n';
  const files = {
    'evaldiff.yaml':
      'models: { app: { provider: program, command: [node, app.cjs], setup: [node, look.cjs] } }\n',
    'app.cjs': answer,
    'look.cjs': look,
    'prompts/p.yaml': 'name: p\nmodel: app\ndefaults: [tests/p]\nvariables: [q]\nprompt: "{q}"\n',
    'prompts/tests/p.yaml': metric,
  };
  const { run } = await pullRequest(README, files, { inputs: { code: 'host' }, env });
  expect(run.reports['result.json']).toContain('PATH');
  expect(run.reports['result.json']).not.toMatch(/ID_TOKEN|idtoken/);
});
