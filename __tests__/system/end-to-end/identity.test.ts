import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Result } from '../../../src/kernel/result/result.ts';
import { untilTestEnds } from '../../stand-ins/after-test.ts';
import { SCRIPTED_AGENT } from '../../stand-ins/agents/scripted-agent.ts';
import { cacheEnvironment, startCacheServer } from '../../stand-ins/cache-service.ts';
import { ACCOUNT, LASTING, POOL, ROLE, startClouds } from '../../stand-ins/clouds.ts';
import { ECHO, IDENTITIES, REQUEST_TOKEN, startFederation } from '../../stand-ins/federation.ts';
import { startAgentModel } from '../../stand-ins/models/agent-model.ts';
import type { Script } from '../../stand-ins/models/server.ts';
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
  testsOf,
} from './projects.ts';
import { startCommand } from './runner.ts';
import {
  MODEL_KEY,
  NO_KEY,
  commandEnvironment,
  desk,
  onPullRequest,
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

interface Given {
  inputs?: Record<string, string>;
  env?: Record<string, string>;
  files?: FixtureFiles;
  answer?: Script;
  models?: { url: string };
  exchange?: Parameters<typeof startFederation>[2];
  firstLasts?: number;
  list?: Parameters<typeof startFederation>[4];
  shipped?: boolean;
}

/** Runs the action without any key, by default on a project of both vendors. */
async function keyless({ answer = obedient, files = PROJECT, ...given }: Given = {}) {
  const at = await stage(answer);
  const { models = at.models, exchange, firstLasts, list } = given;
  const federation = await startFederation(models, MODEL_KEY, exchange, firstLasts, list);
  const run = await onPullRequest(at, changeOf(README, files), {
    inputs: { ...federation.inputs, ...given.inputs },
    env: { ...federation.env, ...given.env },
    shipped: given.shipped ?? false,
  });
  return { at, federation, run };
}

const unpacked = (archive: Buffer) =>
  archive[0] === 0x1f ? gunzipSync(archive) : zstdDecompressSync(archive);

/** Everything that a person may read, after the runner replaced masked values in the log. */
function shownBy({ at, run }: Pick<Awaited<ReturnType<typeof keyless>>, 'at' | 'run'>) {
  const masks = run.commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data);
  const log = masks.reduce((text, mask) => text.replaceAll(mask, '***'), run.log);
  const { comments, checkRuns } = at.github.state;
  return JSON.stringify([log, run.outputs, run.summary, run.reports, comments, checkRuns]);
}

/** Prints the environments of this process and of its parents, up to the action. */
const IN_PYTHON = `import os
def read(pid, above=0):
  try:
    parent = open(f"/proc/{pid}/stat").read().split()[3] if above else ""
    return open(f"/proc/{pid}/environ").read() + (read(parent, above - 1) if above else "")
  except Exception as error: return repr(error)
def look(name): return f"own:{name}<{dict(os.environ)} {read('self')}>own above<{read(os.getppid(), 2)}>above"`;

const IN_NODE = `const { readFileSync, writeFileSync } = require('fs');
const read = (pid) => readFileSync('/proc/' + pid + '/environ', 'utf8');
const look = (name) => 'own:' + name + '<' + JSON.stringify(process.env) + read('self') + '>own above<' + read(process.ppid) + '>above';
`;

const indented = (code: string) => code.replace(/^/gm, '      ');

const CODE = {
  ...quiz(),
  ...promptOf('Be exact.', 'gpt-5.4'),
  ...testsOf(
    1,
    `n_tries: 1
metrics:
  - name: sees
    code: |
${indented(`${IN_PYTHON}\nmetric = look("metric")\nresult = True`)}
metrics_rollup:
    name: sees
    code: |
${indented(`${IN_PYTHON}\nprint(look("rollup"))\nresult = True`)}`,
  ),
};

const PROGRAM = {
  'evaldiff.yaml': `${SETTINGS}  app: { provider: program, command: [node, app.cjs], setup: [node, look.cjs] }\n`,
  'look.cjs': `${IN_NODE}writeFileSync('seen', look('setup'));\n`,
  'app.cjs': `${IN_NODE}require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  console.log(JSON.stringify({ id, output: look('app') + readFileSync('seen', 'utf8') }));
});
`,
  'prompts/app.yaml': quizPrompt('Be exact.', 'app', 'app'),
  'prompts/tests/app.yaml': quizTests(1),
};

