import { capPriors } from './priors.ts';

/** Fewest and most references of each attribute, whole numbers. */
export interface Bounds {
  lower: number[];
  upper: number[];
  /**
   * QualEval's own band, kNp(1 − ε) to kNp(1 + ε), with the priors as they are: real numbers, often
   * without a solution.
   */
  band: { low: number; high: number }[];
}

/** Float noise that moves no whole number. */
const NOISE = 1e-9;

/**
 * The paper's band rounded outwards, with every prior capped at 1/k: lo = ⌊kNp(1 − ε)⌋, hi = min(N,
 * ⌈kNp(1 + ε)⌉). There is always a solution: lo ≤ hi ≤ N and Σ lo ≤ kN ≤ Σ hi. `priors` sum to 1;
 * `each` (k) attributes per reference; `slack` ε, 0–1.
 */
export function outwardBounds(
  priors: readonly number[],
  references: number,
  each: number,
  slack: number,
): Bounds {
  const wanted = capPriors(priors, 1 / each).map((prior) => each * references * prior);
  return {
    lower: wanted.map((count) =>
      Math.min(references, Math.max(0, Math.floor(count * (1 - slack) + NOISE))),
    ),
    upper: wanted.map((count) =>
      Math.min(references, Math.max(0, Math.ceil(count * (1 + slack) - NOISE))),
    ),
    band: priors.map((prior) => ({
      low: each * references * prior * (1 - slack),
      high: each * references * prior * (1 + slack),
    })),
  };
}
