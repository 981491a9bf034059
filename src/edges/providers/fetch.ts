import type http from 'node:http';
import { withAuth } from './credential.ts';
import { TransportError } from './fault.ts';
import {
  collectReply,
  createOutgoing,
  type RequestBody,
  type BoundedFetch,
  type RequestBounds,
  type OpenRequest,
} from './http.ts';
import { toResponse, type Received } from './reply.ts';

/** The SDKs' timers cannot be disabled. This margin lets our timers fire first. */
export const SDK_MARGIN_MS = 60_000;

/**
 * A `fetch` for the vendors' SDKs. It connects to one host, ignores redirects and proxy variables,
 * and adds the key. Rejects only with {@link TransportError}.
 */
export function createBoundedFetch(bounds: RequestBounds): BoundedFetch {
  const outgoing = createOutgoing(bounds, { keepAlive: true });
  return withAuth(bounds.auth, {
    async fetch(input, { method = 'POST', headers, body } = {}) {
      const sent = { method, headers, body: sendable(body), packed: true };
      return await toResponse(await outgoing.send<Received>(input, sent, collectReply));
    },
    close: outgoing.close,
  });
}

function sendable(body: RequestInit['body']): RequestBody {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof ReadableStream) return body;
  throw new TransportError('connection', 'only text is sent');
}

export function createStreamedFetch(
  bounds: RequestBounds,
  { keepAlive }: { keepAlive: boolean } = { keepAlive: false },
): BoundedFetch {
  const outgoing = createOutgoing(bounds, { keepAlive });
  return withAuth(bounds.auth, {
    fetch: async (input, { method = 'GET', headers, body } = {}) =>
      await outgoing.send<Response>(
        input,
        { method, headers, body: sendable(body), packed: false },
        (response, exchange, resolve) => {
          const status = response.statusCode ?? 0;
          if (status < 200 || status >= 300)
            collectReply(response, exchange, (received) => resolve(toResponse(received)));
          else if (!['', 'identity'].includes(response.headers['content-encoding'] ?? ''))
            exchange.fail(new TransportError('encoding'));
          else
            resolve(
              new Response(ReadableStream.from(responseChunks(response, exchange)), {
                status: 200,
                headers: { 'content-type': response.headers['content-type'] ?? '' },
              }),
            );
        },
      ),
    close: outgoing.close,
  });
}

async function* responseChunks(
  response: http.IncomingMessage,
  { alive, settle }: OpenRequest,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response) {
      alive();
      yield chunk as Buffer;
    }
  } catch (error) {
    throw error instanceof TransportError ? error : new TransportError('cut');
  } finally {
    settle();
    response.destroy();
  }
}
