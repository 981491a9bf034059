import { BEARER, isCredential, type Auth, type Credential, type Signer } from './auth.ts';
import { TransportError } from './fault.ts';
import type { BoundedFetch } from './http.ts';

/** A cache of tokens, which renews them in time. */
export interface TokenSource {
  token(): Promise<string>;
  /** The next token is a new one. */
  invalidate(): void | Promise<void>;
  /** Default: bearer tokens. */
  signer?: Signer;
}

/** `lives`: in milliseconds. */
export interface IssuedToken {
  token: string;
  lives: number;
}

/**
 * Renews a token at 80 % of its life. If that fails, the old one is used until its end. Requests
 * share one renewal.
 */
export function renewedToken(issue: () => Promise<IssuedToken>, now: () => number): TokenSource {
  let held: { token: string; renewAt: number; end: number } | null = null;
  let renewal: Promise<string> | null = null;
  const renew = async (): Promise<string> => {
    const at = now();
    const { token, lives } = await issue();
    held = { token, renewAt: at + 0.8 * lives, end: at + lives };
    return token;
  };
  return {
    token() {
      if (held !== null && now() < held.renewAt) return Promise.resolve(held.token);
      const old = held !== null && now() < held.end ? held.token : null;
      renewal ??= renew()
        .catch((error: unknown) => {
          if (old === null) throw error;
          return old;
        })
        .finally(() => {
          renewal = null;
        });
      return renewal;
    },
    invalidate() {
      held = null;
    },
  };
}

export function createCredential(
  { token: next, invalidate }: Pick<TokenSource, 'token' | 'invalidate'>,
  headers: Credential['headers'],
  signer: Credential['signer'] = () => Promise.resolve(BEARER),
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
