import { factsOf, vendorNames, type VendorName } from '../types/vendors.ts';
import type { ModelSettings, Settings } from './suite.ts';

/** The vendor whose public models are called like this; null: no vendor's are. */
export function vendorOf(model: string): VendorName | null {
  return vendorNames().find((vendor) => factsOf(vendor).models.test(model)) ?? null;
}

/** The entry under `models:` that a name stands for: its own, or its successor's. */
export function entryOf({ models }: Pick<Settings, 'models'>, name: string): ModelSettings | null {
  // Before the vendors' families: a model that was retired has the name of one.
  return (
    models.get(name) ?? [...models.values()].find(({ replaces }) => replaces.includes(name)) ?? null
  );
}

/**
 * Where a model is asked: the server that the workflow names, else the vendor's own, else `program`
 * or `replay`.
 */
export function placeOf(asked: {
  provider: ModelSettings['provider'];
  endpoint?: string | null;
}): string {
  return asked.endpoint ?? asked.provider;
}
