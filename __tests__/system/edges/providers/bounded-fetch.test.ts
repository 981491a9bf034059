import { execFile } from 'node:child_process';
import http from 'node:http';
import net from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { MAX_REPLY_BYTES, TransportError } from '../../../../src/edges/providers/fault.ts';
import { createBoundedFetch } from '../../../../src/edges/providers/fetch.ts';
import type { RequestBounds } from '../../../../src/edges/providers/http.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { testClock, TIMEOUT_MS } from '../../../unit/edges/providers/providers-setting.ts';
import { listen } from './started.ts';

function bounded(base: URL, more: Partial<RequestBounds> = {}) {
  const made = createBoundedFetch({
    base,
    auth: null,
    timeoutMs: TIMEOUT_MS,
    clock: testClock(),
    signal: new AbortController().signal,
    ...more,
  });
  afterThisTest(made.close);
  return made;
}

async function outcome(promise: Promise<Response>) {
  try {
    const response = await promise;
    return `${response.status} ${(await response.text()).length}`;
  } catch (error) {
    return error instanceof TransportError ? `${error.code} ${error.system}`.trim() : String(error);
  }
}

const post = { method: 'POST', body: '{}' };

describe('fetch with limits on hosts and reply size', () => {
  test.each([
    [MAX_REPLY_BYTES - 1, `200 ${MAX_REPLY_BYTES - 1}`],
    [MAX_REPLY_BYTES, `200 ${MAX_REPLY_BYTES}`],
    [MAX_REPLY_BYTES + 1, 'too-large'],
  ])('a reply of %i bytes leads to %s, compressed or not', async (size, expected) => {
    const body = Buffer.alloc(size, 'x');
    const packings: Record<string, Buffer> = {
      '/plain': body,
      '/gzip': gzipSync(body),
    };
    const base = await listen(
      http.createServer(({ url = '' }, response) => {
        response.writeHead(200, url === '/plain' ? {} : { 'content-encoding': url.slice(1) });
        response.end(packings[url]);
      }),
    );
    const { fetch } = bounded(base);
    for (const path of Object.keys(packings))
      expect(await outcome(fetch(new URL(path, base), post))).toBe(expected);
  });

  // The clock of these tests never moves, so no deadline expires.
  const odd = /^connection (HPE_|status 999)/;
  test.each([
    ['101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x', /^connection status 101$/],
    ['101 Switching Protocols', /^connection status 101$/],
    ['999 Odd\r\ncontent-length: 0', odd],
    ['SSH-2.0-OpenSSH', odd],
  ])('reports the reply %j as a connection error immediately', async (reply, expected) => {
    const base = await listen(
      net.createServer((socket) => {
        socket.on('error', () => undefined);
        const text = `${reply.startsWith('SSH') ? '' : 'HTTP/1.1 '}${reply}\r\n\r\n`;
        socket.once('data', () => socket.write(text));
      }),
    );
    expect(await outcome(bounded(base).fetch(base, post))).toMatch(expected);
  });

  test('requests to another origin are refused, even another port or scheme of the same host', async () => {
    const base = await listen(http.createServer((_request, response) => response.end('ok')));
    const { fetch } = bounded(base);
    expect(await outcome(fetch(`${base.origin}/a`, post))).toBe('200 2');
    for (const url of [
      `https://${base.host}/`,
      'http://127.0.0.1:9/',
      `http://localhost:${base.port}/`,
      'http://models.example/',
    ]) {
      expect(await outcome(fetch(url, post))).toBe('host');
    }
  });

  test("a failed connection is reported with the system's error code", async () => {
    const server = http.createServer();
    const base = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await outcome(bounded(base).fetch(base, post))).toBe('connection ECONNREFUSED');
  });

  test('the configured key replaces any key that the caller sends', async () => {
    const seen: (string | undefined)[] = [];
    const base = await listen(
      http.createServer((request, response) => {
        seen.push(request.headers.authorization);
        response.end('{}');
      }),
    );
    const headers = { authorization: 'Bearer of another', 'content-type': 'application/json' };
    const auth = { header: 'authorization', value: 'Bearer key' };
    await bounded(base, { auth }).fetch(base, { ...post, headers });
    await bounded(base).fetch(base, { ...post, headers });
    expect(seen).toEqual(['Bearer key', undefined]);
  });

  test('connections are reused', async () => {
    let connections = 0;
    const server = http.createServer((_request, response) => response.end('ok'));
    server.on('connection', () => connections++);
    const base = await listen(server);
    const { fetch } = bounded(base);
    for (let times = 0; times < 5; times++) await fetch(base, post);
    expect(connections).toBe(1);
  });

  test('closing aborts running requests', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const base = await listen(http.createServer(() => resolve()));
    const { fetch, close } = bounded(base);
    const asked = outcome(fetch(base, post));
    await arrived;
    close();
    expect(await asked).toBe('aborted');
  });

  test('a process-wide proxy affects the global fetch but not this one', async () => {
    const proxied: string[] = [];
    const proxy = http.createServer((request, response) => {
      proxied.push(request.url ?? '');
      response.end('proxy');
    });
    proxy.on('connect', (request, socket) => {
      proxied.push(request.url ?? '');
      socket.end('HTTP/1.1 403 no\r\n\r\n');
    });
    const proxyUrl = (await listen(proxy)).origin;
    const base = await listen(http.createServer((_request, response) => response.end('direct')));
    const script = `
      import { createBoundedFetch } from ${JSON.stringify(new URL('../../../../src/edges/providers/fetch.ts', import.meta.url).href)};
      const base = new URL(process.argv[1]);
      const text = async (get) => { try { return await (await get()).text(); } catch (error) { return String(error.cause ?? error); } };
      const clock = { now: () => 0, sleep: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)) };
      const mine = createBoundedFetch({ base, auth: null, timeoutMs: 1, clock, signal: new AbortController().signal });
      const ours = await text(() => mine.fetch(base, { method: 'POST', body: '{}' }));
      console.log(JSON.stringify({ ours, global: await text(() => fetch(base)) }));
      process.exit(0);`;
    const { PATH } = process.env;
    const named = { HTTP_PROXY: proxyUrl, http_proxy: proxyUrl, HTTPS_PROXY: proxyUrl };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script, base.href],
      { env: { PATH, NODE_USE_ENV_PROXY: '1', ...named } },
    );
    const result = JSON.parse(stdout) as { ours: string; global: string };
    expect(result.ours).toBe('direct');
    expect(result.global).not.toBe('direct');
    expect(proxied).toHaveLength(1);
  });
});
