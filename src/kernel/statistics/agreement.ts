import { cohenKappa } from './kappa.ts';

/** Items by truth (positive, negative) and judgement (true, false). */
interface JudgedCounts {
  truePositive: number;
  falseNegative: number;
  falsePositive: number;
  trueNegative: number;
}

/** Each is null if undefined. */
interface Agreement {
  /** Share of items judged correctly, 0–1. */
  agreement: number | null;
  /** Share of positive items judged positive, and of negative items judged negative, 0–1. */
  truePositiveRate: number | null;
  trueNegativeRate: number | null;
  balancedAccuracy: number | null;
  /** Cohen's kappa, −1 to 1. */
  kappa: number | null;
}

export function agreementOf({
  truePositive,
  falseNegative,
  falsePositive,
  trueNegative,
}: JudgedCounts): Agreement {
  const [positive, negative] = [truePositive + falseNegative, trueNegative + falsePositive];
  const truePositiveRate = ratio(truePositive, positive);
  const trueNegativeRate = ratio(trueNegative, negative);
  return {
    agreement: ratio(truePositive + trueNegative, positive + negative),
    truePositiveRate,
    trueNegativeRate,
    balancedAccuracy:
      truePositiveRate === null || trueNegativeRate === null
        ? null
        : (truePositiveRate + trueNegativeRate) / 2,
    kappa: cohenKappa([
      [truePositive, falseNegative],
      [falsePositive, trueNegative],
    ]),
  };
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
