import type http from 'node:http';
import { TransportError } from './fault.ts';
import {
  collectReply,
  createOutgoing,
  type Body,
  type BoundedFetch,
  type RequestBounds,
  type OpenRequest,
} from './http.ts';
import { toResponse, type Received } from './reply.ts';

/**
 * The SDKs' own timers cannot be switched off; with this much more time they are not the first to
 * fire.
 */
export const SDK_MARGIN_MS = 60_000;

/**
 * A `fetch` for the vendors' SDKs that keeps what theirs does not: one host, a deadline over the
 * whole reply, a cap on its decoded size and depth, no redirects, no proxy from the environment,
 * and the key added here and nowhere else. It resolves with the reply wholly in memory, so what an
 * SDK does with it afterwards can neither hang nor grow.
 *
 * Rejects with {@link TransportError} only.
 */
export function createBoundedFetch(bounds: RequestBounds): BoundedFetch {
  const outgoing = createOutgoing(bounds, { keepAlive: true });
  return {
    async fetch(input, { method = 'POST', headers, body } = {}) {
      const sent = { method, headers, body: sendable(body), packed: true };
      return await toResponse(await outgoing.send<Received>(input, sent, collectReply));
    },
    close: outgoing.close,
  };
}

function sendable(body: RequestInit['body']): Body {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof ReadableStream) return body;
  throw new TransportError('connection', 'only text is sent');
}

/**
 * As the bounded fetch, for replies that are too long to be held: the body of a success is a
 * stream. What bounds it is silence (`timeoutMs` without a byte), one host, no redirects and no
 * packing; how much is read is the reader's to bound. A reply that is not a success is short, and
 * wholly in memory as elsewhere.
 *
 * Rejects, and the stream fails, with {@link TransportError} only.
 */
export function createDownload(bounds: RequestBounds): BoundedFetch {
  const outgoing = createOutgoing(bounds, { keepAlive: false });
  return {
    fetch: (input, { headers } = {}) =>
      outgoing.send<Response>(
        input,
        { method: 'GET', headers, body: null, packed: false },
        (response, exchange, resolve) => {
          const status = response.statusCode ?? 0;
          if (status < 200 || status >= 300)
            collectReply(response, exchange, (received) => resolve(toResponse(received)));
          else if (!['', 'identity'].includes(response.headers['content-encoding'] ?? ''))
            exchange.fail(new TransportError('encoding'));
          else
            resolve(
              new Response(ReadableStream.from(chunksOf(response, exchange)), { status: 200 }),
            );
        },
      ),
    close: outgoing.close,
  };
}

async function* chunksOf(
  response: http.IncomingMessage,
  { alive, settle }: OpenRequest,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) {
      alive();
      yield chunk as Buffer;
    }
  } catch (error) {
    // Only we destroy the stream with an error of our own; any other means that the connection was cut.
    throw error instanceof TransportError ? error : new TransportError('cut');
  } finally {
    settle();
    response.destroy();
  }
}
