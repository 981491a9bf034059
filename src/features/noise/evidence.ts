import type { Counts } from '../../kernel/statistics/table.ts';

/** Chance that an unchanged suite is ever reported, over all runs together. */
export const ERROR_RATE = 0.01;

/** `since`: index of the first day that the change most likely affects. */
interface ChangeEvidence {
  value: number;
  since: number;
}

/**
 * An e-process against "the suite passes equally often on all days". If that is true, the value
 * ever reaches 1 / {@link ERROR_RATE} with at most that probability, however often one looks
 * (Ville 1939, Étude critique de la notion de collectif; Ramdas et al. 2023, Game-theoretic
 * statistics and safe anytime-valid inference, Statistical Science 38).
 *
 * With s of n tries passed in total, s0 of n0 before day k and s1 of n1 since then:
 *
 *     E = Σ_k w_k m(s0, n0) m(s1, n1) / max_p p^s (1 − p)^(n − s),   w_k = 1 / (k (k + 1))
 *
 * m(s, n) = s! (n − s)! / (n + 1)! is the mean likelihood over all rates p. The denominator is the
 * largest likelihood without a change (universal inference, Wasserman, Ramdas and Balakrishnan
 * 2020, PNAS 117). Tests may differ in difficulty: for a fixed set of tests with mean rate p, the
 * expected likelihood ratio of a day is Π (1 + λ (p_i − p)) ≤ 1, since the geometric mean is at most
 * the arithmetic one.
 */
export function changeEvidence(days: readonly Counts[]): ChangeEvidence {
  const all = days.reduce(addDay, NOTHING);
  const unchanged = largestLikelihood(all);
  let [value, since, largest, before] = [0, 0, 0, NOTHING];
  for (const [day, counts] of days.entries()) {
    if (day > 0) {
      const after = { passes: all.passes - before.passes, tries: all.tries - before.tries };
      const weight = 1 / (day * (day + 1));
      const part = weight * Math.exp(meanLikelihood(before) + meanLikelihood(after) - unchanged);
      value += part;
      if (part > largest) [largest, since] = [part, day];
    }
    before = addDay(before, counts);
  }
  return { value, since };
}

const NOTHING: Counts = { passes: 0, tries: 0 };

export function addDay(left: Counts, right: Counts): Counts {
  return { passes: left.passes + right.passes, tries: left.tries + right.tries };
}

/** Logarithm of the largest likelihood. */
function largestLikelihood({ passes, tries }: Counts): number {
  const share = (count: number) => (count === 0 ? 0 : count * Math.log(count / tries));
  return share(passes) + share(tries - passes);
}

/** Logarithm of m(s, n). */
function meanLikelihood({ passes, tries }: Counts): number {
  return logFactorial(passes) + logFactorial(tries - passes) - logFactorial(tries + 1);
}

const logFactorials = [0];

function logFactorial(n: number): number {
  for (let next = logFactorials.length; next <= n; next += 1)
    logFactorials.push((logFactorials[next - 1] ?? 0) + Math.log(next));
  return logFactorials[n] ?? 0;
}
