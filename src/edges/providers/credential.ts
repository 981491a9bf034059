import { isCredential, type Auth, type Credential } from './auth.ts';
import { TransportError } from './fault.ts';
import type { BoundedFetch } from './http.ts';

/** A cache of tokens, which renews them in time. */
export interface TokenSource {
  token(): Promise<string>;
  /** The next token is a new one. */
  invalidate(): void | Promise<void>;
}

export function createCredential(
  { token, invalidate }: TokenSource,
  { headers, signer, issued }: Pick<Credential, 'headers' | 'signer' | 'issued'>,
): Credential {
  const accepted = new Set<string>();
  let invalidated: string | null = null;
  return {
    headers,
    token,
    signer,
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
    issued,
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
      const signer = await auth.signer();
      const { method = 'POST', body } = init;
      const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
      const signed = { url, method, body: typeof body === 'string' ? body : '' };
      const send = async (token: string): Promise<Response> => {
        const headers = new Headers(init.headers);
        const proof = await signer.sign(token, signed);
        for (const [name, value] of Object.entries(proof)) headers.set(name, value);
        return await fetch(input, { ...init, headers });
      };
      const token = await auth.token();
      const first = await send(token);
      const refused = signer.refused(first);
      if (refused === null) auth.accepted(token);
      const next =
        refused === 'time' ? token : refused === 'token' ? await auth.replace(token) : null;
      if (next === null) return first;
      if (body instanceof ReadableStream)
        throw new TransportError('exchange', 'the access token has expired');
      const response = await send(next);
      if (signer.refused(response) === null) auth.accepted(next);
      return response;
    },
    close,
  };
}
