import { shuffleFront, type Random } from './random.ts';
import { at } from './sums.ts';

export interface PermutedUnit {
  /** How many values of each part belong to head. These come first. */
  heads: number;
  parts: readonly {
    values: ArrayLike<number>;
    /** Indices of the sums to which these values are added. */
    sums: readonly number[];
  }[];
}

export function permuteSums(
  units: readonly PermutedUnit[],
  { sums, rounds, random }: { sums: number; rounds: number; random: Random },
): Float64Array[] {
  const dealt = Array.from({ length: sums }, () => new Float64Array(rounds));
  for (const { heads, parts } of units) {
    const size = parts[0]?.values.length ?? 0;
    const order = Int32Array.from({ length: size }, (_, i) => i);
    const targets = parts.map((part) => ({
      values: Float64Array.from(part.values),
      sums: part.sums.flatMap((sum) => dealt[sum] ?? []),
    }));
    for (let round = 0; round < rounds; round++) {
      shuffleFront(order, heads, random);
      for (const { values, sums: own } of targets) {
        let total = 0;
        for (let i = 0; i < heads; i++) total += at(values, at(order, i));
        for (const sum of own) sum[round] = at(sum, round) + total;
      }
    }
  }
  return dealt;
}
