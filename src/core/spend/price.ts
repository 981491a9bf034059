import type { ModelSettings, Settings, Target, Usage } from '../../types.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import { isBatched } from '../select/target.ts';
import type { Price } from './meter.ts';

/**
 * A vendor's public price for a model, in dollars for what a call used; null where none is known.
 */
export type ListPrice = (
  vendor: 'openai' | 'anthropic',
  model: string,
) => ((usage: Usage) => number) | null;

/** What both vendors charge for a request in a batch, as a share of the price of a call. */
const BATCH_SHARE = 0.5;

/** For runs that look nothing up. */
export const NO_LIST: ListPrice = () => null;

/**
 * Prices of calls: the settings' `models.<name>.price` (where several settings name a target, the
 * first that has one), else the vendor's own list. A server of the workflow's and a program have
 * the price they are given or none: unknown is null, never nothing. Recordings cost nothing. In a
 * batch a request costs {@link BATCH_SHARE} of any of these prices.
 */
export function priceFrom(settings: readonly Settings[], list: ListPrice = NO_LIST): Price {
  const given = new Map<string, { input: number; output: number }>();
  for (const model of settings.flatMap(({ models }) => [...models.values()])) {
    const key = keyOf(model);
    if (model.price !== null && !given.has(key)) given.set(key, model.price);
  }
  const ofCall: Price = (target, usage) => {
    if (target.provider === 'replay') return 0;
    const price = given.get(keyOf(target));
    if (price !== undefined)
      return (usage.input_tokens * price.input + usage.output_tokens * price.output) / 1e6;
    if (target.provider === 'program' || target.endpoint !== null) return null;
    return list(target.provider, target.model)?.(usage) ?? null;
  };
  return (target, usage) => {
    const price = ofCall(target, usage);
    return price !== null && isBatched(target) ? price * BATCH_SHARE : price;
  };
}

/**
 * The target as it is asked outside of full sweeps: what an answer costs those who use the prompt.
 */
export function asDirect(target: Target): Target {
  if (!isBatched(target) || (target.provider !== 'openai' && target.provider !== 'anthropic'))
    return target;
  const { provider, endpoint, model } = target;
  return { provider, endpoint, model };
}

/**
 * A program is known by its command: its files, which are part of a target's identity, differ
 * between commits.
 */
function keyOf(model: Target | ModelSettings): string {
  const { provider } = model;
  return canonicalJson(
    'command' in model && provider === 'program'
      ? { provider, model: model.model, command: model.command, setup: model.setup }
      : { provider, model: model.model, endpoint: 'endpoint' in model ? model.endpoint : null },
  );
}
