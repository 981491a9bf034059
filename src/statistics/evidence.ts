import type { Tries } from './table.ts';

/** A way in which one reference may have got worse: its pass rates on base and head. */
interface Worse {
  base: number;
  head: number;
}

/** Whether one try a side passed. */
export interface Pair {
  base: boolean;
  head: boolean;
}

/** Broken outright, half broken, and broken where it was unsteady before. */
const WAYS: readonly Worse[] = [
  { base: 0.98, head: 0.02 },
  { base: 0.98, head: 0.5 },
  { base: 0.7, head: 0.1 },
];

/**
 * How much one pair of tries, one a side, speaks for a way of getting worse: its likelihood against
 * that of one rate for both sides, the mean of the two. If base and head pass alike, at whatever
 * rate p, the expected factor is 1 − c²(p − mean)² <= 1: betting on it cannot win in the long run.
 *
 * Source: Turner, Ly and Grünwald 2024 ("Generic e-variables for exact sequential k-sample tests").
 */
export function pairFactor({ base, head }: Worse, passes: Pair): number {
  const mean = (base + head) / 2;
  const ofBase = passes.base ? base / mean : (1 - base) / (1 - mean);
  const ofHead = passes.head ? head / mean : (1 - head) / (1 - mean);
  return ofBase * ofHead;
}

/**
 * Evidence that one reference got worse, from all its pairs of judged tries in the order in which
 * they were made: the mean over the ways of the product of their factors. An e-value: if nothing
 * changed its mean is at most 1 whenever one stops looking, so it exceeds 1/a with a chance of at
 * most a.
 */
export function evidenceOf(pairs: readonly Pair[]): number {
  const products = WAYS.map(() => 1);
  for (const pair of pairs)
    WAYS.forEach((way, i) => {
      products[i] = (products[i] ?? 1) * pairFactor(way, pair);
    });
  return products.reduce((sum, product) => sum + product, 0) / WAYS.length;
}

/** Pairs of tries with the same index in which both sides were judged. */
export function pairsOf({ base, head }: Tries): Pair[] {
  return base.slice(0, head.length).flatMap((ofBase, i) => {
    const ofHead = head[i];
    return isJudged(ofBase) && isJudged(ofHead)
      ? [{ base: ofBase === 'pass', head: ofHead === 'pass' }]
      : [];
  });
}

function isJudged(outcome: string | undefined): boolean {
  return outcome === 'pass' || outcome === 'fail';
}

/**
 * Evidence that one prompt passes more often than another on some of several references, from pairs
 * of tries, one of each prompt, by reference and in the order in which they were made. `base` of a
 * pair is the try that should pass; `share` is how far it was believed before these tries that the
 * prompts differ on this reference, 0–1. Bets on a few ways, each on all references together. An
 * e-value: if the first prompt passes no more often
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
