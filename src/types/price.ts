import type { Usage } from './answer.ts';
import type { CachedTokens, Target } from './model.ts';

/** Dollars for one call; null: unknown. `cached`: input that the prompt cache handled. */
export type Price = (target: Target, usage: Usage, cached?: CachedTokens) => number | null;
