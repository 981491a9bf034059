interface JudgedCounts {
  truePositive: number;
  falseNegative: number;
  falsePositive: number;
  trueNegative: number;
}

interface Agreement {
  truePositiveRate: number | null;
  trueNegativeRate: number | null;
  balancedAccuracy: number | null;
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
    truePositiveRate,
    trueNegativeRate,
    balancedAccuracy:
      truePositiveRate === null || trueNegativeRate === null
        ? null
        : (truePositiveRate + trueNegativeRate) / 2,
  };
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
