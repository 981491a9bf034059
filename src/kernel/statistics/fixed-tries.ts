import { isCluster, nullKey, nullDistribution, type ClusterTable, type Unit } from './clusters.ts';
import { sumDistributions, tails, times } from './distributions.ts';
import { FIXED_REFERENCE_SHARE, REFERENCE_FDR } from './levels.ts';
import type { Contrast } from './look.ts';
import { groupUnits } from './suite-test.ts';
import { at, sum } from './sums.ts';
import { isInformative, isLargeDrop, mirrorTables, reachesLevel, type Table } from './table.ts';

/**
 * Fisher's exact one-sided test. `levels`: the p-values that these totals can give, ascending to 1.
 */
export function referenceTest(table: Table): { down: number; levels: number[] } {
  const { low, mass } = nullDistribution(table);
  const levels: number[] = [];
  let sum = 0;
  for (const probability of mass) levels.push(Math.min(1, (sum += probability)));
  levels[levels.length - 1] = 1;
  return { down: levels[table.head.passes - low] ?? 1, levels };
}

function attainedLevel(levels: readonly number[], x: number): number {
  let from = 0;
  let to = levels.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (reachesLevel(levels[middle] ?? 1, x)) from = middle + 1;
    else to = middle;
  }
  return from === 0 ? 0 : (levels[from - 1] ?? 0);
}

/**
 * The false-discovery rates at which each table counts as worse (`down`) or better (`up`), by
 * Heyse's discrete Benjamini–Hochberg procedure: q_(k) = min over j >= k of (1/j) Σ_i F_i(p_(j)),
 * with F_i(x) the largest p <= x that table i can give. Source: Heyse 2011, "A false discovery rate
 * procedure for categorical data".
 */
export function discreteFdr(tables: readonly Table[]): { down: number[]; up: number[] } {
  return { down: oneSidedQValues(tables), up: oneSidedQValues(mirrorTables(tables)) };
}

function oneSidedQValues(tables: readonly Table[]): number[] {
  const all = groupUnits(tables).map(({ unit, count }) => ({
    levels: referenceTest(unit).levels,
    count,
  }));
  const p = tables.map((table) => referenceTest(table).down);
  const q = new Map<number, number>([[1, 1]]);
  const below = p.filter((value) => value < 1).sort((a, b) => b - a);
  below.reduce((smallest, value, fromTop) => {
    if (q.has(value)) return smallest;
    const expected = sum(all.map(({ levels, count }) => count * attainedLevel(levels, value)));
    const own = Math.min(smallest, expected / (below.length - fromTop));
    q.set(value, own);
    return own;
  }, 1);
  return p.map((value) => q.get(value) ?? 1);
}

export function isNamedAt(q: number): boolean {
  return reachesLevel(q, REFERENCE_FDR);
}

/** The shares of references that the test assumes to be broken, or to pass half as often. */
const ALTERNATIVE_SHARES = { broken: 0.03, halved: 0.03 };

const BROKEN_RATE = 0.01;

/** The statistic is an integer, in units of 1/64. */
const SCORE_UNITS = 64;

const RATES = Array.from({ length: 25 }, (_, i) => (i + 0.5) / 25);

/** Rounds of the EM algorithm. The initial prior counts as `weight` references. */
const FIT = { rounds: 15, weight: 3 };

/**
 * Whether the mean fell or individual references broke. The total false-alarm rate is at most
 * `alpha`.
 */
export function fellOrBroke(
  seen: Contrast,
  { alpha, minDrop, isMeanOnly }: { alpha: number; minDrop: number; isMeanOnly: boolean },
): boolean {
  const share = isMeanOnly ? 0 : FIXED_REFERENCE_SHARE;
  const fell =
    reachesLevel(seen.test.midDown, (1 - share) * alpha) && isLargeDrop(seen.difference, minDrop);
  return fell || brokenP(seen, share * alpha, minDrop) !== null;
}

/**
 * p (0–1), or null if not significant at `level`. If the mean drops by less than `minDrop`, a
 * reference must also be significantly worse.
 */
export function brokenP(
  { tables, units, difference }: Omit<Contrast, 'test'>,
  level: number,
  minDrop: number,
): number | null {
  if (level === 0) return null;
  const p = BROKEN.get(units) ?? brokenTest(units);
  BROKEN.set(units, p);
  const isNamed = () => discreteFdr(tables).down.some(isNamedAt);
  return reachesLevel(p, level) && (isLargeDrop(difference, minDrop) || isNamed()) ? p : null;
}

