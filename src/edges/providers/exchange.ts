import { member, parsedJson } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf, type VendorIdentity } from '../../types/vendors.ts';
import type { Clock } from './clock.ts';
import { createCredential, type Credential, type IssuedToken } from './credential.ts';
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

const TIMEOUT_MS = 30_000;

/** OpenAI may omit the life of a token. Its SDK then assumes an hour. */
const LIFE_S = 3600;

export function identityCredential(
  vendor: VendorName,
  identity: JobIdentity,
  options: ExchangeOptions,
): Credential {
  const { proxy, clock, signal } = options;
  const { federation } = factsOf(vendor);
  const exchange = EXCHANGES[vendor];
  if (federation === undefined || exchange === undefined)
    throw new Error(`${vendor} has no exchange of identities`);
  const bounded = createBoundedFetch({
    base: new URL(federation.host),
    auth: null,
    passedHeaders: Object.keys(federation.headers),
    timeoutMs: TIMEOUT_MS,
    ...{ proxy, clock, signal },
  });
  const issue = async (): Promise<IssuedToken> => {
    const proof = await identityToken(identity, options);
    options.register([proof]);
    const { fetch, explain, lifeS } = watched(bounded.fetch, vendor, options);
    const token = await exchange(identity, proof, fetch).catch(() => {
      throw explain();
    });
    options.register([token]);
    return { token, lifeMs: lifeS() * 1000 };
  };
  return createCredential(issue, { clock, headers: federation.headers }, bounded.close);
}

async function identityToken(
  { request, audience }: JobIdentity,
  { redact }: Pick<ExchangeOptions, 'redact'>,
): Promise<string> {
  try {
    return (await request?.(audience)) ?? '';
  } catch (error) {
    const why = foreignLine(String(member(error, 'message')), redact, MAX_SAID_CHARS);
    throw new TransportError('exchange', `the runner issued no identity token: ${why}`);
  }
}

type Fetch = BoundedFetch['fetch'];

/** Notes what the SDKs do not report: the token's life, and why an exchange failed. */
function watched(
  send: Fetch,
  vendor: VendorName,
  { redact }: Pick<ExchangeOptions, 'redact'>,
): { fetch: Fetch; explain(): TransportError; lifeS(): number } {
  const { label } = factsOf(vendor);
  let status = 0;
  let reply: unknown;
  let failure: TransportError | null = null;
  return {
    async fetch(input, init) {
      try {
        const response = await send(input, init);
        status = response.status;
        reply = parsedJson(await response.clone().text());
        return response;
      } catch (error) {
        failure = error instanceof TransportError ? error : null;
        throw error;
      }
    },
    explain() {
      if (failure?.code === 'aborted') return failure;
      if (failure !== null) {
        const { message } = transportFault(failure, TIMEOUT_MS);
        return new TransportError('exchange', `no access token from ${label}: ${message}`);
      }
      const said = member(reply, 'error_description') ?? member(member(reply, 'error'), 'message');
      const why = foreignLine(
        String(said ?? member(reply, 'error') ?? 'without a reason'),
        redact,
        MAX_SAID_CHARS,
      );
      return status >= 500 || status === 429
        ? new TransportError('exchange', `no access token from ${label} (${status}): ${why}`)
        : new TransportError('identity', `${label} refused the job's identity (${status}): ${why}`);
    },
    lifeS() {
      const life = member(reply, 'expires_in');
      return typeof life === 'number' && life > 0 ? life : LIFE_S;
    },
  };
}

type Exchange = (identity: VendorIdentity, proof: string, fetch: Fetch) => Promise<string>;

const EXCHANGES: Partial<Record<VendorName, Exchange>> = {
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
