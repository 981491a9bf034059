import { isJudged, type Tries } from './table.ts';

/** An alternative: pass rates on base and head. */
interface RateAlternative {
  base: number;
  head: number;
}

export interface PairedTry {
  base: boolean;
  head: boolean;
}

/** Fully broken, half broken, and fully broken from an unsteady state. */
const WAYS: readonly RateAlternative[] = [
  { base: 0.98, head: 0.02 },
  { base: 0.98, head: 0.5 },
  { base: 0.7, head: 0.1 },
];

/**
 * The e-value of one pair of tries, one per side, for an alternative: its likelihood relative to a
 * common rate, the mean of the two. If base and head pass at the same rate p, whatever it is, the
 * expected factor is 1 − c²(p − mean)² <= 1.
 *
 * Source: Turner, Ly and Grünwald 2024 ("Generic e-variables for exact sequential k-sample tests").
 */
export function pairFactor({ base, head }: RateAlternative, passes: PairedTry): number {
  const mean = (base + head) / 2;
  const ofBase = passes.base ? base / mean : (1 - base) / (1 - mean);
  const ofHead = passes.head ? head / mean : (1 - head) / (1 - mean);
  return ofBase * ofHead;
}

/**
 * E-value that one reference got worse, from its pairs of judged tries in order: the mean over
 * {@link WAYS} of the product of factors. Under the null its mean is at most 1 at any stopping
 * time, so it exceeds 1/a with probability at most a.
 */
export function evidenceOf(pairs: readonly PairedTry[]): number {
  const products = WAYS.map(() => 1);
  for (const pair of pairs)
    WAYS.forEach((way, i) => {
      products[i] = (products[i] ?? 1) * pairFactor(way, pair);
    });
  return products.reduce((sum, product) => sum + product, 0) / WAYS.length;
}

export function tryPairs({ base, head }: Tries): PairedTry[] {
  return base.slice(0, head.length).flatMap((ofBase, i) => {
    const ofHead = head[i];
    return isJudged(ofBase) && isJudged(ofHead)
      ? [{ base: ofBase === 'pass', head: ofHead === 'pass' }]
      : [];
  });
}

/**
 * E-value that one prompt passes more often than another on some references, from pairs of tries in
 * order, by reference. `base` of a pair is the try that should pass; `share` is the prior (0–1)
 * that the prompts differ on this reference. Bets on a few alternatives, each on all references
 * together. If the first prompt is nowhere better, the mean is at most 1 at any stopping time, so
 * it exceeds 1/a with probability at most a.
 */
export function contrastEvidence(
  references: readonly { pairs: readonly PairedTry[]; share: number }[],
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
