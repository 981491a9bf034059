import type { ModelSettings, Settings } from '../project/settings.ts';
import { nearest } from '../text/suggest.ts';
import type { AskedModel, ProviderName } from '../types/model.ts';
import type { VendorName } from '../types/vendors/names.ts';
import { factsOf, isVendor, vendorNames } from '../types/vendors.ts';

export const UNNAMED_MODEL = 'default';

export function vendorOf(model: string): VendorName | null {
  return vendorNames().find((vendor) => factsOf(vendor).models.test(model)) ?? null;
}

/**
 * Finds the known model that a misspelt name such as `gtp-5.4` or `claud-sonnet-5-5` stands for.
 */
export function modelMeant(name: string): string | null {
  const [, family = '', rest = ''] = /^([a-z]+)(?![a-z])-?(.+)$/i.exec(name) ?? [];
  const families = vendorNames().map(
    (vendor) => factsOf(vendor).starterModel.split('-', 1)[0] ?? '',
  );
  const meant = nearest(family, families, 'strict');
  const model = meant === null ? name : `${meant}-${rest}`;
  return model !== name && vendorOf(model) !== null ? model : null;
}

export function entryOf(settings: Pick<Settings, 'models'>, name: string): ModelSettings | null {
  return settings.models.get(currentName(settings, name)) ?? null;
}

export function currentName({ models }: Pick<Settings, 'models'>, name: string): string {
  if (models.has(name)) return name;
  return [...models].find(([, { replaces }]) => replaces.includes(name))?.[0] ?? name;
}

export function askedModel(settings: Pick<Settings, 'models'>, name: string): AskedModel | null {
  const entry = entryOf(settings, name);
  const provider = entry?.provider ?? vendorOf(name);
  if (provider === null || !isVendor(provider)) return null;
  return {
    provider,
    endpoint: entry?.endpoint ?? null,
    model: entry?.model ?? name,
    ...knownAs(entry ?? {}),
  };
}

export function knownAs({
  api,
  is,
}: Pick<AskedModel, 'api' | 'is'>): Pick<AskedModel, 'api' | 'is'> {
  return { ...(api && { api }), ...(is && { is }) };
}

/** Only a vendor's own servers offer batches. Compatible endpoints do not. */
export function hasBatches(provider: ProviderName, endpoint: string | null = null): boolean {
  return isVendor(provider) && answersBatches(provider) && endpoint === null;
}

export function answersBatches(vendor: VendorName): boolean {
  return factsOf(vendor).batchShare !== null;
}
