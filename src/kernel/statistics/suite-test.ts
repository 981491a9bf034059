import { bundlePasses, bundlesOf, type Bundle } from './bundles.ts';
import { type Distribution, headPasses, sumDistributions, tails, times } from './distributions.ts';
import { sum } from './sums.ts';
import { countTable, isInformative, type Table, type Tries } from './table.ts';

/** Tables with equal tries and total passes, which have the same null distribution. */
interface TableGroup {
  table: Table;
  count: number;
}

/**
 * Informative tables counted by their totals, ordered by the totals: a suite has thousands of
 * tables but few groups, and results must not depend on the order of tables.
 */
export function groupTables(tables: readonly Table[]): TableGroup[] {
  const groups = new Map<string, TableGroup & { order: readonly number[] }>();
  for (const table of tables) {
    if (!isInformative(table)) continue;
    const order = [table.base.tries, table.head.tries, table.base.passes + table.head.passes];
    const key = order.join('/');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { table, count: 1, order });
    else group.count += 1;
  }
  return [...groups.values()]
    .sort((a, b) => compareLexically(a.order, b.order))
    .map(({ table, count }) => ({ table, count }));
}

function compareLexically(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

/** One-sided p of "head passes less often" (`down`) and "more often" (`up`), exact and mid-p. */
export interface SuiteTest {
  down: number;
  midDown: number;
  up: number;
  midUp: number;
}

/**
 * Exact permutation of the tries within every table (the exact conditional Cochran–Mantel–Haenszel
 * test; with one try a side, McNemar's exact test). S = Σ passes on head; its null distribution is
 * the convolution of hypergeometrics and of those of the `bundles`, whose members are permuted
 * together. down = P(S <= s), midDown = P(S < s) + ½ P(S = s), up and midUp mirrored. Without
 * informative tables down = up = 1 and the mid-p are ½. Probabilities below 1e-35 may become 0.
 *
 * Sources: Mehta, Patel, Gray 1985 (exact test of a common odds ratio); Fagerland et al. 2013
 * (mid-p).
 */
export function suiteTest(tables: readonly Table[], bundles: readonly Bundle[] = []): SuiteTest {
  const { law, passes } = passLaw(tables, bundles);
  const { below, at, above } = tails(law, passes);
  return {
    down: Math.min(1, below + at),
    midDown: Math.min(1, below + at / 2),
    up: Math.min(1, above + at),
    midUp: Math.min(1, above + at / 2),
  };
}

/**
 * One-sided mid-p (0–1) of "head passes less often". `blocks`: by reference, the name of those whose
 * tries are dealt together; null or absent: alone.
 */
export function fallP(tries: readonly Tries[], blocks: readonly (string | null)[] = []): number {
  const tables = tries.map((own) => countTable(own));
  return suiteTest(tables, bundlesOf(tries, blocks, Infinity)).midDown;
}

/** Distribution of S over the informative tables and the bundles, and the observed S. */
export function passLaw(
  tables: readonly Table[],
  bundles: readonly Bundle[],
): { law: Distribution; passes: number } {
  const bundled = new Set(bundles.flatMap(({ members }) => members));
  const alone = bundled.size === 0 ? tables : tables.filter((_, i) => !bundled.has(i));
  const law = sumDistributions([
    ...groupTables(alone).map(({ table, count }) => times(headPasses(table), count)),
    ...[...Map.groupBy(bundles, bundleKey).values()].flatMap(([bundle, ...equal]) =>
      bundle === undefined ? [] : [times(bundlePasses(bundle), 1 + equal.length)],
    ),
  ]);
  const passes =
    alone.reduce((all, table) => all + (isInformative(table) ? table.head.passes : 0), 0) +
    bundles.reduce((all, { head }) => all + sum(head), 0);
  return { law, passes };
}

/** Bundles with an equal key have the same null distribution. */
function bundleKey({ base, head }: Bundle): string {
  return `${[...base, ...head].sort((a, b) => a - b).join()}/${String(head.length)}`;
}

/**
 * p-value of McNemar's test on items whose result changed: X ~ Binomial(n, ½), two-sided, mid-p; 1
 * without such items. Source: Fagerland, Lydersen, Laake 2013.
 */
export function mcnemar(changes: { passFail: number; failPass: number }): number {
  const worse: Table = { base: { passes: 1, tries: 1 }, head: { passes: 0, tries: 1 } };
  const better: Table = { base: worse.head, head: worse.base };
  const { down, midDown, up, midUp } = suiteTest([
    ...Array.from({ length: changes.passFail }, () => worse),
    ...Array.from({ length: changes.failPass }, () => better),
  ]);
  // For a tie, subtract half the middle probability; without changes there is none.
  const tied = changes.passFail === 0 ? 1 : 1 - (down + up - 1) / 2;
  return changes.passFail === changes.failPass ? tied : 2 * Math.min(midDown, midUp);
}
