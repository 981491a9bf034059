import { cohenKappa } from '../kernel/statistics/kappa.ts';
import { at, sum } from '../kernel/statistics/sums.ts';

interface JudgedCounts {
  truePositive: number;
  falseNegative: number;
  falsePositive: number;
  trueNegative: number;
}

interface Agreement {
  agreement: number | null;
  truePositiveRate: number | null;
  trueNegativeRate: number | null;
  balancedAccuracy: number | null;
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

/**
 * Fleiss' kappa (Fleiss 1971): 1 is perfect agreement, 0 is chance. `counts[i][j]`: ratings of item
 * i with category j. All items need equally many ratings.
 */
export function fleissKappa(counts: readonly (readonly number[])[]): number | null {
  const ratings = sum(counts[0] ?? []);
  if (ratings < 2) return null;
  const shares = (counts[0] ?? []).map(
    (_, j) => sum(counts.map((row) => at(row, j))) / (counts.length * ratings),
  );
  const agreeing = sum(counts.map((row) => sum(row.map((count) => count * count)) - ratings));
  const observed = agreeing / (counts.length * ratings * (ratings - 1));
  const expected = sum(shares.map((share) => share * share));
  return expected < 1 ? (observed - expected) / (1 - expected) : null;
}
