import { normalQuantile } from './distributions.ts';
import type { Counts } from './table.ts';

/**
 * The rate that a judge of known quality would have seen without its errors: (p + TNR − 1) / (TPR +
 * TNR − 1), within 0–1. Null when the judge is no better than chance (TPR + TNR <= 1), since
 * nothing can be recovered then.
 *
 * Source: Rogan and Gladen 1978.
 */
export function roganGladen(
  rate: number,
  truePositiveRate: number,
  trueNegativeRate: number,
): number | null {
  const quality = truePositiveRate + trueNegativeRate - 1;
  return quality > 0 ? clip((rate + trueNegativeRate - 1) / quality) : null;
}

/**
 * The corrected rate with an interval that counts the doubt about the judge: `judged` are the
 * judge's passes, `positives` the labelled positive items that it passed, `negatives` the labelled
 * negative items that it failed. Null when the judge is no better than chance on the labels, or
 * nothing was judged.
 *
 * Source: plug-in interval of Lee et al. 2025 (arXiv 2511.21140): z²/2 successes and as many
 * failures are added to the judged items, one of each to the labelled ones.
 */
export function roganGladenInterval(
  judged: Counts,
  positives: Counts,
  negatives: Counts,
  confidence = 0.95,
): { rate: number; low: number; high: number } | null {
  if (judged.tries === 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const tries = judged.tries + z * z;
  const p = (judged.passes + (z * z) / 2) / tries;
  const [right1, right0] = [
    (positives.passes + 1) / (positives.tries + 2),
    (negatives.passes + 1) / (negatives.tries + 2),
  ];
  const quality = right1 + right0 - 1;
  if (quality <= 0) return null;

  const rate = (p + right0 - 1) / quality;
  const [spread1, spread0] = [
    (right1 * (1 - right1)) / (positives.tries + 2),
    (right0 * (1 - right0)) / (negatives.tries + 2),
  ];
  const shift = 2 * z * z * (rate * spread1 - (1 - rate) * spread0);
  const error =
    Math.sqrt((p * (1 - p)) / tries + (1 - rate) ** 2 * spread0 + rate ** 2 * spread1) / quality;
  return {
    rate: clip(rate),
    low: clip(rate + shift - z * error),
    high: clip(rate + shift + z * error),
  };
}

function clip(value: number): number {
  return Math.min(1, Math.max(0, value));
}
