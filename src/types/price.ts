import type { Usage } from './answer.ts';
import type { CachedTokens, Target } from './model.ts';

/** US dollars for one call. Null if unknown. */
export type Price = (target: Target, usage: Usage, cached?: CachedTokens) => number | null;
