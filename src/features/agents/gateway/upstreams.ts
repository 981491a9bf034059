import {
  addressOf,
  headerLines,
  secretsIn,
  type Address,
  type ProviderAccess,
} from '../../../edges/providers/address.ts';
import { authOf } from '../../../edges/providers/auth.ts';
import { createStreamedFetch } from '../../../edges/providers/fetch.ts';
import type { BoundedFetch } from '../../../edges/providers/http.ts';
import { createLimiter } from '../../../edges/providers/limit.ts';
import type { SharedCallSettings } from '../../../edges/providers/retry.ts';
import type { AskedModel } from '../../../types/model.ts';
import { factsOf } from '../../../types/vendors.ts';
import type { Wire } from '../rows/agent-row.ts';
import { UPSTREAM_SILENCE_MS } from './calls.ts';
import { speaksWire } from './routes.ts';
import type { Upstream, Upstreams } from './terms.ts';

/** In characters. Shorter keys, such as `EMPTY` or `lm-studio`, may occur in a reply by chance. */
const MIN_SECRET_CHARS = 16;

export function openUpstreams(access: ProviderAccess & SharedCallSettings): Upstreams {
  const opened = new Map<string, { upstream: Upstream; close(): void }>();
  const open = (wire: Wire, target: AskedModel): { upstream: Upstream; close(): void } => {
    const place = placeIn(access, target);
    const address = speaksWire(target, wire)
      ? addressOf(target, access)
      : {
          message: `${factsOf(target.provider).label} has no ${wire} interface; name an endpoint that has it`,
        };
    const refuse = (problem: string) => ({
      upstream: { place, server: { problem } },
      close: () => undefined,
    });
    if ('message' in address) return refuse(address.message);
    const { base, deployments } = address;
    if (deployments)
      return refuse(`${base.origin}: agents need an Azure address that ends in /openai/v1`);
    const { fetch, close } = fetchFor(wire, target, address, access);
    // Slows down the calls of all runs after the server refused one because of its load.
    const concurrency = { start: MAX_OPEN_CALLS, max: MAX_OPEN_CALLS };
    const limiter = createLimiter({ ...access, concurrency });
    const url = base.href.replace(wire === 'gemini' ? /(?:\/openai)?\/?$/ : /\/$/, '');
    const server = {
      url,
      fetch: fetch as typeof globalThis.fetch,
      retry: { ...access, limiter },
    };
    return { upstream: { place, server }, close };
  };
  return {
    find(wire, target) {
      const name = JSON.stringify([wire, target.provider, target.endpoint]);
      const found = opened.get(name) ?? open(wire, target);
      opened.set(name, found);
      return found.upstream;
    },
    secrets: () => secretsIn(access).filter((secret) => secret.length >= MIN_SECRET_CHARS),
    close() {
      for (const each of opened.values()) each.close();
    },
  };
}

const MAX_OPEN_CALLS = 256;

function placeIn({ endpoints }: ProviderAccess, { provider, endpoint }: AskedModel): string {
  const server = endpoint === null ? undefined : endpoints.get(endpoint);
  return server === undefined
    ? (endpoint ?? provider)
    : `${server.url}?api-version=${server.apiVersion ?? ''}${headerLines(server)}`;
}

function fetchFor(
  wire: Wire,
  { provider }: AskedModel,
  { base, key, headers, apiVersion, direct }: Address,
  { proxy, clock, signal }: ProviderAccess & SharedCallSettings,
): BoundedFetch {
  const facts = factsOf(wire === 'openai' ? provider : wire);
  const keyHeader = wire === 'gemini' ? 'x-goog-api-key' : facts.keyHeader;
  return createStreamedFetch(
    {
      base,
      auth: authOf({ facts: { keyHeader } }, key, apiVersion !== null),
      headers: { ...facts.headers, ...headers },
      passedHeaders: wire === 'anthropic' ? ['anthropic-beta'] : [],
      query: apiVersion === null ? undefined : `api-version=${apiVersion}`,
      proxy: direct ? null : proxy,
      timeoutMs: UPSTREAM_SILENCE_MS,
      clock,
      signal,
    },
    { keepAlive: true },
  );
}
