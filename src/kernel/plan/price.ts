import type { CachedTokens, Target, Usage } from '../../types/model.ts';

/**
 * Dollars for one call, or null when no price is known. `cached`: what of its input went through
 * the vendor's prompt cache; absent: nothing.
 */
export type Price = (target: Target, usage: Usage, cached?: CachedTokens) => number | null;
