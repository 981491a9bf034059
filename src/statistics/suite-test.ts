import { sumOf, tails, times } from './distribution.ts';
import { grouped } from './grouped.ts';
import { headPasses } from './hypergeometric.ts';
import type { Table } from './table.ts';
import { isInformative } from './table.ts';

/**
 * One-sided p-values of "head passes less often" (`down`) and "more often" (`up`), 0–1, exact and
 * mid-p.
 */
export interface SuiteTest {
  down: number;
  midDown: number;
  up: number;
  midUp: number;
}

/**
 * Exact permutation of the tries within every table (the exact conditional Cochran–Mantel–Haenszel
 * test; with one try a side, McNemar's exact test). S = Σ passes on head; its null law is the
 * convolution of hypergeometrics. down = P(S <= s), midDown = P(S < s) + ½ P(S = s), up and midUp
 * mirrored. Without an informative table nothing can be seen: down = up = 1, the mid-p are ½.
 * Probabilities below 1e-35 may come out as 0.
 *
 * Sources: Mehta, Patel, Gray 1985 (exact test of a common odds ratio); Fagerland et al. 2013
 * (mid-p).
 */
export function suiteTest(tables: readonly Table[]): SuiteTest {
  const law = sumOf(grouped(tables).map(({ table, count }) => times(headPasses(table), count)));
  const seen = tables.reduce(
    (sum, table) => sum + (isInformative(table) ? table.head.passes : 0),
    0,
  );
  const { below, at, above } = tails(law, seen);
  return {
    down: Math.min(1, below + at),
    midDown: Math.min(1, below + at / 2),
    up: Math.min(1, above + at),
    midUp: Math.min(1, above + at / 2),
  };
}
