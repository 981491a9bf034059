import type { ProviderOptions } from '../providers/index.ts';
import type { Endpoint } from '../types/endpoints.ts';
import { factsOf, perVendor } from '../types/vendors.ts';

/** Keys and addresses by which models are reached. */
export type Access = Pick<ProviderOptions, 'keys' | 'endpoints' | 'proxy'>;

/** Other addresses for the vendors' hosts, and another clock than the machine's; set in process only. */
export type Reach = Partial<Pick<ProviderOptions, 'vendorUrls' | 'clock'>>;

/**
 * Puts together what the workflow (or the command line) gave: keys by input, else by the vendor's
 * usual variable; addresses by name.
 */
export function accessFrom(
  given: { keys: Access['keys']; endpoints: readonly Endpoint[]; proxy: string | null },
  env: NodeJS.ProcessEnv,
): Access {
  const fromEnv = (name: string): string | null => env[name]?.trim() || null;
  return {
    keys: perVendor((vendor) => given.keys[vendor] ?? fromEnv(factsOf(vendor).keyVariable)),
    endpoints: new Map(
      given.endpoints.map(({ name, keyEnv, headers, ...facts }) => [
        name,
        {
          ...facts,
          keyEnv,
          key: keyEnv === null ? null : fromEnv(keyEnv),
          headers: headers.map((header) => ({ ...header, value: fromEnv(header.env) })),
        },
      ]),
    ),
    proxy: given.proxy === null ? null : new URL(given.proxy),
  };
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
