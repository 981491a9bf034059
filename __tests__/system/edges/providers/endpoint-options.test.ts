import http from 'node:http';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import {
  errorOf,
  options,
  requestTo,
  said,
} from '../../../unit/edges/providers/providers-setting.ts';
import { listen } from './started.ts';

/** A server that replies with this JSON, and the requests it received. */
async function serving(reply: (request: http.IncomingMessage) => [status: number, body: object]) {
  const seen: { url: string | undefined; headers: http.IncomingHttpHeaders }[] = [];
  const server = http.createServer((request, response) => {
    request.resume();
    seen.push({ url: request.url, headers: request.headers });
    const [status, body] = reply(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return { seen, origin: (await listen(server)).origin };
}
const ANSWER = { choices: [{ finish_reason: 'stop', message: { content: 'from azure' } }] };

/**
 * A server with Azure's older addresses: a path per deployment, a version, the key in `api-key`.
 */
const azure = () =>
  serving(({ url, headers }) => {
    const right = url === '/openai/deployments/our%20model/chat/completions?api-version=2024-10-21';
    if (headers['api-key'] === 'azure-key' && right) return [200, ANSWER];
    const code = headers['api-key'] === 'azure-key' ? 404 : 401;
    return [code, { error: { code: String(code), message: 'Resource not found' } }];
  });

function providersAt(server: object) {
  const access = { url: '', key: null, ...server };
  const providers = createProviders(options({ endpoints: new Map([['azure', access]]) }));
  afterThisTest(providers.close);
  return providers;
}

const request = requestTo('openai', {
  target: { provider: 'openai', endpoint: 'azure', model: 'our model' },
});

test.each(['openai', 'openai/deployments/our%20model'])(
  "the address …/%s with an api-version gets requests in Azure's format",
  async (path) => {
    const { origin, seen } = await azure();
    const url = `${origin}/${path}`;
    // The loopback host does not identify Azure; the version does.
    const providers = providersAt({ url, key: 'azure-key', apiVersion: '2024-10-21' });
    expect(await providers.complete(request)).toMatchObject(said('from azure'));
    expect(seen[0]?.headers).not.toHaveProperty('authorization');
  },
);

test('additional headers are sent with the values of their variables', async () => {
  const { origin, seen } = await azure();
  const headers = [{ name: 'x-team', env: 'TEAM', value: 'prompts' }];
  await providersAt({ url: origin, headers }).complete(request);
  expect(seen[0]?.headers).toMatchObject({ 'x-team': 'prompts' });
});

test('a header with an unset variable prevents all requests', async () => {
  const headers = [{ name: 'x-team', env: 'TEAM', value: null }];
  const providers = providersAt({ url: 'https://gate.example/v1', headers });
  expect(errorOf(await providers.complete(request)).message).toContain(
    'the environment variable TEAM is not set',
  );
});

test("Azure's newer address (/openai/v1) also accepts an API version and gets the model in the body", async () => {
  const { origin, seen } = await serving(() => [200, ANSWER]);
  const url = `${origin}/openai/v1`;
  const providers = providersAt({ url, key: 'azure-key', apiVersion: 'preview' });
  expect(await providers.complete(request)).toMatchObject(said('from azure'));
  expect(seen[0]?.url).toBe('/openai/v1/chat/completions?api-version=preview');
});

test("a header that duplicates the API key's header is an error", () => {
  const headers = [{ name: 'authorization', env: 'TEAM', value: 'x' }];
  const problems = (server: object) =>
    providersAt({ url: 'https://gate.example/v1', headers, ...server }).missingKeys([
      request.target,
    ]);
  expect(problems({ key: 'k', keyEnv: 'KEY' })).toEqual([
    expect.objectContaining({ message: expect.stringContaining('both set the header') }),
  ]);
  expect(problems({ key: null, keyEnv: null })).toEqual([]);
  expect(problems({ key: 'k', keyEnv: 'KEY', apiVersion: '2024-10-21' })).toEqual([]);
});
