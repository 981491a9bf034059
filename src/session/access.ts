import type { Endpoint } from '../config/overrides.ts';
import type { ProviderOptions } from '../providers/index.ts';
import { factsOf, perVendor } from '../types/vendors.ts';

/** Keys and addresses by which models are reached. */
export type Access = Pick<ProviderOptions, 'keys' | 'endpoints'>;

/** Other addresses for the vendors' hosts, and another clock than the machine's; set in process only. */
export type Reach = Partial<Pick<ProviderOptions, 'vendorUrls' | 'clock'>>;

/**
 * Puts together what the workflow (or the command line) gave: keys by input, else by the vendor's
 * usual variable; addresses by name.
 */
export function accessFrom(
  given: { keys: Access['keys']; endpoints: readonly Endpoint[] },
  env: NodeJS.ProcessEnv,
): Access {
  const fromEnv = (name: string): string | null => env[name]?.trim() || null;
  return {
    keys: perVendor((vendor) => given.keys[vendor] ?? fromEnv(factsOf(vendor).keyVariable)),
    endpoints: new Map(
      given.endpoints.map(({ name, url, keyEnv }) => [
        name,
        { url, key: keyEnv === null ? null : fromEnv(keyEnv), keyEnv },
      ]),
    ),
  };
}

/**
 * Every secret value of an access: to be masked, redacted, and taken out of the environment that
 * others may see.
 */
export function secretsOf({ keys, endpoints }: Access): string[] {
  const all = [...Object.values(keys), ...[...endpoints.values()].map(({ key }) => key)];
  return [...new Set(all.filter((key) => key !== null))];
}

/** Takes secrets out of an environment, so that nothing started later inherits them by accident. */
export function withoutSecrets(
  env: NodeJS.ProcessEnv,
  secrets: readonly string[],
): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([, value]) => value === undefined || !secrets.includes(value.trim()),
    ),
  );
}
