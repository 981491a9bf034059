import { isCredential, type Auth, type Credential } from './auth.ts';
import type { Clock } from './clock.ts';
import { TransportError } from './fault.ts';
import type { BoundedFetch } from './http.ts';

export interface IssuedToken {
  token: string;
  lifeMs: number;
}

const RENEW_AT = 0.8;

/** After a renewal failed, the old token is used until it expires. */
const NEXT_RENEWAL_MS = 10_000;

export function createCredential(
  issue: () => Promise<IssuedToken>,
  { headers, clock }: Pick<Credential, 'headers'> & { clock: Pick<Clock, 'now'> },
): Credential {
  const issued: string[] = [];
  let current: { token: string; renewAt: number; endsAt: number; accepted: boolean } | null = null;
  let renewing: Promise<string> | null = null;
  const issueNext = async (): Promise<string> => {
    // From before the exchange, because the token may be as old as that.
    const now = clock.now();
    const { token, lifeMs } = await issue();
    issued.push(token);
    current = { token, renewAt: now + lifeMs * RENEW_AT, endsAt: now + lifeMs, accepted: false };
    return token;
  };
  const renew = (): Promise<string> =>
    (renewing ??= issueNext().finally(() => {
      renewing = null;
    }));
  return {
    headers,
    async token() {
      const now = clock.now();
      if (current === null || now >= current.endsAt) return await renew();
      if (now >= current.renewAt) {
        current.renewAt = now + NEXT_RENEWAL_MS;
        renew().catch(() => undefined);
      }
      return current.token;
    },
    accepted(token) {
      if (current?.token === token) current.accepted = true;
    },
    async replace(refused) {
      if (current?.token !== refused) return current?.token ?? (await renew());
      return current.accepted ? await renew() : null;
    },
    issued: () => issued,
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
