import { nextWord, type Random } from './random.ts';
import type { SuiteTest } from './suite-test.ts';

/**
 * Up to this many differences other than 0, all sign patterns are counted; beyond, they are drawn.
 */
const EXACT_UP_TO = 14;

/** Relative slack for sums that are equal on paper. */
const SLACK = 1e-9;

/**
 * Sign-flip test of paired differences (head − base, any scale): under "nothing changed" each could
 * as well have the opposite sign. The statistic is their sum; `down` = P(sum <= observed), mid-p
 * count ties by half. All 2^n patterns for up to 14 differences other than 0, else `permutations`
 * seeded ones, counting the observed pattern as one more.
 *
 * Source: Fisher 1935; Phipson and Smyth 2010 for drawn patterns.
 */
export function signFlip(
  differences: readonly number[],
  random: Random,
  permutations = 9999,
): SuiteTest {
  const sizes = Float64Array.from(
    differences.filter((difference) => difference !== 0),
    Math.abs,
  );
  const observed = differences.reduce((sum, difference) => sum + difference, 0);
  const slack = SLACK * sizes.reduce((sum, size) => sum + size, 0);
  const exact = sizes.length <= EXACT_UP_TO;
  const rounds = exact ? 2 ** sizes.length : permutations;

  let [below, at, above] = exact ? [0, 0, 0] : [0, 1, 0];
  for (let round = 0; round < rounds; round++) {
    const sum = exact ? flipped(sizes, () => round) : flipped(sizes, () => nextWord(random));
    if (sum < observed - slack) below += 1;
    else if (sum > observed + slack) above += 1;
    else at += 1;
  }
  const total = below + at + above;
  return {
    down: (below + at) / total,
    midDown: (below + at / 2) / total,
    up: (above + at) / total,
    midUp: (above + at / 2) / total,
  };
}

/** The sum with each size's sign from one bit; a new word of bits is asked for after every 32. */
function flipped(sizes: Float64Array, bits: () => number): number {
  let [sum, word] = [0, 0];
  for (let i = 0; i < sizes.length; i++) {
    if (i % 32 === 0) word = bits();
    sum += (word & 1) === 1 ? -(sizes[i] ?? 0) : (sizes[i] ?? 0);
    word >>>= 1;
  }
  return sum;
}
