import { isCredential, type Auth, type Credential } from './auth.ts';
import { TransportError } from './fault.ts';
import type { BoundedFetch } from './http.ts';

/** An SDK's cache of tokens, which renews them in time. */
export interface TokenSource {
  token(): Promise<string>;
  /** The next token is a new one. */
  invalidate(): void | Promise<void>;
}

export function createCredential(
  { token: next, invalidate }: TokenSource,
  headers: Credential['headers'],
): Credential {
  const issued = new Set<string>();
  const accepted = new Set<string>();
  let invalidated: string | null = null;
  const token = async (): Promise<string> => {
    const current = await next();
    issued.add(current);
    return current;
  };
  return {
    headers,
    token,
    accepted: (current) => void accepted.add(current),
    async replace(refused) {
      const current = await token();
      if (current !== refused) return current;
      if (!accepted.has(refused)) return null;
      if (invalidated !== refused) {
        invalidated = refused;
        await invalidate();
      }
      return token();
    },
    issued: () => [...issued],
  };
}

/**
 * Sends requests with the current token. If the server refuses a token that it accepted before,
 * the request is repeated with a new token. A refused request costs nothing.
 */
export function withAuth(auth: Auth | null, { fetch, close }: BoundedFetch): BoundedFetch {
  if (!isCredential(auth)) return { fetch, close };
  return {
    async fetch(input, init = {}) {
      const send = async (token: string): Promise<Response> => {
        const headers = new Headers(init.headers);
        headers.set('authorization', `Bearer ${token}`);
        const response = await fetch(input, { ...init, headers });
        if (response.status !== 401) auth.accepted(token);
        return response;
      };
      const token = await auth.token();
      const response = await send(token);
      const next = response.status === 401 ? await auth.replace(token) : null;
      if (next === null) return response;
      if (init.body instanceof ReadableStream)
        throw new TransportError('exchange', 'the access token has expired');
      return await send(next);
    },
    close,
  };
}
