import { nearest } from '../text/suggest.ts';
import type { AskedModel } from '../types/passports.ts';
import { factsOf, isVendor, vendorNames, type VendorName } from '../types/vendors.ts';
import type { ModelSettings, Settings, Tests } from './suite.ts';
import { asksNothing } from './template.ts';

/**
 * The name that a file without a model of its own gets; `models:` of the settings says what it
 * stands for.
 */
export const UNNAMED_MODEL = 'default';

/** The vendor whose public models are called like this; null: no vendor's are. */
export function vendorOf(model: string): VendorName | null {
  return vendorNames().find((vendor) => factsOf(vendor).models.test(model)) ?? null;
}

/**
 * A vendor's model whose family a name nearly spells (`gtp-5.4`, `claud-sonnet-5-5`), or spells
 * without its hyphen (`gpt5`); null: none.
 */
export function modelMeant(name: string): string | null {
  const [, family = '', rest = ''] = /^([a-z]+)(?![a-z])-?(.+)$/i.exec(name) ?? [];
  const letters = (word: string): string => [...word.toLowerCase()].sort().join('');
  const families = vendorNames().map(
    (vendor) => factsOf(vendor).starterModel.split('-', 1)[0] ?? '',
  );
  const meant =
    families.find((known) => letters(known) === letters(family)) ??
    nearest(family, families, 'strict');
  const model = meant === null ? name : `${meant}-${rest}`;
  return model !== name && vendorOf(model) !== null ? model : null;
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

/** The model of a vendor's language that a name stands for, and where; null: nobody's, or no vendor's. */
export function askedModel(settings: Pick<Settings, 'models'>, name: string): AskedModel | null {
  const entry = entryOf(settings, name);
  const provider = entry?.provider ?? vendorOf(name);
  if (provider === null || !isVendor(provider)) return null;
  return { provider, endpoint: entry?.endpoint ?? null, model: entry?.model ?? name };
}

/** Whether the suite holds nothing but recorded answers, for which nobody is asked. */
export function isRecorded({ references, conversation }: Tests): boolean {
  return (
    conversation === null &&
    references.length > 0 &&
    references.every(({ thread }) => thread !== null && asksNothing(thread))
  );
}
