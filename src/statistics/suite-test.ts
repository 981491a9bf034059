import { bundlePasses, type Bundle } from './bundles.ts';
import { headPasses, sumOf, tails, times } from './distributions.ts';
import { sum } from './sums.ts';
import { isInformative, type Table } from './table.ts';

/** Tables with equal tries and equal total passes: under "nothing changed" they follow one law. */
interface Group {
  table: Table;
  count: number;
}

/**
 * The informative tables counted by their totals, in an order that depends on nothing but the
 * totals: a suite has thousands of tables and a few dozen groups, and results do not depend on the
 * order of the tables.
 */
export function groupTables(tables: readonly Table[]): Group[] {
  const groups = new Map<string, Group & { order: readonly number[] }>();
  for (const table of tables) {
    if (!isInformative(table)) continue;
    const order = [table.base.tries, table.head.tries, table.base.passes + table.head.passes];
    const key = order.join('/');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { table, count: 1, order });
    else group.count += 1;
  }
  return [...groups.values()]
    .sort((a, b) => compare(a.order, b.order))
    .map(({ table, count }) => ({ table, count }));
}

function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

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
 * convolution of hypergeometrics, and of the laws of the `bundles`, whose members are dealt
 * together. down = P(S <= s), midDown = P(S < s) + ½ P(S = s), up and midUp mirrored. Where nothing
 * can be seen: down = up = 1, the mid-p are ½. Probabilities below 1e-35 may come out as 0.
 *
 * Sources: Mehta, Patel, Gray 1985 (exact test of a common odds ratio); Fagerland et al. 2013
 * (mid-p).
 */
export function suiteTest(tables: readonly Table[], bundles: readonly Bundle[] = []): SuiteTest {
  const bundled = new Set(bundles.flatMap(({ members }) => members));
  const alone = bundled.size === 0 ? tables : tables.filter((_, i) => !bundled.has(i));
  const law = sumOf([
    ...groupTables(alone).map(({ table, count }) => times(headPasses(table), count)),
    ...bundles.map(bundlePasses),
  ]);
  const seen =
    alone.reduce((sum, table) => sum + (isInformative(table) ? table.head.passes : 0), 0) +
    bundles.reduce((all, { head }) => all + sum(head), 0);
  const { below, at, above } = tails(law, seen);
  return {
    down: Math.min(1, below + at),
    midDown: Math.min(1, below + at / 2),
    up: Math.min(1, above + at),
    midUp: Math.min(1, above + at / 2),
  };
}

/**
 * p-value of McNemar's test on the items whose word differs between two looks at the same items: X ~
 * Binomial(n, ½), two-sided, mid-p; 1 without such items.
 *
 * Source: Fagerland, Lydersen, Laake 2013.
 */
export function mcnemar(changes: { passFail: number; failPass: number }): number {
  const worse: Table = { base: { passes: 1, tries: 1 }, head: { passes: 0, tries: 1 } };
  const better: Table = { base: worse.head, head: worse.base };
  const { down, midDown, up, midUp } = suiteTest([
    ...Array.from({ length: changes.passFail }, () => worse),
    ...Array.from({ length: changes.failPass }, () => better),
  ]);
  // With as many changes each way, half the middle probability is left out; without any change
  // there is no middle.
  const tied = changes.passFail === 0 ? 1 : 1 - (down + up - 1) / 2;
  return changes.passFail === changes.failPass ? tied : 2 * Math.min(midDown, midUp);
}
