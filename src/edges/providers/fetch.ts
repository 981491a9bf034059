import type http from 'node:http';
import { withAuth } from './credential.ts';
import { isEventStream } from './event-stream.ts';
import { MAX_REPLY_BYTES, TransportError } from './fault.ts';
import {
  createOutgoing,
  type TakeResponse,
  type BoundedFetch,
  type OpenRequest,
  type RequestBounds,
} from './http.ts';
import { toResponse } from './reply.ts';

/** The SDKs' timers cannot be disabled. This margin lets our timers fire first. */
export const SDK_MARGIN_MS = 60_000;

/**
 * A `fetch` for the vendors' SDKs. It connects to one host, ignores redirects and proxy variables,
 * and adds the key. Rejects only with {@link TransportError}.
 */
export function createBoundedFetch(bounds: RequestBounds): BoundedFetch {
  return withAuth(
    bounds.auth,
    createOutgoing(bounds, { keepAlive: true, packed: true, receive: collectReply }),
  );
}

export function createStreamedFetch(
  bounds: RequestBounds,
  { keepAlive }: { keepAlive: boolean } = { keepAlive: false },
): BoundedFetch {
  return withAuth(
    bounds.auth,
    createOutgoing(bounds, { keepAlive, packed: false, receive: streamReply }),
  );
}

function collectReply(
  response: http.IncomingMessage,
  { fail, settle, alive }: OpenRequest,
  resolve: TakeResponse,
): void {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  const streams = isEventStream(headers['content-type']);
  response.on('data', (chunk: Buffer) => {
    size += chunk.byteLength;
    if (streams) alive();
    if (size > MAX_REPLY_BYTES) fail(new TransportError('too-large'));
    else chunks.push(chunk);
  });
  response.on('error', () => fail(new TransportError('cut')));
  response.on('end', () => {
    if (size > MAX_REPLY_BYTES) return;
    settle();
    resolve(toResponse({ status, headers, body: Buffer.concat(chunks) }));
  });
}

function streamReply(
  response: http.IncomingMessage,
  exchange: OpenRequest,
  resolve: TakeResponse,
): void {
  const { statusCode: status = 0, headers } = response;
  if (status < 200 || status >= 300) collectReply(response, exchange, resolve);
  else if (!['', 'identity'].includes(headers['content-encoding'] ?? ''))
    exchange.fail(new TransportError('encoding'));
  else
    resolve(
      new Response(ReadableStream.from(responseChunks(response, exchange)), {
        status: 200,
        headers: { 'content-type': headers['content-type'] ?? '' },
      }),
    );
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
