import { member, parsedJson } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import { factsOf } from '../../types/vendors.ts';
import { partOf, type ProviderAccess } from './address.ts';
import { BEARER, type Credential, type Signer } from './auth.ts';
import type { Clock } from './clock.ts';
import { azureToken } from './cloud-azure.ts';
import { googleToken } from './cloud-google.ts';
import type { CloudLogin, IssuedToken } from './cloud-login.ts';
import { createCredential, type TokenSource } from './credential.ts';
import { TransportError, transportFault } from './fault.ts';
import { createBoundedFetch } from './fetch.ts';
import type { BoundedFetch } from './http.ts';
import { MAX_SAID_CHARS, foreignLine } from './sdk-fault.ts';

interface ExchangeOptions extends Pick<ProviderAccess, 'identities' | 'cloud' | 'proxy'> {
  clock: Clock;
  signal: AbortSignal;
  redact(text: string): string;
  /** Told every token before it is sent. */
  register(secrets: readonly string[]): void;
}

const EXCHANGE_MS = 30_000;

/** Exchanges the job's identity or, if the workflow names none, what a cloud's tools left. */
export function vendorCredential(vendor: VendorName, options: ExchangeOptions): Credential {
  const { redact, clock } = options;
  const secrets = new Set<string>();
  const register = (found: readonly string[]) => {
    for (const each of found) if (each !== '') secrets.add(each);
    options.register(found);
  };
  const { federation, label } = factsOf(vendor);
  const open = EXCHANGES[vendor];
  if (federation === undefined || open === undefined) throw new Error(`no ${vendor} exchange`);
  const { headers } = federation;
  const identity = options.identities?.get(vendor) ?? null;
  const shorten = (said: unknown) => foreignLine(String(said), redact, MAX_SAID_CHARS);
  const reply: ExchangeReply = { status: 0, text: '', failure: null };
  const prove = async (): Promise<string> => {
    reply.failure = null;
    try {
      const proof = (await identity?.request?.(identity.audience)) ?? '';
      register([proof]);
      return proof;
    } catch (error) {
      const why = shorten(member(error, 'message'));
      reply.failure = new TransportError('identity', `the runner issued no identity token: ${why}`);
      throw error;
    }
  };
  const fetch = watchedFetch(reply, Object.keys(headers), options);
  const login: CloudLogin = {
    identity,
    variables: options.cloud ?? {},
    prove,
    register,
    now: () => clock.now(),
    request: (url, init) => cloudReply(fetch, url, init),
  };
  const given: Exchange = { login, fetch, part: (name) => partOf(vendor, name, options) };
  let opened: ReturnType<Open> | null = null;
  const source = (): ReturnType<Open> => (opened ??= open(given));
  const token = async (): Promise<string> => {
    try {
      const current = await (await source()).token();
      register([current]);
      return current;
    } catch (error) {
      if (error instanceof TransportError && error.code === 'identity') throw error;
      const what = identity === null ? 'the credentials' : "the job's identity";
      throw whyRefused(reply, { label, what, shorten });
    }
  };
  const invalidate = async () => (await source()).invalidate();
  const signer = async () => (await source()).signer ?? BEARER;
  const issued = () => [...secrets];
  return createCredential({ token, invalidate }, { headers, signer, issued });
}

/** What the SDKs do not report. */
interface ExchangeReply {
  status: number;
  text: string;
  failure: TransportError | null;
}

/** Calls any host. */
function watchedFetch(
  reply: ExchangeReply,
  names: readonly string[],
  { clock, signal, proxy }: ExchangeOptions,
): BoundedFetch['fetch'] {
  return async (input, init) => {
    const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
    const { fetch, close } = createBoundedFetch({
      base: new URL(url),
      auth: null,
      timeoutMs: EXCHANGE_MS,
      clock,
      signal,
      proxy,
      passedHeaders: [...names, 'authorization'],
    });
    try {
      const response = await fetch(input, init);
      const text = await response.text();
      Object.assign(reply, { status: response.status, text, failure: null });
      const date = response.headers.get('date') ?? '';
      // A complete response, because the SDKs read these as streams.
      return new Response(text, { status: response.status, headers: { date } });
    } catch (error) {
      reply.failure = error as TransportError;
      throw error;
    } finally {
      close();
    }
  };
}

