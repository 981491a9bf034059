import type { Usage } from './answer.ts';
import type { CachedTokens, Target } from './model.ts';

export type Price = (target: Target, usage: Usage, cached?: CachedTokens) => number | null;
