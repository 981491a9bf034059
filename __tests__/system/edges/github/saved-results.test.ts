import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { untilTestEnds } from '../../../stand-ins/after-test.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { listen } from '../../../stand-ins/loopback.ts';
import { ROOT } from '../../../stand-ins/own-repository.ts';
import { fixtureEnvironment, temporaryFolder } from '../../../stand-ins/repository.ts';
import { tunnelProxy } from '../../../stand-ins/tunnel-proxy.ts';

const RESULT = readFileSync(join(ROOT, 'fixtures/results/1.0.0/regression.json'), 'utf8');

const ZIP = `import sys, zipfile
with zipfile.ZipFile(sys.stdout.buffer, 'w', zipfile.ZIP_DEFLATED) as file:
    file.writestr('result.json', sys.stdin.read())`;

const artifact = (id: number, name: string, expired = false) => ({ id, name, expired });

/** GitHub's API for a pull request whose second-newest run saved a result. */
const REPLIES: Readonly<Record<string, unknown>> = {
  'pulls/7': { head: { sha: 'c0ffee' } },
  'check-runs/3': { head_sha: 'c0ffee' },
  'actions/runs?head_sha=c0ffee&per_page=100': { workflow_runs: [{ id: 13 }, { id: 12 }] },
  'actions/runs/13/artifacts?per_page=100': { artifacts: [artifact(1, 'evaldiff-result', true)] },
  'actions/runs/12/artifacts?per_page=100': {
    artifacts: [artifact(2, 'logs'), artifact(3, 'evaldiff-result-0a1b2c3d')],
  },
};

async function view(path: string, { bytes = '' as string | Buffer, token = 'token-1' } = {}) {
  const server = await untilTestEnds(
    listen(
      createServer(({ url = '', headers }, response) => {
        if (url === '/blob')
          return void response.writeHead(headers.authorization ? 400 : 200).end(bytes);
        const asked = url.replace('/api/repos/acme/shop/', '');
        if (headers.authorization !== 'Bearer token-1') return void response.writeHead(401).end();
        if (asked === 'actions/artifacts/3/zip')
          // As GitHub does: the archive is on another host, which must not get the token.
          return void response
            .writeHead(302, { location: `http://localhost:${new URL(server.url).port}/blob` })
            .end();
        const reply = REPLIES[asked];
        response.writeHead(reply === undefined ? 404 : 200).end(JSON.stringify(reply));
      }),
    ),
  );
  const { url } = server;
  const env = { GITHUB_SERVER_URL: url, GITHUB_API_URL: `${url}/api`, GH_TOKEN: token };
  const page = path.includes(':') ? path : `${url}/acme/shop/${path}`;
  return commandIn(temporaryFolder('view'), ['view', page], { env: fixtureEnvironment(env) });
}

test.each(['pull/7', 'pull/7/checks?check_run_id=3', 'runs/3', 'actions/runs/12/job/4'])(
  'evaldiff view shows the result that the job of %s saved',
  async (path) => {
    const bytes = execFileSync('python3', ['-c', ZIP], { input: RESULT });
    const { code, out, err } = await view(path, { bytes });
    expect([code, err]).toEqual([0, '']);
    expect(readFileSync(new URL(out.trim()), 'utf8')).toContain('zimbabwe');
  },
);

test.each([
  ['pull/8', {}, 'GitHub answers 404. The token must be able to read its actions'],
  ['pull/7', { token: '' }, 'needs a token: export GH_TOKEN="$(gh auth token)"'],
  ['pull/7', { bytes: 'no archive' }, 'has an artifact that is not a readable archive'],
  ['actions/runs/13', {}, 'has no result of evaldiff; GitHub keeps results for 30 days'],
  ['https://evil.example/acme/shop/pull/7', {}, 'is not a pull request, check or workflow run of'],
])('evaldiff view of %s with %j is an error', async (path, given, words) => {
  expect(await view(path, given)).toMatchObject({ code: 2, err: expect.stringContaining(words) });
});

test('the requests of evaldiff view and publish go through the proxy of the environment', async () => {
  const closing: (() => void)[] = [];
  const asked: (string | undefined)[] = [];
  const server = await untilTestEnds(listen(createServer((_, response) => response.end('there'))));
  const proxy = tunnelProxy(
    ({ url }) => {
      asked.push(url);
      return 200;
    },
    closing,
    Number(new URL(server.url).port),
  );
  const { url } = await untilTestEnds(listen(proxy));
  const code = `import { webRequest } from ${JSON.stringify(join(ROOT, 'src/edges/github/web-request.ts'))};
const { status, bytes } = await webRequest('http://github.example/api', { headers: {} });
process.stdout.write(\`\${status} \${bytes}\`);`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { env: { PATH: process.env['PATH'], http_proxy: url } },
  );
  closing.forEach((close) => close());
  expect([stdout, asked]).toEqual(['200 there', ['github.example:80']]);
});
