import type http from 'node:http';
import https from 'node:https';
import tls from 'node:tls';
import { createProviders } from '../../../../src/edges/providers/index.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { selfSigned } from '../../../stand-ins/certificate.ts';
import { tunnelProxy } from '../../../stand-ins/tunnel-proxy.ts';
import {
  errorOf,
  KEY,
  options,
  requestTo,
  said,
} from '../../../unit/edges/providers/providers-setting.ts';
import { listen } from './started.ts';

const pair = selfSigned();

const authorities = tls.getCACertificates('default');
afterEach(() => tls.setDefaultCACertificates(authorities));

const REPLY = JSON.stringify({
  choices: [{ finish_reason: 'stop', message: { content: 'through' } }],
});

interface NetworkOptions {
  login?: string;
  trusted?: boolean;
  direct?: boolean;
  proxy?: URL;
}

/** A TLS origin behind a proxy that answers CONNECT with `status`. */
async function network(
  status: number,
  { login = '', trusted = true, direct = false, proxy }: NetworkOptions = {},
) {
  if (trusted) tls.setDefaultCACertificates([...authorities, pair.cert]);
  const reached: http.IncomingHttpHeaders[] = [];
  const asked: { url: string | undefined; headers: http.IncomingHttpHeaders }[] = [];
  const origin = https.createServer(pair, (request, response) => {
    reached.push(request.headers);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' }).end(REPLY);
  });
  const open: (() => void)[] = [];
  afterThisTest(() => open.forEach((close) => close()));
  const tunnel = tunnelProxy(({ url, headers }) => {
    asked.push({ url, headers });
    return status;
  }, open);
  const [{ port }, { host }] = [await listen(origin), await listen(tunnel)];
  const far = { url: `https://localhost:${port}/v1`, key: KEY, direct };
  const providers = createProviders(
    options({
      endpoints: new Map([['far', far]]),
      proxy: proxy ?? new URL(`http://${login}${host}`),
    }),
  );
  afterThisTest(providers.close);
  return { reached, asked, ask: () => providers.complete(request) };
}
const request = requestTo('openai', {
  target: { provider: 'openai', endpoint: 'far', model: 'm' },
});

describe('a proxy that the workflow sets', () => {
  test('forwards the call and sees only the name of the server', async () => {
    const { ask, asked, reached } = await network(200);
    expect(await ask()).toMatchObject({ status: 'ok', ...said('through') });
    expect(reached[0]).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.url).toMatch(/^localhost:\d+$/);
    expect(JSON.stringify(asked)).not.toContain(KEY);
  });

  test('receives the credentials in its address, and the server does not', async () => {
    const { ask, asked, reached } = await network(200, { login: 'ada:p%40ss@' });
    expect((await ask()).status).toBe('ok');
    const login = Buffer.from('ada:p@ss').toString('base64');
    expect(asked[0]?.headers['proxy-authorization']).toBe(`Basic ${login}`);
    expect(reached[0]).not.toHaveProperty('proxy-authorization');
  });

  test('causes an error before any request to the server if it requires credentials and has none', async () => {
    const { ask, reached } = await network(407);
    expect(errorOf(await ask())).toEqual({
      kind: 'network',
      message:
        'openai (far): no connection through the proxy (407, it requires a user name and password: add them to its address (http://NAME:PASSWORD@host:port), and keep the address in a secret)',
    });
    expect(reached).toEqual([]);
  });

  test('that rejects the credentials is contacted once, however many calls are waiting', async () => {
    const { ask, asked } = await network(407);
    const all = await Promise.all([ask(), ask(), ask()]);
    for (const completion of all)
      expect(errorOf(completion).message).toContain('407, it requires a user name');
    expect(asked).toHaveLength(1);
  });

  test('is not used for a server marked as direct', async () => {
    const { ask, asked, reached } = await network(200, { direct: true });
    expect((await ask()).status).toBe('ok');
    expect([asked.length, reached.length]).toEqual([0, 1]);
  });

  test('does not make evaldiff trust an unknown certificate, and the error names the solution', async () => {
    const { ask, reached } = await network(200, { trusted: false });
    expect(errorOf(await ask()).message).toMatch(
      /no connection \(DEPTH_ZERO_SELF_SIGNED_CERT\); for your own certificate authority, set NODE_EXTRA_CA_CERTS/,
    );
    expect(reached).toEqual([]);
  });
});

test("a failed connection reports that the environment's proxy is ignored", async () => {
  const providers = createProviders(
    options({
      endpoints: new Map([['far', { url: 'https://127.0.0.1:1/v1', key: null }]]),
      env: { https_proxy: 'http://proxy.example:3128' },
    }),
  );
  afterThisTest(providers.close);
  expect(errorOf(await providers.complete(request)).message).toBe(
    "openai (far): 3 connections in a row failed, so no further requests were sent: no connection (ECONNREFUSED); check the network, the proxy and the server's address; the environment variable https_proxy is ignored: name the proxy in the input proxy (in a terminal: --proxy)",
  );
});
