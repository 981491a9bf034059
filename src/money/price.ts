import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { GivenPrice, ModelSettings, Settings } from '../project/settings.ts';
import type { Usage } from '../types/answer.ts';
import {
  calledModel,
  isHosted,
  type CachedTokens,
  type HostedTarget,
  type Target,
  isBatched,
} from '../types/model.ts';
import { publicModel } from '../types/passports.ts';
import type { Price } from '../types/price.ts';
import type { VendorName } from '../types/vendors/names.ts';
import { factsOf } from '../types/vendors.ts';

/** Returns US dollars. */
export type ListPrice = (
  vendor: VendorName,
  model: string,
) => ((usage: Usage, cached?: CachedTokens) => number) | null;

export function isListed(target: Target): target is HostedTarget {
  return isHosted(target) && publicModel(target) !== null;
}

export const NO_LIST: ListPrice = () => null;

/**
 * Uses the settings' price, or else the vendor's list price, which endpoints and programs lack.
 * Null if unknown, never 0. Batches get the vendor's discount on either price.
 */
export function priceFrom(settings: readonly Settings[], list: ListPrice = NO_LIST): Price {
  const given = new Map<string, GivenPrice>();
  for (const model of settings.flatMap(({ models }) => [...models.values()])) {
    const key = priceKey(model);
    if (model.price !== null && !given.has(key)) given.set(key, model.price);
  }
  const ofCall: Price = (target, usage, cached) => {
    if (target.provider === 'replay') return 0;
    const price = given.size === 0 ? undefined : given.get(priceKey(target));
    if (price !== undefined) return givenPrice(price, usage, cached);
    if (cached?.cost !== undefined) return cached.cost;
    const called = calledModel(target);
    if (called !== null) return ofCall(called, usage, cached);
    const known = isHosted(target) ? publicModel(target) : null;
    return known === null ? null : (list(known.provider, known.model)?.(usage, cached) ?? null);
  };
  return (target, usage, cached) => {
    const price = ofCall(target, usage, cached);
    if (price === null || !isBatched(target) || !isHosted(target)) return price;
    return price * (factsOf(target.provider).batchShare ?? 1);
  };
}

function givenPrice(
  { input, output, cached: ofCached = input }: GivenPrice,
  usage: Usage,
  { read }: Pick<CachedTokens, 'read'> = { read: 0 },
): number {
  const fresh = usage.input_tokens - read;
  return (fresh * input + read * ofCached + usage.output_tokens * output) / 1e6;
}

/** Omits a program's files, because these differ between commits. */
function priceKey(model: Target | ModelSettings): string {
  const { provider } = model;
  return canonicalJson(
    'command' in model && provider === 'program'
      ? { provider, model: model.model, command: model.command, setup: model.setup }
      : { provider, model: model.model, endpoint: 'endpoint' in model ? model.endpoint : null },
  );
}