async function cloudReply(
  fetch: BoundedFetch['fetch'],
  ...[url, init]: Parameters<CloudLogin['request']>
): ReturnType<CloudLogin['request']> {
  const response = await fetch(url, init);
  const text = await response.text();
  const date = Date.parse(response.headers.get('date') ?? '');
  return { text, data: parsedJson(text), date: Number.isNaN(date) ? null : date };
}

function whyRefused(
  { status, text, failure }: ExchangeReply,
  { label, what, shorten }: { label: string; what: string; shorten(said: unknown): string },
): TransportError {
  if (failure?.code === 'aborted' || failure?.code === 'exchange') return failure;
  if (failure !== null) {
    const { message } = transportFault(failure, EXCHANGE_MS);
    return new TransportError('exchange', `no access token from ${label}: ${message}`);
  }
  const why = `(${status}): ${shorten(saidIn(text))}`;
  return status >= 500 || status === 429
    ? new TransportError('exchange', `no access token from ${label} ${why}`)
    : new TransportError('identity', `${label} refused ${what} ${why}`);
}

function saidIn(text: string): unknown {
  const data = parsedJson(text);
  const error = member(data, 'error');
  const ofXml = /<Message>([^<]+)/.exec(text)?.[1] ?? 'no reason';
  return member(data, 'error_description') ?? member(error, 'message') ?? error ?? ofXml;
}

interface Exchange {
  login: CloudLogin;
  fetch: BoundedFetch['fetch'];
  /** A part of the cloud's address. Null: it is missing. */
  part(name: string): string | null;
}

type Open = (given: Exchange) => Promise<TokenSource & { signer?: Signer }>;

/** The share of a token's life after which it is renewed. */
const RENEWED_AFTER = 0.8;

const RENEWAL_PAUSE_MS = 5000;

/** Renews tokens before they expire. If that fails, the old one is used meanwhile. */
function cached(issue: () => Promise<IssuedToken>): TokenSource {
  let held: { token: string; renewsAt: number; endsAt: number } | null = null;
  let renewal: Promise<string> | null = null;
  const renewed = async (): Promise<string> => {
    try {
      const { token, expiresAt } = await issue();
      const now = Date.now();
      const endsAt = expiresAt === null ? Infinity : expiresAt * 1000;
      held = { token, endsAt, renewsAt: now + RENEWED_AFTER * (endsAt - now) };
      return token;
    } finally {
      renewal = null;
    }
  };
  return {
    async token() {
      const now = Date.now();
      if (held === null || now >= held.endsAt) return await (renewal ??= renewed());
      if (now >= held.renewsAt) {
        held.renewsAt = now + RENEWAL_PAUSE_MS;
        renewal ??= renewed();
        renewal.catch(() => undefined);
      }
      return held.token;
    },
    invalidate() {
      held = null;
    },
  };
}

const EXCHANGES: Partial<Record<VendorName, Open>> = {
  async openai({ login: { identity, prove: getToken }, fetch }) {
    const { id = '', options = {} } = identity ?? {};
    const { WorkloadIdentityAuth } = await import('openai/auth/workload-identity-auth');
    const provider = { tokenType: 'jwt', getToken } as const;
    const serviceAccountId = options['service-account'] ?? '';
    const given = { identityProviderId: id, serviceAccountId, provider };
    const auth = new WorkloadIdentityAuth(given, fetch);
    return { token: () => auth.getToken(), invalidate: () => auth.invalidateToken() };
  },
  async anthropic({ login: { identity, prove: identityTokenProvider }, fetch }) {
    const { id = '', options = {} } = identity ?? {};
    const { oidcFederationProvider } =
      await import('@anthropic-ai/sdk/lib/credentials/oidc-federation');
    const provider = oidcFederationProvider({
      identityTokenProvider,
      federationRuleId: id,
      organizationId: options['organization'] ?? '',
      serviceAccountId: options['service-account'],
      workspaceId: options['workspace'],
      baseURL: factsOf('anthropic').host,
      fetch,
    });
    return cached(provider);
  },
  async bedrock({ login, part }) {
    const { awsLogin } = await import('./cloud-aws.ts');
    const region = part('region');
    if (region === null) throw new TransportError('identity', 'AWS_REGION is not set');
    const { issue, signer } = awsLogin(login, region);
    return { ...cached(issue), signer };
  },
  vertex: ({ login }) => Promise.resolve(cached(() => googleToken(login))),
  azure: ({ login }) => Promise.resolve(cached(() => azureToken(login))),
};
