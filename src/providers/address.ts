import { isIPv4 } from 'node:net';
import { problem } from '../errors.ts';
import { visibleLine } from '../text/visible.ts';
import { isHosted, type Target } from '../types/model.ts';
import type { Problem } from '../types/plain.ts';
import { factsOf, type VendorKeys, type VendorName } from '../types/vendors.ts';

/** Servers and keys, as the workflow (never a repository's file) names them. */
export interface ProviderAccess {
  keys: VendorKeys;
  /**
   * Further servers by name. `url` is what the vendor's SDK takes as base address; `key` null: none
   * is sent, unless `keyEnv` names the variable that was to hold it, for then it is missing.
   */
  endpoints: ReadonlyMap<string, { url: string; key: string | null; keyEnv?: string | null }>;
  /** Other addresses for the vendors' public hosts, set in process for tests and self-hosting. */
  vendorUrls?: Partial<Record<VendorName, string>>;
}

/** Where one request goes, and the key that belongs to exactly that origin. */
export interface Address {
  base: URL;
  key: string | null;
}

/**
 * The address for a target, or the problem in the words of the workflow: a key that is not set, a
 * name that is not defined, an address that no key may be sent to.
 */
export function addressOf(
  target: { provider: VendorName; endpoint: string | null },
  access: ProviderAccess,
): Address | Problem {
  const facts = factsOf(target.provider);
  if (target.endpoint === null) {
    const key = access.keys[target.provider];
    if (key === null || key === '')
      return problem(
        null,
        `No key for provider ${target.provider}: set ${facts.keyVariable} (in a workflow the input ${facts.keyInput}).`,
      );
    return checked(
      `The address of ${target.provider}`,
      access.vendorUrls?.[target.provider] ?? facts.host,
      key,
    );
  }
  const name = visibleLine(target.endpoint);
  const endpoint = access.endpoints.get(target.endpoint);
  if (endpoint === undefined) {
    return problem(
      null,
      `No endpoint is called "${name}": add the line "${name}=https://... key=NAME_OF_A_VARIABLE" to the input endpoints (in a terminal: --endpoint, or a line of EVALDIFF_ENDPOINTS).`,
    );
  }
  const { url, key, keyEnv } = endpoint;
  if (key === null && typeof keyEnv === 'string') {
    return problem(
      null,
      `Endpoint ${name}: the environment variable ${keyEnv} is not set; give it to the step under env, or leave key= out where no key is needed.`,
    );
  }
  return checked(`Endpoint ${name}`, url, key);
}

/** Where the key for a target comes from, for whoever has to change it. */
export function keySourceOf(
  { provider, endpoint }: { provider: VendorName; endpoint: string | null },
  { endpoints }: ProviderAccess,
): string {
  if (endpoint === null) {
    const { keyVariable, keyInput } = factsOf(provider);
    return `the key is that of ${keyVariable} (in a workflow the input ${keyInput})`;
  }
  const keyEnv = endpoints.get(endpoint)?.keyEnv ?? null;
  const name = visibleLine(endpoint);
  return keyEnv === null
    ? `endpoint ${name} names no key; add key=NAME_OF_A_VARIABLE to its line`
    : `the key is that of ${keyEnv}, which the line of endpoint ${name} names`;
}

/** What stands in the way of asking these targets, each thing once. */
export function missingKeys(targets: readonly Target[], access: ProviderAccess): Problem[] {
  const found = new Map<string, Problem>();
  for (const target of targets) {
    if (!isHosted(target)) continue;
    const address = addressOf(target, access);
    if ('message' in address) found.set(address.message, address);
  }
  return [...found.values()];
}

/** Problems of all addresses, whether they are used or not. */
export function addressProblems({ endpoints, vendorUrls }: ProviderAccess): Problem[] {
  const given = [
    ...Object.entries(vendorUrls ?? {}).map(([name, url]) =>
      checked(`The address of ${name}`, url, null),
    ),
    ...[...endpoints].map(([name, { url, key }]) =>
      checked(`Endpoint ${visibleLine(name)}`, url, key),
    ),
  ];
  return given.filter((address): address is Problem => 'message' in address);
}

function checked(what: string, text: string, key: string | null): Address | Problem {
  const base = URL.canParse(text) ? new URL(text) : null;
  if (base === null)
    return problem(
      null,
      `${what}: "${visibleLine(text)}" is not a web address; write https://host/path.`,
    );
  if (base.username !== '' || base.password !== '') {
    return problem(
      null,
      `${what}: the address holds a user name or password; give a key by name instead (key=NAME_OF_A_VARIABLE).`,
    );
  }
  if (base.protocol !== 'https:' && !(base.protocol === 'http:' && isLoopback(base.hostname))) {
    return problem(
      null,
      `${what}: ${visibleLine(base.origin)} is neither https nor a loopback address; nothing is sent to it.`,
    );
  }
  return { base, key: key === '' ? null : key };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}
