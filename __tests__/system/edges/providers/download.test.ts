import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { MAX_REPLY_BYTES, TransportError } from '../../../../src/edges/providers/fault.ts';
import { createStreamedFetch } from '../../../../src/edges/providers/fetch.ts';
import type { RequestBounds } from '../../../../src/edges/providers/http.ts';
import { afterThisTest } from '../../../stand-ins/after-test.ts';
import { testClock, TIMEOUT_MS, until } from '../../../unit/edges/providers/providers-setting.ts';
import { listen } from './started.ts';

async function serve(handle: http.RequestListener, more: Partial<RequestBounds> = {}) {
  const base = await listen(http.createServer(handle));
  const { fetch, close } = createStreamedFetch({
    base,
    auth: { header: 'x-api-key', value: 'k' },
    timeoutMs: TIMEOUT_MS,
    clock: testClock(),
    signal: new AbortController().signal,
    ...more,
  });
  afterThisTest(close);
  return { base, fetch };
}
async function outcome(promise: Promise<Response>) {
  try {
    const response = await promise;
    return `${response.status} ${(await response.text()).length}`;
  } catch (error) {
    return error instanceof TransportError ? error.code : String(error);
  }
}

describe('a download', () => {
  test('can exceed the reply limit, is streamed, and sends the key to its own host only', async () => {
    const part = Buffer.alloc(1 << 20, 'x');
    const { base, fetch } = await serve(async (request, response) => {
      expect(request.method).toBe('GET');
      expect(request.headers).toMatchObject({ 'x-api-key': 'k', 'accept-encoding': 'identity' });
      for (let index = 0; index < 10; index += 1)
        if (!response.write(part)) await new Promise((resolve) => response.once('drain', resolve));
      response.end();
    });
    expect(await outcome(fetch(`${base.href}results`))).toBe(`200 ${10 << 20}`);
    expect(10 << 20).toBeGreaterThan(MAX_REPLY_BYTES);
  });

  test('is aborted when it stalls, regardless of the bytes received', async () => {
    const clock = testClock();
    const { base, fetch } = await serve((_, response) => response.write('some'), { clock });
    const response = await fetch(base);
    const reader = response.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('some');
    const next = reader?.read();
    await until(() => clock.open() > 0);
    clock.expire(TIMEOUT_MS);
    await expect(next).rejects.toMatchObject({ code: 'late' });
  });

  test.each<[string, http.RequestListener, string]>([
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      'redirect',
    ],
    [
      'a packed body',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x')),
      'encoding',
    ],
    [
      'a body that breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('x', () => response.socket?.destroy());
      },
      'cut',
    ],
    [
      'a refusal',
      (_, response) => response.writeHead(404).end('{"error":{"message":"gone"}}'),
      '404 28',
    ],
    [
      'a refusal without end',
      (_, response) => {
        response.writeHead(500);
        const more = () => {
          if (!response.destroyed) response.write(Buffer.alloc(1 << 20), more);
        };
        more();
      },
      'too-large',
    ],
  ])('fails with an error that names the cause: %s', async (_, handle, expected) => {
    const { base, fetch } = await serve(handle);
    expect(await outcome(fetch(base))).toBe(expected);
  });

  test('goes to no other host, and does not start after the run was stopped', async () => {
    const ended = new AbortController();
    const { base, fetch } = await serve((_, response) => response.end('x'), {
      signal: ended.signal,
    });
    expect(await outcome(fetch('https://elsewhere.example/results'))).toBe('host');
    ended.abort();
    expect(await outcome(fetch(base))).toBe('aborted');
  });
});