const BROKEN = new WeakMap<readonly Unit[], number>();

/**
 * Exact test of "some references broke or pass half as often". The statistic is Σ log(1 + Σ
 * share·(LR − 1)), and its null distribution permutes tries within tables. LR is the likelihood
 * ratio of "broken" or "halved" to "unchanged", averaged over pass rates fitted to the tables'
 * totals. A wrong fit costs power, but the level remains right.
 *
 * A cluster is one table, whose tries pass if all members pass. If three of twenty references
 * break, testing each alone would detect half as many.
 */
export function brokenTest(units: readonly Unit[]): number {
  const tables = units.map((unit) => (isCluster(unit) ? allPass(unit) : unit));
  const prior = fittedPrior(tables);
  const groups = groupUnits(tables).map(({ unit, count }) => ({
    unit,
    count,
    ...scoreDistribution(unit, prior),
  }));
  if (groups.length === 0) return 1;
  const scores = new Map(groups.map(({ unit, score }) => [nullKey(unit), score]));
  const observed = sum(
    tables
      .filter(isInformative)
      .map((table) => scores.get(nullKey(table))?.(table.head.passes) ?? 0),
  );
  const law = sumDistributions(groups.map((group) => times(group.law, group.count)));
  const { at: same, above } = tails(law, observed);
  return Math.min(1, same + above);
}

function allPass({ size, base, head }: ClusterTable): Table {
  const side = (passes: readonly number[]): Table['base'] => ({
    passes: passes.filter((count) => count === size).length,
    tries: passes.length,
  });
  return { base: side(base), head: side(head) };
}

function scoreDistribution(table: Table, prior: readonly WeightedRate[]) {
  const { low, mass } = nullDistribution(table);
  const scores = Array.from(mass, (_, i) => scoreOf(table, low + i, prior));
  const least = Math.min(...scores);
  const law = new Float64Array(Math.max(...scores) - least + 1);
  scores.forEach((score, i) => {
    law[score - least] = at(law, score - least) + at(mass, i);
  });
  return { score: (passes: number) => at(scores, passes - low), law: { low: least, mass: law } };
}

function scoreOf({ base, head }: Table, onHead: number, prior: readonly WeightedRate[]): number {
  const onBase = base.passes + head.passes - onHead;
  const mixture = (headRate: (rate: number) => number) =>
    sum(
      prior.map(
        ({ rate, weight }) =>
          weight *
          likelihood(rate, onBase, base.tries) *
          likelihood(headRate(rate), onHead, head.tries),
      ),
    );
  const same = mixture((rate) => rate);
  const broken = ALTERNATIVE_SHARES.broken * mixture(() => BROKEN_RATE);
  const halved = ALTERNATIVE_SHARES.halved * mixture((rate) => rate / 2);
  const kept = 1 - ALTERNATIVE_SHARES.broken - ALTERNATIVE_SHARES.halved;
  return Math.round(SCORE_UNITS * Math.log(kept + (broken + halved) / same));
}

function likelihood(rate: number, passes: number, tries: number): number {
  return rate ** passes * (1 - rate) ** (tries - passes);
}

interface WeightedRate {
  rate: number;
  weight: number;
}

function fittedPrior(tables: readonly Table[]): WeightedRate[] {
  const totals = tables.map(({ base, head }) => ({
    passes: base.passes + head.passes,
    tries: base.tries + head.tries,
  }));
  const groups = Map.groupBy(totals, ({ passes, tries }) => `${tries}/${passes}`);
  const rows = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => group.slice(0, 1).map((own) => ({ ...own, count: group.length })));
  let prior = RATES.map((rate) => ({ rate, weight: 1 / RATES.length }));
  for (let round = 0; round < FIT.rounds; round++) {
    const weighed = rows.map((row) => ({
      ...row,
      whole: sum(prior.map(({ rate, weight }) => weight * likelihood(rate, row.passes, row.tries))),
    }));
    const next = prior.map(({ rate, weight }) => {
      const expected = weighed.map(
        ({ passes, tries, count, whole }) =>
          (count * weight * likelihood(rate, passes, tries)) / whole,
      );
      return { rate, weight: FIT.weight / RATES.length + sum(expected) };
    });
    const total = sum(next.map(({ weight }) => weight));
    prior = next.map(({ rate, weight }) => ({ rate, weight: weight / total }));
  }
  return prior;
}