const agentFor = (task: string) => ({
  'evaldiff.yaml': 'prompts: [evals/*.yaml]\nqualeval: off\n',
  'evals/notes.yaml': `agent: { command: [sh, tools/agent.sh] }
model: claude-sonnet-4-6
workspace: { setup: { run: ['sh tools/look.sh setup > setup.txt'] } }
tests:
  n_tries: 1
  metrics: [{ name: sees, uses: runs, with: { run: cat seen.txt; sh tools/look.sh check; exit 1 } }]
  references: [{ id: notes, task: '${task}' }]
`,
  'tools/agent.mjs': SCRIPTED_AGENT,
  'tools/agent.sh':
    'sh tools/look.sh tool | cat setup.txt - > seen.txt\nexec node tools/agent.mjs "$@"\n',
  'tools/look.sh': `printf 'own:%s<' $1
cat /proc/self/environ /proc/[0-9]*/environ 2>/dev/null | tr '\\0' ' '
echo "$(env | tr '\\n' ' ')>own"
`,
});
const AGENT = agentFor('Write the notes.');

describe('a job without keys', () => {
  test('is judged with tokens of both vendors; no token is shown or kept', async () => {
    const { at, federation, run } = await keyless({ shipped: true });
    expect(run).toMatchObject({ messages: [], outputs: { errors: '0', calls: '20' } });
    expect(federation.exchanges()).toBe(2);
    const masks = run.commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data);
    expect(masks).toEqual(expect.arrayContaining(federation.secrets()));
    const shown = shownBy({ at, run });
    for (const secret of federation.secrets()) expect(shown).not.toContain(secret);
  });

  test('is judged with credentials of three clouds, which are not shown', async () => {
    const clouds = await startClouds(Date.now);
    const at = await stage(obedient);
    const keys = [
      `bedrock=oidc:${ROLE} region=us-east-1`,
      `vertex=oidc:${POOL} project=p-1 service-account=${ACCOUNT}`,
      'azure=oidc:client-1 tenant=tenant-1 resource=resource-1',
    ].join('\n');
    const models = [
      'us.amazon.nova-2-lite-v1:0',
      'publishers/google/models/gemini-3.5-flash',
      'ours',
    ];
    const suites = models.map((model, index) => ({
      [`prompts/p${index}.yaml`]: quizPrompt('Be exact.', model, `p${index}`),
      [`prompts/tests/p${index}.yaml`]: quizTests(4),
    }));
    const azure = '  ours: { provider: azure, model: deployment, is: gpt-5.4 }\n';
    const files = { 'evaldiff.yaml': SETTINGS + azure, ...suites[0], ...suites[1], ...suites[2] };
    const run = await onPullRequest(at, changeOf(README, files), {
      inputs: { keys, proxy: clouds.proxy },
      env: {
        NODE_EXTRA_CA_CERTS: clouds.authority,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN,
        ACTIONS_ID_TOKEN_REQUEST_URL: clouds.issuer,
      },
      shipped: true,
    });
    expect(run).toMatchObject({ messages: [], outputs: { errors: '0' } });
    expect(clouds.at.exchanges).toBe(3);
    expect(Number(run.outputs['calls'])).toBe(clouds.at.calls);
    const masks = run.commands.filter(({ name }) => name === 'add-mask').map(({ data }) => data);
    expect(masks).toEqual(expect.arrayContaining(clouds.secrets()));
    const shown = shownBy({ at, run });
    for (const secret of clouds.secrets()) expect(shown).not.toContain(secret);
  });

  test('shows and keeps no token that a vendor repeats in answers and errors', async () => {
    const cache = await untilTestEnds(startCacheServer());
    const answer: Script = ({ messages }) =>
      questionOf(messages) === 1 ? { status: 400, error: { message: ECHO } } : { text: ECHO };
    const { at, federation, run } = await keyless({ answer, env: cacheEnvironment(cache) });
    expect(run.reports['result.json']).toContain('***');
    const kept = cache.entries().map(({ body }) => String(unpacked(body)));
    expect(kept).toEqual([expect.stringContaining('***')]);
    const all = shownBy({ at, run }) + kept.join();
    for (const secret of [...federation.secrets(), ECHO]) expect(all).not.toContain(secret);
  });

  test('stops a reply that repeats the token before an agent reads it', async () => {
    const models = await untilTestEnds(startAgentModel());
    const files = agentFor(`Write the notes. When you write a file, end with ${ECHO}.`);
    const { at, federation, run } = await keyless({ models, files, inputs: { code: 'host' } });
    expect(run.outputs['conclusion']).toBe('error');
    const shown = shownBy({ at, run });
    expect(shown).toContain('the reply contained the API key');
    for (const secret of federation.secrets()) expect(shown).not.toContain(secret);
  });

  test('loses no answer to tokens that expire during the run, and pays none twice', async () => {
    const { federation, run } = await keyless({ firstLasts: 3 });
    expect(federation.exchanges()).toBe(4);
    expect(run.outputs).toMatchObject({ calls: '20', errors: '0', conclusion: 'success' });
  });

  test('survives a failing exchange', async () => {
    const exchange = (at: number) => (at < 3 ? { status: 500, body: {} } : null);
    const { run } = await keyless({ exchange });
    expect(run.outputs).toMatchObject({ errors: '0', conclusion: 'success' });
  });

  test('ends soon with an error if every exchange fails', async () => {
    const exchange = () => ({ status: 500, body: { error: 'down' } });
    const { federation, run } = await keyless({ exchange });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error', errors: '10' } });
    expect(run.log).toContain('no access token from OpenAI (500): down');
    expect(federation.exchanges()).toBeLessThan(20);
  });

  const echo = (_at: number, proof: string) => ({
    status: 403,
    body: { error: 'invalid_grant', error_description: `no mapping for ${proof}` },
  });
  const elsewhere = IDENTITIES.replace('sa_1', 'sa_1 audience=https://other.example');
  test.each([
    ['subject', {}, echo, '(403): no mapping for ***'],
    ['audience', { keys: elsewhere }, undefined, '(400): not trusted'],
    ['account', { keys: IDENTITIES.replace('sa_1', 'sa_2') }, undefined, '(400): not trusted'],
  ])("names the line if a vendor refuses the identity's %s", async (_, inputs, exchange, why) => {
    const { at, federation, run } = await keyless({ inputs, exchange });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error' } });
    expect(run.log).toContain(
      `OpenAI refused the job's identity ${why}; the identity comes from the line openai=oidc:… of the input keys`,
    );
    expect(federation.exchanges()).toBeLessThan(5);
    const shown = shownBy({ at, run });
    for (const secret of federation.secrets()) expect(shown).not.toContain(secret);
  });

  test('names the reason if the runner refuses, but not its token', async () => {
    const ACTIONS_ID_TOKEN_REQUEST_TOKEN = 'another-request-token-33d0c1f2';
    const { at, run } = await keyless({ env: { ACTIONS_ID_TOKEN_REQUEST_TOKEN } });
    expect(run).toMatchObject({ code: 1, outputs: { conclusion: 'error' } });
    const shown = shownBy({ at, run });
    expect(shown).toMatch(/the runner issued no identity token: .*\*\*\*/);
    expect(shown).not.toMatch(/33d0c1f2|\/149\//);
  });
});

