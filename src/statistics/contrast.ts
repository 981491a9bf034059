import { pairFactor, type Pair } from './evidence.ts';

/**
 * Evidence that one prompt passes more often than another on some of several references, from pairs
 * of tries, one of each prompt, by reference and in the order in which they were made. `base` of a
 * pair is the try that should pass; `share` is how far it was believed before these tries that the
 * prompts differ on this reference, 0–1. Bets on a few ways, each on all references together. An e-value: if the first prompt passes no more often
 * on any reference, its mean is at most 1 whenever one stops looking, so that it exceeds 1/a with a
 * chance of at most a.
 */
export function contrastEvidence(
  references: readonly { pairs: readonly Pair[]; share: number }[],
  rates: { intact: number; broken: number },
): number {
  const ways = [
    { base: rates.intact, head: rates.broken },
    { base: 0.95, head: 0.05 },
    { base: 0.9, head: 0.45 },
  ];
  const products = ways.map((way) =>
    references.reduce((product, { pairs, share }) => {
      const moved = pairs.reduce((all, pair) => all * pairFactor(way, pair), 1);
      return product * (share * moved + 1 - share);
    }, 1),
  );
  return products.reduce((sum, product) => sum + product, 0) / ways.length;
}
