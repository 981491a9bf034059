import { anthropicFacts } from './vendors/anthropic.ts';
import { compatibleFacts } from './vendors/compatible.ts';
import type { VendorFacts } from './vendors/facts.ts';
import { openaiFacts } from './vendors/openai.ts';

/**
 * One row per vendor: everything said of vendors follows from it, down to `action.yml`,
 * docs/action.md and docs/models.md (`npm run generate`). A vendor that speaks an API of this list
 * needs only a row; one with an API of its own is a file in `providers/vendors` too.
 */
export const VENDORS = {
  openai: openaiFacts,
  anthropic: anthropicFacts,
  ...compatibleFacts,
} as const satisfies Record<string, VendorFacts>;

export type VendorName = keyof typeof VENDORS;

/** Keys by vendor; null: none was given. */
export type VendorKeys = Readonly<Record<VendorName, string | null>>;

/** The inputs of the action that hold keys. */
export type KeyInput = (typeof VENDORS)[VendorName]['keyInput'];

/** In the order of the rows. */
export function vendorNames(): [VendorName, ...VendorName[]] {
  return Object.keys(VENDORS) as [VendorName, ...VendorName[]];
}

export function isVendor(provider: string): provider is VendorName {
  return Object.hasOwn(VENDORS, provider);
}

/** The facts of one vendor. */
export function factsOf(vendor: VendorName): VendorFacts {
  return VENDORS[vendor];
}

/** A value for each vendor. */
export function perVendor<T>(value: (vendor: VendorName) => T): Record<VendorName, T> {
  // `fromEntries` forgets the names of the keys, which are all of them.
  return Object.fromEntries(vendorNames().map((vendor) => [vendor, value(vendor)])) as Record<
    VendorName,
    T
  >;
}

/** The inputs of the action that hold keys, in the order of the rows. */
export function keyInputs(): string[] {
  return vendorNames().map((vendor) => factsOf(vendor).keyInput);
}

/** The vendors of which this holds, as owners: `OpenAI's and Anthropic's`. */
export function ownersIn(word: 'and' | 'or', holds: (vendor: VendorName) => boolean): string {
  const owners = vendorNames()
    .filter(holds)
    .map((vendor) => `${factsOf(vendor).label}'s`);
  const last = owners.pop() ?? '';
  return owners.length === 0 ? last : `${owners.join(', ')} ${word} ${last}`;
}

/** Whose languages servers may speak: `OpenAI's or Anthropic's`. */
export function languageOwners(): string {
  return ownersIn('or', (vendor) => factsOf(vendor).speaks === vendor);
}
