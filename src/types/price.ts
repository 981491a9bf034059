import type { Usage } from './answer.ts';
import type { CachedTokens, Target } from './model.ts';

/** US dollars for one call. Null if unknown. `cached` is the input in the prompt cache. */
export type Price = (target: Target, usage: Usage, cached?: CachedTokens) => number | null;
