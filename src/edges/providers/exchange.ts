import { member, parsedJson } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf, type VendorIdentity } from '../../types/vendors.ts';
import type { Credential } from './auth.ts';
import type { Clock } from './clock.ts';
import { createCredential, type TokenSource } from './credential.ts';
import { TransportError, transportFault } from './fault.ts';
import { createBoundedFetch } from './fetch.ts';
import type { BoundedFetch } from './http.ts';
import { MAX_SAID_CHARS, foreignLine } from './sdk-fault.ts';

/** An identity in the workflow. `request` is null if the job may not get identity tokens. */
export interface JobIdentity extends VendorIdentity {
  request: ((audience: string) => Promise<string>) | null;
}

interface ExchangeOptions {
  proxy?: URL | null;
  clock: Clock;
  signal: AbortSignal;
  redact(text: string): string;
  /** Told every token before it is sent. */
  register(secrets: readonly string[]): void;
}

const EXCHANGE_MS = 30_000;

export function identityCredential(
  vendor: VendorName,
  identity: JobIdentity,
  { register, redact, ...bounds }: ExchangeOptions,
): Credential {
  const { federation, label } = factsOf(vendor);
  const open = EXCHANGES[vendor];
  if (federation === undefined || open === undefined) throw new Error(`no ${vendor} exchange`);
  const { headers } = federation;
  const shorten = (said: unknown): string => foreignLine(String(said), redact, MAX_SAID_CHARS);
  const reply: ExchangeReply = { status: 0, data: undefined, failure: null };
  const prove = async (): Promise<string> => {
    reply.failure = null;
    try {
      const proof = (await identity.request?.(identity.audience)) ?? '';
      register([proof]);
      return proof;
    } catch (error) {
      const why = shorten(member(error, 'message'));
      reply.failure = new TransportError('identity', `the runner issued no identity token: ${why}`);
      throw error;
    }
  };
  const watched: BoundedFetch['fetch'] = async (input, init) => {
    const { fetch, close } = createBoundedFetch({
      base: new URL(federation.host),
      auth: null,
      passedHeaders: Object.keys(headers),
      timeoutMs: EXCHANGE_MS,
      ...bounds,
    });
    try {
      const response = await fetch(input, init);
      const text = await response.text();
      reply.status = response.status;
      reply.data = parsedJson(text);
      // A complete response, because the SDKs read these as streams.
      return new Response(text, { status: response.status });
    } catch (error) {
      reply.failure = error as TransportError;
      throw error;
    } finally {
      close();
    }
  };
  let opened: Promise<TokenSource> | null = null;
  const source = (): Promise<TokenSource> => (opened ??= open(identity, prove, watched));
  const token = async (): Promise<string> => {
    try {
      const current = await (await source()).token();
      register([current]);
      return current;
    } catch {
      throw whyRefused(reply, label, shorten);
    }
  };
  const invalidate = async (): Promise<void> => (await source()).invalidate();
  return createCredential({ token, invalidate }, headers);
}

/** What the SDKs do not report. */
interface ExchangeReply {
  status: number;
  data: unknown;
  failure: TransportError | null;
}

function whyRefused(
  { status, data, failure }: ExchangeReply,
  label: string,
  shorten: (said: unknown) => string,
): TransportError {
  if (failure?.code === 'aborted' || failure?.code === 'exchange') return failure;
  if (failure !== null) {
    const { message } = transportFault(failure, EXCHANGE_MS);
    return new TransportError('exchange', `no access token from ${label}: ${message}`);
  }
  const error = member(data, 'error');
  const said = member(data, 'error_description') ?? member(error, 'message') ?? error;
  const why = `(${status}): ${shorten(said ?? 'no reason')}`;
  return status >= 500 || status === 429
    ? new TransportError('exchange', `no access token from ${label} ${why}`)
    : new TransportError('identity', `${label} refused the job's identity ${why}`);
}

type IdentityExchange = (
  identity: VendorIdentity,
  prove: () => Promise<string>,
  fetch: BoundedFetch['fetch'],
) => Promise<TokenSource>;

const EXCHANGES: Partial<Record<VendorName, IdentityExchange>> = {
  async openai({ id, options }, getToken, fetch) {
    const { WorkloadIdentityAuth } = await import('openai/auth/workload-identity-auth');
    const provider = { tokenType: 'jwt', getToken } as const;
    const serviceAccountId = options['service-account'] ?? '';
    const given = { identityProviderId: id, serviceAccountId, provider };
    const auth = new WorkloadIdentityAuth(given, fetch);
    return { token: () => auth.getToken(), invalidate: () => auth.invalidateToken() };
  },
  async anthropic({ id, options }, identityTokenProvider, fetch) {
    const [{ oidcFederationProvider }, { TokenCache }] = await Promise.all([
      import('@anthropic-ai/sdk/lib/credentials/oidc-federation'),
      import('@anthropic-ai/sdk/lib/credentials/token-cache'),
    ]);
    const provider = oidcFederationProvider({
      identityTokenProvider,
      federationRuleId: id,
      organizationId: options['organization'] ?? '',
      serviceAccountId: options['service-account'],
      workspaceId: options['workspace'],
      baseURL: factsOf('anthropic').host,
      fetch,
    });
    const cache = new TokenCache(provider);
    return { token: () => cache.getToken(), invalidate: () => cache.invalidate() };
  },
};
