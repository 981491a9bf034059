import { clusterTable } from './clusters.ts';
import type { Distribution } from './distributions.ts';
import { holm } from './holm.ts';
import { NAMED_P } from './levels.ts';
import type { Look, MetricTest } from './look.ts';
import { createRandom, nextIndex, type Random } from './random.ts';
import { passLaw } from './suite-test.ts';
import { isLargeDrop, reachesLevel } from './table.ts';

/** Whether the metric that fell most did so at `level`, and by at least `minDrop`. */
export function isFall(look: Look, level: number, minDrop: number): boolean {
  return (
    reachesLevel(smallestP(look, level), level) &&
    isLargeDrop(lowestMetric(look).difference, minDrop)
  );
}

/** Metrics that fell, the one that fell most first; without one: all together. */
export function fallenMetrics(look: Look): string[] {
  const metrics = look.metrics.toSorted((a, b) => a.test.midDown - b.test.midDown);
  const adjusted = holm(metrics.map(({ test }) => test.midDown));
  return metrics.flatMap(({ metric }, i) =>
    metric !== null && (i === 0 || (adjusted[i] ?? 1) <= NAMED_P) ? [metric] : [],
  );
}

/**
 * Single metrics that fell beyond chance, adjusted for all metrics and for the `suites` of the run;
 * none of these is under green.
 */
export function metricsBeyondChance(look: Look, suites: number): string[] {
  const single = look.metrics.slice(1);
  return single.flatMap(({ metric, test: { midDown: p } }) =>
    metric !== null && p * couldReach(single, p) * suites <= NAMED_P ? [metric] : [],
  );
}

/**
 * How many metrics could have had a p this small: Bonferroni's factor needs no others.
 *
 * Source: Tarone 1990, "A modified Bonferroni method for discrete data".
 */
function couldReach(metrics: readonly MetricTest[], p: number): number {
  return metrics.filter(({ test }) => test.least <= p * (1 + TIE)).length;
}

const DEALS = 2000;

/** Deals cannot resolve a level below this. */
const LEAST_DEALT_LEVEL = 10 / DEALS;

/** The metric that fell most by its own test; of equals, the first. */
export function lowestMetric({ metrics }: Look): MetricTest {
  return metrics.reduce((least, own) => (own.test.midDown < least.test.midDown ? own : least));
}

/**
 * The one-sided p of the metric that fell most, adjusted for the number of metrics: Bonferroni's,
 * or, where only that does not reach `level`, min-p over {@link DEALS} seeded deals of whole tries.
 * One metric alone has its exact mid-p. A hit at one level is a hit at every larger one.
 *
 * Source: Westfall and Young 1993 (min-p).
 */
export function smallestP(look: Look, level: number): number {
  const p = lowestMetric(look).test.midDown;
  const bonferroni = Math.min(1, p * couldReach(look.metrics, p));
  if (bonferroni === p || reachesLevel(bonferroni, level)) return bonferroni;
  if (!reachesLevel(p, level) || level < LEAST_DEALT_LEVEL) return bonferroni;
  const known = DEALT.get(look) ?? dealtP(look, p);
  DEALT.set(look, known);
  return known;
}

/** Cached: Holm's procedure asks for one look at several levels. */
const DEALT = new WeakMap<Look, number>();

/** Relative tolerance for p-values that are mathematically equal. */
const TIE = 1e-9;

function dealtP(look: Look, observed: number): number {
  const units = dealUnits(look);
  const laws = look.metrics.map(({ units: own }) => midDownBySum(passLaw(own)));
  const random = createRandom('columns');
  const sums = new Int32Array(laws.length);
  let [less, ties] = [0, 0];
  for (let deal = 0; deal < DEALS; deal++) {
    sums.fill(0);
    for (const unit of units) dealUnit(unit, sums, random);
    const least = laws.reduce((lowest, law, c) => Math.min(lowest, law(sums[c] ?? 0)), 1);
    if (least < observed * (1 - TIE)) less += 1;
    else if (least <= observed * (1 + TIE)) ties += 1;
  }
  return (less + ties / 2 + 0.5) / (DEALS + 1);
}

/** What is dealt together: the passes of each try for the metrics at these places. */
interface DealUnit {
  order: Int32Array;
  heads: number;
  parts: readonly { metric: number; passes: readonly number[] }[];
}

function dealUnit({ order, heads, parts }: DealUnit, sums: Int32Array, random: Random): void {
  for (let i = 0; i < heads; i++) {
    const from = i + nextIndex(random, order.length - i);
    const chosen = order[from] ?? 0;
    order[from] = order[i] ?? 0;
    order[i] = chosen;
    for (const { metric, passes } of parts)
      sums[metric] = (sums[metric] ?? 0) + (passes[chosen] ?? 0);
  }
}

/** All metrics have the same judged tries, so a place means the same try in each. */
function dealUnits({ clusters, metrics }: Look): DealUnit[] {
  const places = new Map(metrics.map(({ metric }, place) => [metric, place]));
  return clusters.flatMap((cluster) => {
    const parts = [...cluster].flatMap(([metric, members]) => {
      const { base, head } = clusterTable(members);
      const passes = [...head, ...base];
      const differs = passes.some((value) => value !== passes[0]);
      return differs ? [{ metric: places.get(metric) ?? 0, passes, heads: head.length }] : [];
    });
    return parts.slice(0, 1).map(({ passes, heads }) => ({
      order: Int32Array.from(passes.keys()),
      heads,
      parts,
    }));
  });
}

/** P(S < s) + ½ P(S = s) for every possible sum. */
function midDownBySum({ low, mass }: Distribution): (sum: number) => number {
  const p = new Float64Array(mass.length);
  let below = 0;
  mass.forEach((probability, i) => {
    p[i] = below + probability / 2;
    below += probability;
  });
  return (sum) => (sum < low ? 0 : (p[sum - low] ?? 1));
}
