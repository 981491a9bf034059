import type http from 'node:http';
import { TransportError } from '../fault.ts';
import { createOutgoing, type BoundedFetch, type Bounds, type Exchange } from './outgoing.ts';
import { collect, toResponse } from './reply.ts';

/**
 * As the bounded fetch, for replies that are too long to be held: the body of a success is a
 * stream. What bounds it is silence (`timeoutMs` without a byte), one host, no redirects and no
 * packing; how much is read is the reader's to bound. A reply that is no success is short, and
 * wholly in memory as elsewhere.
 *
 * Rejects, and the stream fails, with {@link TransportError} only.
 */
export function createDownload(bounds: Bounds): BoundedFetch {
  const outgoing = createOutgoing(bounds, { keepAlive: false });
  return {
    fetch: (input, { headers } = {}) =>
      outgoing.send<Response>(
        input,
        { method: 'GET', headers, body: null, packed: false },
        (response, exchange, resolve) => {
          const status = response.statusCode ?? 0;
          if (status < 200 || status >= 300)
            collect(response, exchange, (received) => resolve(toResponse(received)));
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
  { alive, settle }: Exchange,
): AsyncGenerator<Uint8Array> {
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
