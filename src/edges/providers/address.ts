import { problem } from '../../errors.ts';
import { visibleLine } from '../../text/visible.ts';
import { protocolFlaw, type Endpoint, type GivenPace } from '../../types/endpoints.ts';
import { calledModel, isHosted, type Target } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import {
  credentialVariables,
  factsOf,
  keyInputWords,
  vendorNames,
  type VendorKeys,
} from '../../types/vendors.ts';
import type { Credential, JobIdentity } from './auth.ts';

/** Only the workflow can name servers and keys; a file of the repository never can. */
export interface ProviderAccess {
  keys: VendorKeys;
  endpoints: ReadonlyMap<string, ServerAccess>;
  proxy?: URL | null;
  vendorUrls?: Partial<Record<VendorName, string>>;
  identities?: ReadonlyMap<VendorName, JobIdentity>;
  /** The environment's variables about clouds. */
  cloud?: CloudVariables;
  /** Of the identities and of clouds. */
  credentials?: ReadonlyMap<VendorName, Credential>;
}

type CloudVariables = Readonly<Record<string, string | null>>;

export interface ServerAccess extends Partial<Omit<Endpoint, 'name' | 'headers'>> {
  url: string;
  key: string | null;
  headers?: readonly { name: string; env: string; value: string | null }[];
}

export interface Address {
  base: URL;
  key: string | Credential | null;
  headers: Readonly<Record<string, string>>;
  apiVersion: string | null;
  deployments: boolean;
  pace: GivenPace;
  direct: boolean;
}

const CREDENTIAL =
  /(?:^|-)(?:authorization|auth|cookie|token|secret|password|credentials?|(?:api|access|auth|app|subscription|functions)-?key)$/;

/**
 * The headers in a stored answer's key, each after a line break. A secret does not change answers,
 * and a new secret must not make stored answers useless.
 */
export function headerLines({ headers = [], volatile = [], keyEnv }: ServerAccess): string {
  const secrets = [keyEnv, ...vendorNames().map((vendor) => factsOf(vendor).keyVariable)];
  const counted = headers.filter(
    ({ name, env }) => !CREDENTIAL.test(name) && !volatile.includes(name) && !secrets.includes(env),
  );
  return counted
    .map(({ name, value }) => `\n${name}: ${value ?? ''}`)
    .sort()
    .join('');
}

export function secretsIn({
  keys,
  endpoints,
  proxy,
  cloud,
  credentials,
}: ProviderAccess): string[] {
  const servers = [...endpoints.values()].flatMap(({ key, headers = [] }) => [
    key,
    ...headers.map(({ value }) => value),
  ]);
  const password =
    proxy === null || proxy === undefined ? null : decodeURIComponent(proxy.password);
  const names = vendorNames().flatMap((vendor) => factsOf(vendor).cloud?.secrets ?? []);
  const ofClouds = names.map((name) => cloud?.[name] ?? null);
  const issued = [...(credentials?.values() ?? [])].flatMap((credential) => credential.issued());
  const all = [...Object.values(keys), ...ofClouds, ...servers, password, ...issued];
  return [...new Set(all.filter((secret) => secret !== null && secret !== ''))] as string[];
}

export function addressOf(
  { provider, endpoint: name }: { provider: VendorName; endpoint: string | null },
  access: ProviderAccess,
): Address | Problem {
  const found =
    name === null
      ? vendorAddress(provider, access)
      : endpointAddress(name, access, factsOf(provider).keyHeader);
  return typeof found === 'string' ? problem(null, found) : found;
}

function vendorAddress(provider: VendorName, access: ProviderAccess): Address | string {
  const url = access.vendorUrls?.[provider] ?? hostOf(provider, access);
  const part = /\{(\w+)\}/.exec(url)?.[1];
  if (part === undefined)
    return withVendorKey(
      namedAddress(`The address of ${provider}`, { url, key: null }),
      provider,
      access,
    );
  const [variable = ''] = factsOf(provider).cloud?.parts[part]?.variables ?? [];
  return (
    `The ${part} of provider ${provider} is missing or invalid: set ${variable} (in a line ` +
    `${provider}=oidc:… of the input keys, ${part}=).`
  );
}

