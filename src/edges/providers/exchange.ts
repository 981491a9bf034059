import { member, parsedJson } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf, type VendorIdentity } from '../../types/vendors.ts';
import type { Credential } from './auth.ts';
import type { Clock } from './clock.ts';
import { createCredential, type IssuedToken } from './credential.ts';
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

/** OpenAI may omit the life of a token. Its SDK then assumes an hour. */
const LIFE_S = 3600;

export function identityCredential(
  vendor: VendorName,
  identity: JobIdentity,
  { register, redact, ...bounds }: ExchangeOptions,
): Credential {
  const { federation, label } = factsOf(vendor);
  const exchange = EXCHANGES[vendor];
  if (federation === undefined || exchange === undefined) throw new Error(`no ${vendor} exchange`);
  const { headers } = federation;
  const shorten = (said: unknown): string => foreignLine(String(said), redact, MAX_SAID_CHARS);
  const prove = async (): Promise<string> => {
    try {
      return (await identity.request?.(identity.audience)) ?? '';
    } catch (error) {
      const why = shorten(member(error, 'message'));
      throw new TransportError('exchange', `the runner issued no identity token: ${why}`);
    }
  };
  const issue = async (): Promise<IssuedToken> => {
    const proof = await prove();
    register([proof]);
    const reply: ExchangeReply = { status: 0, data: undefined, failure: null };
    const { fetch, close } = createBoundedFetch({
      base: new URL(federation.host),
      auth: null,
      passedHeaders: Object.keys(headers),
      timeoutMs: EXCHANGE_MS,
      ...bounds,
    });
    const watched: BoundedFetch['fetch'] = async (input, init) => {
      const response = await fetch(input, init).catch((error: unknown) => {
        reply.failure = error as TransportError;
        throw error;
      });
      const text = await response.text();
      reply.status = response.status;
      reply.data = parsedJson(text);
      // A complete response, because the SDKs read these as streams.
      return new Response(text, { status: response.status });
    };
    try {
      const token = await exchange(identity, proof, watched);
      register([token]);
      return { token, lifeMs: Number(member(reply.data, 'expires_in') ?? LIFE_S) * 1000 };
    } catch {
      throw whyRefused(reply, label, shorten);
    } finally {
      close();
    }
  };
  return createCredential(issue, { clock: bounds.clock, headers });
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
  if (failure?.code === 'aborted') return failure;
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
  proof: string,
  fetch: BoundedFetch['fetch'],
) => Promise<string>;

const EXCHANGES: Partial<Record<VendorName, IdentityExchange>> = {
  async openai({ id, options }, proof, fetch) {
    const { WorkloadIdentityAuth } = await import('openai/auth/workload-identity-auth');
    const provider = { tokenType: 'jwt', getToken: () => Promise.resolve(proof) } as const;
    const serviceAccountId = options['service-account'] ?? '';
    const given = { identityProviderId: id, serviceAccountId, provider };
    return new WorkloadIdentityAuth(given, fetch).getToken();
  },
  async anthropic({ id, options }, proof, fetch) {
    const { oidcFederationProvider } =
      await import('@anthropic-ai/sdk/lib/credentials/oidc-federation');
    const exchange = oidcFederationProvider({
      identityTokenProvider: () => proof,
      federationRuleId: id,
      organizationId: options['organization'] ?? '',
      serviceAccountId: options['service-account'],
      workspaceId: options['workspace'],
      baseURL: factsOf('anthropic').host,
      fetch,
    });
    return (await exchange()).token;
  },
};
