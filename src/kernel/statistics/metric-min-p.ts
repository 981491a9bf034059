import { clusterTable } from './clusters.ts';
import type { Distribution } from './distributions.ts';
import { holmCalled } from './holm.ts';
import { NAMED_P } from './levels.ts';
import type { ClusterByMetric, Look, MetricTest } from './look.ts';
import { permuteSums, type PermutedUnit } from './permutations.ts';
import { createRandom } from './random.ts';
import { passDistribution } from './suite-test.ts';
import { at } from './sums.ts';
import { isLargeDrop, reachesLevel } from './table.ts';

export function isFall(look: Look, level: number, minDrop: number): boolean {
  return reachesLevel(fallP(look, level, minDrop), level);
}

/**
 * The smallest p of the metrics that dropped by at least `minDrop`, adjusted for the number of
 * metrics.
 */
export function fallP(look: Look, level: number, minDrop: number): number {
  const [least] = largeDrops(look, minDrop);
  return least === undefined ? 1 : adjustedP(look, least, level);
}

/** Smallest p first. Empty if no individual metric fell. */
export function fallenMetrics(look: Look, minDrop: number): string[] {
  const called = new Set(holmCalled(look.metrics, ({ test }) => test.midDown, NAMED_P));
  const fallen = largeDrops(look, minDrop).filter((own, rank) => rank === 0 || called.has(own));
  return fallen.flatMap(({ metric }) => metric ?? []);
}

/** Null if nothing fell by at least `minDrop`, or if all metrics together have the smallest p. */
export function mostFallenMetric(look: Look, minDrop: number): string | null {
  return largeDrops(look, minDrop)[0]?.metric ?? null;
}

function largeDrops({ metrics }: Look, minDrop: number): MetricTest[] {
  return metrics
    .filter(({ difference }) => isLargeDrop(difference, minDrop))
    .sort((a, b) => a.test.midDown - b.test.midDown);
}

/**
 * Metrics with a significant p, adjusted for the numbers of metrics and `suites`. They keep a suite
 * from being green.
 */
export function metricsBeyondChance(look: Look, suites: number): string[] {
  const single = look.metrics.slice(1);
  return single.flatMap(({ metric, test: { midDown: p } }) =>
    metric !== null && p * couldReach(single, p) * suites <= NAMED_P ? [metric] : [],
  );
}

/**
 * How many metrics can give a p this small. Bonferroni may ignore the others. Source: Tarone 1990,
 * "A modified Bonferroni method for discrete data".
 */
function couldReach(metrics: readonly MetricTest[], p: number): number {
  return metrics.filter(({ test }) => test.least <= p * (1 + TIE_TOLERANCE)).length;
}

const PERMUTATION_ROUNDS = 2000;

/** Without more permutations, a smaller p cannot be measured. */
const MIN_PERMUTATION_LEVEL = 10 / PERMUTATION_ROUNDS;

export function metricWithLeastP({ metrics }: Look): MetricTest {
  return metrics.reduce((least, own) => (own.test.midDown < least.test.midDown ? own : least));
}

export function minPOverMetrics(look: Look, level: number): number {
  return adjustedP(look, metricWithLeastP(look), level);
}

/**
 * Adjusts p by Bonferroni. If that does not reach `level`, uses min-p over seeded permutations of
 * whole tries. A significant result is also significant at larger levels. Source: Westfall and
 * Young 1993 (min-p).
 */
function adjustedP(look: Look, metric: MetricTest, level: number): number {
  const p = metric.test.midDown;
  const bonferroni = Math.min(1, p * couldReach(look.metrics, p));
  if (bonferroni === p || reachesLevel(bonferroni, level)) return bonferroni;
  if (!reachesLevel(p, level) || level < MIN_PERMUTATION_LEVEL) return bonferroni;
  const known = PERMUTED_P.get(metric) ?? dealtP(look, p);
  PERMUTED_P.set(metric, known);
  return known;
}

const PERMUTED_P = new WeakMap<MetricTest, number>();

/** p-values with a smaller relative difference count as equal. */
const TIE_TOLERANCE = 1e-9;

function dealtP(look: Look, observed: number): number {
  const metrics = look.metrics.map(({ metric, units }, place) => ({
    metric,
    place,
    pOf: midDownBySum(passDistribution(units)),
  }));
  const places = new Map(metrics.map(({ metric, place }) => [metric, place]));
  const units = look.clusters.map((cluster) => permutedUnit(cluster, places));
  const random = createRandom('columns');
  const dealt = permuteSums(units, { sums: metrics.length, rounds: PERMUTATION_ROUNDS, random });
  const least = Float64Array.from({ length: PERMUTATION_ROUNDS }, () => 1);
  dealt.forEach((sums, place) => {
    const pOf = metrics[place]?.pOf;
    sums.forEach((total, deal) => {
      least[deal] = Math.min(at(least, deal), pOf?.(total) ?? 1);
    });
  });
  const less = least.filter((p) => p < observed * (1 - TIE_TOLERANCE)).length;
  const ties = least.filter((p) => p <= observed * (1 + TIE_TOLERANCE)).length - less;
  return (less + ties / 2 + 0.5) / (PERMUTATION_ROUNDS + 1);
}

/** All metrics have the same judged tries, so an index is the same try in each. */
function permutedUnit(
  cluster: ClusterByMetric,
  places: ReadonlyMap<string | null, number>,
): PermutedUnit {
  const tables = [...cluster].map(([metric, members]) => ({ metric, ...clusterTable(members) }));
  const parts = tables.flatMap(({ metric, base, head }) => {
    const values = [...head, ...base];
    const differs = values.some((value) => value !== values[0]);
    return differs ? [{ values, sums: [places.get(metric) ?? 0] }] : [];
  });
  return { heads: tables[0]?.head.length ?? 0, parts };
}

function midDownBySum({ low, mass }: Distribution): (total: number) => number {
  let below = 0;
  const p = mass.map((share) => (below += share) - share / 2);
  return (total) => (total < low ? 0 : (p[total - low] ?? 1));
}