function withVendorKey(
  address: Address | string,
  provider: VendorName,
  { keys, identities, cloud, credentials }: ProviderAccess,
): Address | string {
  if (typeof address === 'string') return address;
  const credential = credentials?.get(provider) ?? null;
  const identity = identities?.get(provider);
  if (identity !== undefined)
    return identity.request === null
      ? `The input keys names an identity for ${provider}, ${NO_PERMISSION}`
      : { ...address, key: credential };
  const { keyVariable, cloud: { logins } = { logins: [] } } = factsOf(provider);
  const key = keys[provider];
  if (key === null || key === '') {
    if (loginOf(provider, cloud) !== null) return { ...address, key: credential };
    const ways = [keyVariable, ...logins.map((names) => names.join(' and '))];
    return (
      `No key for provider ${provider}: set ${ways.join(', or ')} (in a workflow, ` +
      `${keyInputWords(provider)}; in a terminal, the file .env works, too).`
    );
  }
  return HEADER_VALUE.test(key)
    ? { ...address, key }
    : `The key for provider ${provider} ${UNSENDABLE}: check ${keyVariable} (in a workflow, ` +
        `${keyInputWords(provider)}).`;
}

const PART = /^[\w.-]{1,100}$/;

/** A part of a cloud's host, from the line in `keys`, or else from the environment. */
export function partOf(
  vendor: VendorName,
  part: string,
  { identities, cloud }: Pick<ProviderAccess, 'identities' | 'cloud'>,
): string | null {
  const { variables = [], fallback } = factsOf(vendor).cloud?.parts[part] ?? {};
  const given = [
    identities?.get(vendor)?.options[part],
    ...variables.map((name) => cloud?.[name]),
    fallback,
  ];
  // Azure's usual variable has the whole address.
  const value = given.find(Boolean)?.replace(/^https:\/\/([\w-]+)\..*$/, '$1') ?? '';
  return PART.test(value) ? value : null;
}

/** With a `{part}` if it is missing. */
export function hostOf(
  vendor: VendorName,
  access: Pick<ProviderAccess, 'identities' | 'cloud'>,
): string {
  const host = factsOf(vendor).host.replace(
    /\{(\w+)\}/g,
    (whole, part: string) => partOf(vendor, part, access) ?? whole,
  );
  return host.replace('//global-', '//');
}

const NO_PERMISSION =
  'but this job cannot request an identity token: add the line "id-token: write" under ' +
  'permissions: of the job (next to "contents: read").';

function endpointAddress(
  endpoint: string,
  access: ProviderAccess,
  keyHeader: string,
): Address | string {
  const name = visibleLine(endpoint);
  const server = access.endpoints.get(endpoint);
  if (server === undefined)
    return (
      `No endpoint is called "${name}": ` +
      `add the line "${name}=https://... key=NAME_OF_A_VARIABLE" to the input endpoints ` +
      '(in a terminal: --endpoint, or a line of EVALDIFF_ENDPOINTS).'
    );
  const address =
    unsetVariable(name, server) ??
    clashIn(name, server, keyHeader) ??
    namedAddress(`Endpoint ${name}`, server);
  return server.auth ? withVendorKey(address, server.auth, access) : address;
}

function unsetVariable(name: string, { key, keyEnv, headers = [] }: ServerAccess): string | null {
  if (key === null && typeof keyEnv === 'string')
    return (
      `Endpoint ${name}: the environment variable ${keyEnv} is not set; set it in the step's ` +
      'env, or remove key= if no key is needed.'
    );
  if (typeof keyEnv === 'string' && key !== null && !HEADER_VALUE.test(key))
    return `Endpoint ${name}: the key in the environment variable ${keyEnv} ${UNSENDABLE}.`;
  const unset = headers.find(({ value }) => value === null || !HEADER_VALUE.test(value));
  return unset === undefined
    ? null
    : `Endpoint ${name}: the environment variable ${unset.env} is not set to a valid header ` +
        `value; set it in the step's env, or remove header=${unset.name}:….`;
}

function clashIn(
  name: string,
  { key, keyEnv, headers = [], apiVersion }: ServerAccess,
  keyHeader: string,
): string | null {
  const ofKey = typeof apiVersion === 'string' ? 'api-key' : keyHeader;
  const named = key !== null || typeof keyEnv === 'string';
  return named && headers.some((header) => header.name === ofKey)
    ? `Endpoint ${name}: key= and header=${ofKey}:… both set the header ${ofKey}; ` +
        'remove one of them.'
    : null;
}

