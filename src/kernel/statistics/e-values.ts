import { mean } from './sums.ts';
import { isJudged, type Tries } from './table.ts';

interface RateAlternative {
  base: number;
  head: number;
}

export interface PairedTry {
  base: boolean;
  head: boolean;
}

/**
 * How a reference may get worse, as pass rates: completely, half, or completely although it was
 * unreliable before.
 */
const WAYS: readonly RateAlternative[] = [
  { base: 0.98, head: 0.02 },
  { base: 0.98, head: 0.5 },
  { base: 0.7, head: 0.1 },
];

/**
 * The likelihood of a pair under the alternative, relative to a common pass rate (the mean of
 * both). If base and head pass at the same rate p, the expected factor is 1 − c²(p − mean)² <= 1,
 * where c = (base − mean) / (mean · (1 − mean)).
 *
 * Source: Turner, Ly and Grünwald 2024 ("Generic e-variables for exact sequential k-sample tests").
 */
export function pairFactor({ base, head }: RateAlternative, passes: PairedTry): number {
  const rate = (base + head) / 2;
  const ofBase = passes.base ? base / rate : (1 - base) / (1 - rate);
  const ofHead = passes.head ? head / rate : (1 - head) / (1 - rate);
  return ofBase * ofHead;
}

/**
 * The e-value for "the reference got worse": the mean over {@link WAYS} of the product of factors.
 * If it did not get worse, the probability that the e-value ever exceeds 1/a is at most a.
 */
export function eValueOf(pairs: readonly PairedTry[]): number {
  return mean(
    WAYS.map((way) => pairs.reduce((product, pair) => product * pairFactor(way, pair), 1)),
  );
}

export function eValueOfRise(pairs: readonly PairedTry[]): number {
  return eValueOf(pairs.map(({ base, head }) => ({ base: head, head: base })));
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
 * The e-value for "one prompt passes more often than another on some references". `base` should
 * pass more often. `share`: prior probability (0–1) that the prompts differ on the reference. Valid
 * at any stopping time, like {@link eValueOf}.
 */
export function jointEValue(
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
  return mean(products);
}

/**
 * Maps each e-value to the smallest false-discovery rate (0–1) at which e-BH rejects it: the least
 * n / (j·e_(j)) over its own and later ranks j, with e_(j) the j-th largest of n.
 */
export function eValueFdr(values: readonly number[]): ReadonlyMap<number, number> {
  const q = new Map<number, number>();
  values
    .toSorted((a, b) => b - a)
    .reduceRight((least, value, rank) => {
      const own = Math.min(least, values.length / ((rank + 1) * value));
      q.set(value, own);
      return own;
    }, 1);
  return q;
}
