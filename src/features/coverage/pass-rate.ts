import { sum } from '../../kernel/statistics/sums.ts';
import type { Counts } from '../../kernel/statistics/table.ts';

/** How often a reference passes with all lines: a Beta distribution, in tries. */
export interface PassCounts {
  passes: number;
  fails: number;
}

/** How often a reference is believed to pass without a line that it needs. */
export const RATE_WITHOUT = 0.15;

const MOST_RATE = 0.98;

/** How many tries the suite's pass rate counts as, beside a reference's own tries. */
const SUITE_TRIES = [20, 10, 5, 2];

export function usualRate({ passes, fails }: PassCounts): number {
  return passes / (passes + fails);
}

/**
 * Moves each reference's rate towards the suite's, because references have few tries. The more the
 * references are alike, the more the suite's rate counts.
 */
export function estimatePassCounts(counts: readonly Counts[]): PassCounts[] {
  const passes = sum(counts.map((own) => own.passes));
  const tries = sum(counts.map((own) => own.tries));
  const mean = Math.min(MOST_RATE, (passes + 0.9) / (tries + 1));
  const likelihood = (weight: number) =>
    sum(
      counts.map(
        (own) =>
          logRising(mean * weight, own.passes) +
          logRising((1 - mean) * weight, own.tries - own.passes) -
          logRising(weight, own.tries),
      ),
    );
  // One try of each says nothing about how much the references differ.
  const start = counts.some((own) => own.tries > 1) ? 20 : 5;
  const weight = SUITE_TRIES.reduce(
    (best, own) => (likelihood(own) > likelihood(best) + 1e-9 ? own : best),
    start,
  );
  return counts.map((own) => ({
    passes: own.passes + mean * weight,
    fails: own.tries - own.passes + (1 - mean) * weight,
  }));
}

/** The logarithm of x (x + 1) … (x + k − 1). */
function logRising(x: number, k: number): number {
  return sum(Array.from({ length: k }, (_, i) => Math.log(x + i)));
}

/**
 * A test of "this reference is broken" that may stop at any time. `odds` of at least 1/alpha prove
 * it. Each try also updates the rate, because the rate is itself uncertain.
 */
export interface Bet {
  rate: PassCounts;
  odds: number;
}

export function afterTry({ rate, odds }: Bet, passed: boolean): Bet {
  const { passes, fails } = rate;
  const usual = usualRate(rate);
  return passed
    ? { rate: { passes: passes + 1, fails }, odds: odds * (RATE_WITHOUT / usual) }
    : { rate: { passes, fails: fails + 1 }, odds: odds * ((1 - RATE_WITHOUT) / (1 - usual)) };
}

/** After fewer tries, the odds can be neither at least `needed` nor at most `cleared`. */
export function fewestTries(bet: Bet, needed: number, cleared: number): number {
  let [fallen, risen] = [bet, bet];
  let tries = 0;
  while (fallen.odds < needed && risen.odds > cleared) {
    fallen = afterTry(fallen, false);
    risen = afterTry(risen, true);
    tries += 1;
  }
  return tries;
}

/**
 * The p-value of so few passes if nothing is broken (normal approximation). Counts that the rates
 * are uncertain.
 */
export function tooFewPasses(
  references: readonly { rate: PassCounts; outcomes: readonly boolean[] }[],
): number {
  let [expected, variance, passes] = [0, 1e-9, 0];
  for (const { rate, outcomes } of references) {
    const n = outcomes.length;
    const p = usualRate(rate);
    const size = rate.passes + rate.fails;
    expected += n * p;
    variance += n * p * (1 - p) + (n * (n - 1) * p * (1 - p)) / (size + 1);
    passes += outcomes.filter(Boolean).length;
  }
  return 1 / (1 + Math.exp((-1.702 * (passes + 0.5 - expected)) / Math.sqrt(variance)));
}