const HEADER_VALUE = /^[\x20-\x7e]{1,8000}$/;

const UNSENDABLE = 'contains a line break or another character that is not allowed in a header';

export function keySourceOf(
  { provider, endpoint }: { provider: VendorName; endpoint: string | null },
  access: ProviderAccess,
): string {
  if (endpoint === null) return vendorKeySource(provider, access);
  const { keyEnv = null, headers = [] } = access.endpoints.get(endpoint) ?? {};
  const name = visibleLine(endpoint);
  const named = [...(keyEnv === null ? [] : [keyEnv]), ...headers.map(({ env }) => env)];
  return named.length === 0
    ? `endpoint ${name} has no key; add key=NAME_OF_A_VARIABLE to its line`
    : `the key comes from ${named.join(' or ')} (see the definition of endpoint ${name})`;
}

function vendorKeySource(
  provider: VendorName,
  { keys, identities, cloud }: ProviderAccess,
): string {
  if (identities?.has(provider) === true)
    return `the identity comes from the line ${provider}=oidc:… of the input keys`;
  const login = keys[provider] === null ? loginOf(provider, cloud) : null;
  return login === null
    ? `the key comes from ${factsOf(provider).keyVariable} (in a workflow, ${keyInputWords(provider)})`
    : `the credentials come from ${login.join(', ')}`;
}

/** The variables of the cloud's login. Null: there is none. */
export function loginOf(
  vendor: VendorName,
  variables: CloudVariables | undefined,
): readonly string[] | null {
  const { logins = [] } = factsOf(vendor).cloud ?? {};
  return logins.find((names) => names.every((name) => variables?.[name])) ?? null;
}

export function missingKeys(
  targets: readonly Target[],
  access: ProviderAccess,
  codeEnv: readonly string[],
): Problem[] {
  const found = new Map<string, Problem>();
  for (const each of new Set(targets)) {
    const target = calledModel(each) ?? each;
    if (!isHosted(target)) continue;
    const address = addressOf(target, access);
    if ('message' in address) found.set(address.message, address);
    const { endpoint, provider } = target;
    const vendor = endpoint === null ? provider : access.endpoints.get(endpoint)?.auth;
    const given = vendor && credentialVariables(vendor).find((name) => codeEnv.includes(name));
    if (given) found.set(given, problem(null, `code-env: ${ofModel(given)}`));
  }
  return [...found.values()];
}

/** Only a model's own server may receive the model's key. */
export function ofModel(variable: string): string {
  return (
    `${variable} is the key of a model, which evaldiff sends only to that model's server. If your ` +
    'code calls a model itself, create a second key and pass it under another name.'
  );
}

export function addressProblems({ endpoints, vendorUrls }: ProviderAccess): Problem[] {
  const given = [
    ...Object.entries(vendorUrls ?? {}).map(([name, url]) =>
      namedAddress(`The address of ${name}`, { url, key: null }),
    ),
    ...[...endpoints].map(([name, server]) =>
      namedAddress(`Endpoint ${visibleLine(name)}`, server),
    ),
  ];
  return given.flatMap((found) => (typeof found === 'string' ? problem(null, found) : []));
}

function namedAddress(what: string, server: ServerAccess): Address | string {
  const { url, insecure = false } = server;
  const base = URL.canParse(url) ? new URL(url) : null;
  if (base === null)
    return `${what}: "${visibleLine(url)}" is not a web address; write https://host/path.`;
  if (base.username !== '' || base.password !== '')
    return (
      `${what}: the address contains a user name or password. Put the key into an ` +
      'environment variable, and name that (key=NAME_OF_A_VARIABLE).'
    );
  const flaw = protocolFlaw(base, insecure);
  return flaw === null
    ? addressAt(base, server)
    : `${what}: ${visibleLine(base.origin)} ${flaw}; no request was sent.`;
}

function addressAt(base: URL, server: ServerAccess): Address {
  const { key, headers = [], apiVersion = null } = server;
  const { concurrency = null, requests_per_minute = null, direct = false } = server;
  return {
    base,
    key: key === '' ? null : key,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value ?? ''])),
    apiVersion,
    deployments: apiVersion !== null && !/\/(deployments\/|v1\/?$|models\/?$)/.test(base.pathname),
    pace: { concurrency, requests_per_minute },
    direct,
  };
}