describe("the vendors' lists of models", () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const noticesOf = ({ reports }: Awaited<ReturnType<typeof keyless>>['run']) =>
    (JSON.parse(reports['result.json'] ?? '') as Result).notices.map(({ message }) => message);

  test('tell new ends of models at their lines, and following the advice works', async () => {
    const list = (vendor: string) =>
      vendor === 'openai'
        ? { data: [{ id: 'gpt-5.4', shutdown_date: day(-3) }, { id: 'gpt-5.4-mini' }] }
        : { data: [{ id: 'claude-sonnet-4-6-20260101', retires_at: `${day(9)}T00:00:00Z` }] };
    const { federation, run } = await keyless({ list });
    const [openai = '', anthropic = '', ...more] = federation.listed.sort().reverse();
    expect(openai).toMatch(/^api\.openai\.com\/v1\/models Bearer openai-token/);
    expect(anthropic).toMatch(
      /^api\.anthropic\.com\/v1\/models\?limit=1000 Bearer anthropic-token/,
    );
    expect(more).toEqual([]);
    expect(run.outputs).toMatchObject({ calls: '20', conclusion: 'success' });
    const [ends, ended = ''] = noticesOf(run).filter((each) => each.includes(' list of '));
    expect(ended).toContain(`gpt-5.4 ended on ${day(-3)} (OpenAI's list of ${day(0)}): name`);
    expect(ends).toContain(`claude-sonnet-4-6 ends on ${day(9)}, in 9 days (Anthropic's list of`);

    const [, advice = ''] = /(models: .+)$/.exec(ended) ?? [];
    const settings = advice.replace('NEW', 'gpt-5.4-mini');
    const after = await keyless({ list, files: { ...PROJECT, 'evaldiff.yaml': settings } });
    expect(after.run.outputs).toMatchObject({ errors: '0', conclusion: 'success' });
    expect(noticesOf(after.run).join()).not.toContain('gpt-5.4 ended');
    const asked = new Set(after.at.models.requests.map(({ model }) => model));
    expect([...asked].sort()).toEqual(['claude-sonnet-4-6', 'gpt-5.4-mini']);
  });

  test.each(['never', null] as const)('do not delay or fail a run: %s', async (reply) => {
    const { run } = await keyless({ list: () => reply });
    expect(run.outputs).toMatchObject({ errors: '0', calls: '20', conclusion: 'success' });
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

describe("the job's right to request identity tokens", () => {
  const anything = { code: 'host' };
  const visible = 'ACTIONS_ID_TOKEN_REQUEST_TOKEN=***';

  // Code on the host can read the action's environment, but then the values are masked.
  test.each<[string, FixtureFiles, Record<string, string>, string, string]>([
    ['code in the sandbox', CODE, {}, 'metric rollup', '(2, '],
    ['code on the host', CODE, anything, 'metric rollup', visible],
    [
      'a program or its setup',
      { ...CODE, ...PROGRAM },
      anything,
      'app metric rollup setup',
      visible,
    ],
    ['an agent, its setup, tools or checks', AGENT, anything, 'check setup tool', ''],
  ])('is not given to %s', async (_, files, inputs, who, ofAction) => {
    const models = await untilTestEnds(startAgentModel());
    const { AWS_SECRET_ACCESS_KEY, AZURE_CLIENT_SECRET } = LASTING;
    const env = { AWS_SECRET_ACCESS_KEY, AZURE_CLIENT_SECRET };
    const given = { inputs, files, env, shipped: true, ...(files === AGENT ? { models } : {}) };
    const { at, federation, run } = await keyless(given);
    const shown = shownBy({ at, run });
    for (const secret of [...federation.secrets(), ...Object.values(env)])
      expect(shown).not.toContain(secret);
    const own = [...shown.matchAll(/own:(\w+)<(.*?)>own/g)].map(([, name, text]) => [name, text]);
    expect([...new Set(own.map(([name]) => name))].sort().join(' ')).toBe(who);
    for (const [, text] of own) expect(text).toMatch(/^(?!.*(ID_TOKEN|AWS_|AZURE_)).*PATH/);
    const above = [...shown.matchAll(/above<(.*?)>above/g)].map(([, text]) => text).join();
    expect(above).toContain(ofAction);
    if (ofAction !== visible) expect(shown).not.toContain('ID_TOKEN');
  });

  test('is masked in the results of the command line, too', async () => {
    const { models, repository } = await desk(quiz(), () => ({ text: `ok ${REQUEST_TOKEN}` }));
    const env = { ...commandEnvironment(models), ACTIONS_ID_TOKEN_REQUEST_TOKEN: REQUEST_TOKEN };
    repository.write(WORSE);
    const args = ['diff', '--report', 'report'];
    const { stdout, stderr } = await startCommand(args, env, repository.directory);
    const result = readFileSync(join(repository.directory, 'report', 'result.json'), 'utf8');
    expect(result).toContain('ok ***');
    expect(stdout + stderr + result).not.toContain(REQUEST_TOKEN);
  });
});
