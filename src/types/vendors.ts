import { anthropicFacts } from './vendors/anthropic.ts';
import { cloudFacts } from './vendors/clouds.ts';
import { compatibleFacts } from './vendors/compatible.ts';
import type { VendorFacts } from './vendors/facts.ts';
import type { VendorName } from './vendors/names.ts';
import { openaiFacts } from './vendors/openai.ts';

/** `npm run generate` derives inputs in `action.yml` and tables in docs from this table. */
export const VENDORS = {
  openai: openaiFacts,
  anthropic: anthropicFacts,
  ...compatibleFacts,
  ...cloudFacts,
} as const satisfies Record<VendorName, VendorFacts>;

export type VendorKeys = Readonly<Record<VendorName, string | null>>;

/** An identity at a vendor. The job proves it with the runner's identity token. */
export interface VendorIdentity {
  id: string;
  audience: string;
  options: Readonly<Record<string, string>>;
}

export type KeyInput = NonNullable<(typeof VENDORS)[VendorName]['keyInput']>;

export function vendorNames(): [VendorName, ...VendorName[]] {
  return Object.keys(VENDORS) as [VendorName, ...VendorName[]];
}

export function isVendor(provider: string): provider is VendorName {
  return Object.hasOwn(VENDORS, provider);
}

export function factsOf(vendor: VendorName): VendorFacts {
  return VENDORS[vendor];
}

export function perVendor<T>(value: (vendor: VendorName) => T): Record<VendorName, T> {
  return Object.fromEntries(vendorNames().map((vendor) => [vendor, value(vendor)])) as Record<
    VendorName,
    T
  >;
}

export function keyInputs(): string[] {
  return vendorNames().flatMap((vendor) => factsOf(vendor).keyInput ?? []);
}

/** Where a workflow gives the vendor's key. */
export function keyInputWords(vendor: VendorName): string {
  const { keyInput } = factsOf(vendor);
  return keyInput === null ? `the line ${vendor}=… of the input keys` : `the input ${keyInput}`;
}

/** Variables of the environment with the vendor's credentials. */
export function credentialVariables(vendor: VendorName): string[] {
  const { keyVariable, cloud } = factsOf(vendor);
  return [keyVariable, ...(cloud?.secrets ?? []), ...(cloud?.logins.flat() ?? [])];
}

export function ownersIn(word: 'and' | 'or', holds: (vendor: VendorName) => boolean): string {
  const owners = vendorNames()
    .filter(holds)
    .map((vendor) => `${factsOf(vendor).label}'s`);
  const last = owners.pop() ?? '';
  return owners.length === 0 ? last : `${owners.join(', ')} ${word} ${last}`;
}

export function languageOwners(): string {
  return ownersIn('or', (vendor) => factsOf(vendor).speaks === vendor);
}
