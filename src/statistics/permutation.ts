import { nextIndex, type Random } from './random.ts';

/** Numeric scores of one item on both sides, one per try. */
export interface Scores {
  base: readonly number[];
  head: readonly number[];
}

/** Relative slack for sums that are equal on paper. */
const SLACK = 1e-9;

/**
 * Permutation test of "head scores lower" (`down`) and "higher" (`up`) for scores that are not pass
 * or fail: the tries are dealt anew within every item, the statistic is Σ (mean on head − mean on
 * base), p = (1 + #) / (permutations + 1). With one try a side this flips signs. Items without a
 * try on a side are left out; without items down = up = 1.
 *
 * Source: Phipson and Smyth 2010 (the added one).
 */
export function permutationTest(
  items: readonly Scores[],
  random: Random,
  permutations = 9999,
): { difference: number | null; down: number; up: number } {
  const compared = items.filter(({ base, head }) => base.length > 0 && head.length > 0);
  if (compared.length === 0) return { difference: null, down: 1, up: 1 };
  const pools = compared.map(({ base, head }) => {
    const scores = Float64Array.from([...head, ...base]);
    return { scores, head: head.length, total: scores.reduce((sum, score) => sum + score, 0) };
  });
  const observed = pools.reduce((sum, pool) => sum + difference(pool), 0);
  const slack =
    SLACK *
    pools.reduce(
      (sum, { scores }) => sum + scores.reduce((total, score) => total + Math.abs(score), 0),
      0,
    );

  let [low, high] = [0, 0];
  for (let round = 0; round < permutations; round++) {
    let drawn = 0;
    for (const pool of pools) {
      deal(pool, random);
      drawn += difference(pool);
    }
    if (drawn <= observed + slack) low += 1;
    if (drawn >= observed - slack) high += 1;
  }
  return {
    difference: observed / compared.length,
    down: (1 + low) / (permutations + 1),
    up: (1 + high) / (permutations + 1),
  };
}

/** An item's scores with head's first. */
interface Pool {
  scores: Float64Array;
  head: number;
  total: number;
}

function difference({ scores, head, total }: Pool): number {
  let sum = 0;
  for (let i = 0; i < head; i++) sum += scores[i] ?? 0;
  return sum / head - (total - sum) / (scores.length - head);
}

/** Moves a random choice of the scores to head's places. */
function deal({ scores, head }: Pool, random: Random): void {
  for (let i = 0; i < head; i++) {
    const from = i + nextIndex(random, scores.length - i);
    const score = scores[from] ?? 0;
    scores[from] = scores[i] ?? 0;
    scores[i] = score;
  }
}
