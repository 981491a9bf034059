import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createProviders, type Providers } from '../../../../src/edges/providers/index.ts';
import { errorOf, options, requestTo } from '../../../unit/edges/providers/providers-setting.ts';

/** A server as Azure's older addresses are: a path per deployment, a version, the key in `api-key`. */
async function azure(): Promise<{ port: number; close(): void; seen: http.IncomingHttpHeaders[] }> {
  const seen: http.IncomingHttpHeaders[] = [];
  const server = http.createServer((request, response) => {
    request.resume();
    const { url, headers } = request;
    seen.push(headers);
    const right = url === '/openai/deployments/our%20model/chat/completions?api-version=2024-10-21';
    const status = headers['api-key'] !== 'azure-key' ? 401 : right ? 200 : 404;
    const body =
      status === 200
        ? { choices: [{ finish_reason: 'stop', message: { content: 'from azure' } }] }
        : { error: { code: String(status), message: 'Resource not found' } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, close, seen };
}

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function providersAt(server: object): Providers {
  const access = { url: '', key: null, ...server };
  const providers = createProviders(options({ endpoints: new Map([['azure', access]]) }));
  open.push(() => providers.close());
  return providers;
}

const request = requestTo('openai', {
  target: { provider: 'openai', endpoint: 'azure', model: 'our model' },
});

test.each(['openai', 'openai/deployments/our%20model'])(
  "the address …/%s with an api-version is asked in Azure's way",
  async (path) => {
    const { port, close, seen } = await azure();
    open.push(close);
    const url = `http://127.0.0.1:${String(port)}/${path}`;
    // On loopback the host does not tell that it is Azure's; the version does.
    const providers = providersAt({ url, key: 'azure-key', apiVersion: '2024-10-21' });
    expect(await providers.complete(request)).toMatchObject({ output: 'from azure' });
    expect(seen[0]).not.toHaveProperty('authorization');
  },
);

test('further headers are sent with the values of their variables', async () => {
  const { port, close, seen } = await azure();
  open.push(close);
  const headers = [{ name: 'x-team', env: 'TEAM', value: 'prompts' }];
  await providersAt({ url: `http://127.0.0.1:${String(port)}`, headers }).complete(request);
  expect(seen[0]).toMatchObject({ 'x-team': 'prompts' });
});

test('a header whose variable is not set keeps everything from being sent', async () => {
  const headers = [{ name: 'x-team', env: 'TEAM', value: null }];
  const providers = providersAt({ url: 'https://gate.example/v1', headers });
  expect(errorOf(await providers.complete(request)).message).toContain(
    'the environment variable TEAM is not set',
  );
});

test("Azure's newer address takes a version too, and the model in the body", async () => {
  const seen: (string | undefined)[] = [];
  const server = http.createServer((request, response) => {
    request.resume();
    seen.push(request.url);
    const body = { choices: [{ finish_reason: 'stop', message: { content: 'from azure' } }] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/openai/v1`;
  const providers = providersAt({ url, key: 'azure-key', apiVersion: 'preview' });
  expect(await providers.complete(request)).toMatchObject({ output: 'from azure' });
  expect(seen).toEqual(['/openai/v1/chat/completions?api-version=preview']);
});

test('a header that the key goes as already is a clash, whether its variables are set or not', () => {
  const headers = [{ name: 'authorization', env: 'TEAM', value: null }];
  const clash = (server: object): number =>
    providersAt({
      url: 'https://gate.example/v1',
      headers,
      keyEnv: 'KEY',
      ...server,
    }).clashingHeaders([request.target]).length;
  expect([clash({}), clash({ key: 'k' }), clash({ keyEnv: null })]).toEqual([1, 1, 0]);
  expect(clash({ apiVersion: '2024-10-21' })).toBe(0);
});
