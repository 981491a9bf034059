import { TransportError } from '../fault.ts';
import { createOutgoing, type Body, type BoundedFetch, type Bounds } from './outgoing.ts';
import { collect, toResponse, type Received } from './reply.ts';

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
export function createBoundedFetch(bounds: Bounds): BoundedFetch {
  const outgoing = createOutgoing(bounds, { keepAlive: true });
  return {
    async fetch(input, { method = 'POST', headers, body } = {}) {
      const sent = { method, headers, body: sendable(body), packed: true };
      return await toResponse(await outgoing.send<Received>(input, sent, collect));
    },
    close: outgoing.close,
  };
}

function sendable(body: RequestInit['body']): Body {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string' || body instanceof ReadableStream) return body;
  throw new TransportError('connection', 'only text is sent');
}
