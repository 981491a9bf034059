import { normalQuantile } from '../../kernel/statistics/distributions.ts';
import type { Counts } from '../../kernel/statistics/table.ts';

/**
 * The pass rate p corrected for grader errors: (p + TNR − 1) / (TPR + TNR − 1), clamped to 0–1.
 * Null if TPR + TNR <= 1. Rogan and Gladen 1978.
 */
export function roganGladen(
  rate: number,
  truePositiveRate: number,
  trueNegativeRate: number,
): number | null {
  const quality = truePositiveRate + trueNegativeRate - 1;
  return quality > 0 ? clampToUnit((rate + trueNegativeRate - 1) / quality) : null;
}

/**
 * In `positives` (answers labelled good) and `negatives` (labelled bad), a pass is an answer that
 * the grader judges correctly. Null if the grader is not better than chance. Source: Lee et al.
 * 2025 (arXiv 2511.21140). Adds z²/2 to passes and failures of judged answers, and 1 to those of
 * labelled answers.
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
  const {
    good: { rate: right1, spread: spread1 },
    bad: { rate: right0, spread: spread0 },
  } = qualityOf(positives, negatives);
  const quality = right1 + right0 - 1;
  if (quality <= 0) return null;

  const rate = (p + right0 - 1) / quality;
  const shift = 2 * z * z * (rate * spread1 - (1 - rate) * spread0);
  const error =
    Math.sqrt((p * (1 - p)) / tries + (1 - rate) ** 2 * spread0 + rate ** 2 * spread1) / quality;
  return {
    rate: clampToUnit(rate),
    low: clampToUnit(rate + shift - z * error),
    high: clampToUnit(rate + shift + z * error),
  };
}

interface Quality {
  /** `rate`: share of answers judged correctly. `spread`: the rate's variance. */
  good: { rate: number; spread: number };
  bad: { rate: number; spread: number };
}

function qualityOf(positives: Counts, negatives: Counts): Quality {
  const smoothed = ({ passes, tries }: Counts) => {
    const rate = (passes + 1) / (tries + 2);
    return { rate, spread: (rate * (1 - rate)) / (tries + 2) };
  };
  return { good: smoothed(positives), bad: smoothed(negatives) };
}

/**
 * The corrected difference: difference / (TPR + TNR − 1), from −1 to 1. Its interval includes the
 * grader's uncertainty. MOVER method (Zou and Donner 2008), smoothed as in {@link
 * roganGladenInterval}.
 */
export function correctedDifference(
  { difference, low, high }: { difference: number; low: number; high: number },
  positives: Counts,
  negatives: Counts,
  confidence = 0.9,
): { difference: number; low: number; high: number } | null {
  const { good, bad } = qualityOf(positives, negatives);
  const quality = good.rate + bad.rate - 1;
  if (quality <= 0) return null;
  const z = normalQuantile((1 + confidence) / 2);
  const doubt = (z * Math.abs(difference) * Math.sqrt(good.spread + bad.spread)) / quality ** 2;
  const value = difference / quality;
  return {
    difference: clampToUnit(value, -1),
    low: clampToUnit(value - Math.hypot((difference - low) / quality, doubt), -1),
    high: clampToUnit(value + Math.hypot((high - difference) / quality, doubt), -1),
  };
}

/** Share of answers that the grader misjudges, 0–1. */
export function wrongShare(rate: number, positives: Counts, negatives: Counts): number | null {
  const { good, bad } = qualityOf(positives, negatives);
  const truth = roganGladen(rate, good.rate, bad.rate);
  return truth === null ? null : truth * (1 - good.rate) + (1 - truth) * (1 - bad.rate);
}

function clampToUnit(value: number, least = 0): number {
  return Math.min(1, Math.max(least, value));
}
