import http from 'node:http';
import https from 'node:https';
import { collect, connectionError, createRoutes, sentHeaders, toResponse } from './bounded-fetch.ts';
import type { BoundedFetch, Bounds } from './bounded-fetch.ts';
import { createDeadlines } from './clock.ts';
import { TransportError } from './fault.ts';

/**
 * As the bounded fetch, for replies that are too long to be held: the body of a success is a stream. What bounds it is
 * silence (`timeoutMs` without a byte), one host, no redirects and no packing; how much is read is the reader's to bound.
 * A reply that is no success is short, and wholly in memory as elsewhere.
 *
 * Rejects, and the stream fails, with {@link TransportError} only.
 */
export function createDownload(bounds: Bounds): BoundedFetch {
  const secure = bounds.base.protocol === 'https:';
  const agent = secure ? new https.Agent({ rejectUnauthorized: true }) : new http.Agent();
  const startDeadline = createDeadlines(bounds.clock, bounds.timeoutMs);
  const underWay = new Set<(error: TransportError) => void>();
  const stop = (): void => { for (const fail of underWay) fail(new TransportError('aborted')); };
  bounds.signal.addEventListener('abort', stop, { once: true });
  const routeTo = createRoutes(bounds.base);

  const fetch = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const route = routeTo(typeof input === 'string' || input instanceof URL ? String(input) : input.url);
    if (bounds.signal.aborted) throw new TransportError('aborted');
    const headers = { ...sentHeaders(bounds, init.headers, null), 'accept-encoding': 'identity' };
    const request = (secure ? https : http).request({ ...route, method: 'GET', agent, headers });
    return await new Promise((resolve, reject) => {
      let disarm = startDeadline(() => fail(new TransportError('late')));
      let body: http.IncomingMessage | null = null;
      const settle = (): void => {
        disarm();
        underWay.delete(fail);
      };
      const fail = (error: TransportError): void => {
        settle();
        reject(error);
        body?.destroy(error);
        request.destroy();
      };
      underWay.add(fail);
      request.on('error', (error) => fail(connectionError(error)));
      request.on('response', (response) => {
        const status = response.statusCode ?? 0;
        if (status >= 300 && status < 400) return fail(new TransportError('redirect'));
        if (status < 200 || status >= 300) {
          return collect(response, fail, (received) => {
            settle();
            resolve(toResponse({ status, headers: response.headers, body: received }));
          });
        }
        if (!['', 'identity'].includes(response.headers['content-encoding'] ?? '')) return fail(new TransportError('encoding'));
        body = response;
        const alive = (): void => {
          disarm();
          disarm = startDeadline(() => fail(new TransportError('late')));
        };
        resolve(new Response(ReadableStream.from(chunksOf(response, alive, settle)), { status: 200 }));
      });
      request.end();
    });
  };
  return {
    fetch,
    close() {
      bounds.signal.removeEventListener('abort', stop);
      stop();
      agent.destroy();
    },
  };
}

async function* chunksOf(response: http.IncomingMessage, alive: () => void, settle: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) {
      alive();
      yield chunk as Buffer;
    }
  } catch (error) {
    // Nobody but ourselves destroys it with an error of ours; else its connection ended too early.
    throw error instanceof TransportError ? error : new TransportError('cut');
  } finally {
    settle();
    response.destroy();
  }
}
