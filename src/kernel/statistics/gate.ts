import { isCluster, type ClusterTable, type Unit } from './clusters.ts';
import { type Distribution, headPasses, sumDistributions, tails, times } from './distributions.ts';
import { meanDifference } from './interval.ts';
import { discreteFdr } from './reference-tests.ts';
import { groupUnits, suiteTest } from './suite-test.ts';
import { type Counts, type Table, isLargeDrop, isInformative, reachesLevel } from './table.ts';

/** Share of alpha for single references when tries are fixed. */
export const FIXED_REFERENCE_SHARE = 0.4;

interface GateOptions {
  /** False-alarm rate, 0–1. */
  alpha: number;
  on: 'suite+references' | 'suite';
  /** The mean must drop by at least this (0–1) for the suite test to count. Default 0. */
  minDrop?: number;
  /** What is permuted together; default: every table alone. */
  units?: readonly Unit[];
}

interface Gate {
  regressed: boolean;
  /** `p`: mid-p of "head is worse"; `difference` is null when no table has tries on both sides. */
  suite: { p: number; level: number; difference: number | null; hit: boolean };
  /** `p`: of "some references broke"; 1 where they are not judged. */
  references: { p: number; level: number; hit: boolean };
}

/**
 * The verdict on fixed tries. Two exact tests share alpha: the suite test for a general drop (0.6)
 * and `brokenTest` for single broken references, which a mean would hide (0.4). A hit at one alpha is
 * a hit at every larger one.
 */
export function combinedGate(tables: readonly Table[], options: GateOptions): Gate {
  const { alpha, on, minDrop = 0, units = tables } = options;
  const level = on === 'suite' ? 0 : FIXED_REFERENCE_SHARE * alpha;
  const { midDown } = suiteTest(units);
  const difference = meanDifference(tables);
  const broken = on === 'suite' ? 1 : brokenTest(units);
  // A drop below `minDrop` may not count as broken references either.
  const counts = (): boolean => isLargeDrop(difference, minDrop) || isAnyNamed(tables);
  const references = { p: broken, level, hit: reachesLevel(broken, level) && counts() };
  const hit = reachesLevel(midDown, alpha - level) && isLargeDrop(difference, minDrop);
  return {
    regressed: hit || references.hit,
    suite: { p: midDown, level: alpha - level, difference, hit },
    references,
  };
}

/** Single references are called worse or better at this false-discovery rate. */
export const REFERENCE_FDR = 0.05;

function isAnyNamed(tables: readonly Table[]): boolean {
  return discreteFdr(tables).down.some((q) => q <= REFERENCE_FDR);
}

/**
 * Holm's step-down for judges that share alpha: each gets alpha / M; those that fire are removed and
 * the others get alpha / (number left), until none fires. Returns the level of each. The
 * family-wise error is at most alpha if a judge that fires at one level fires at every larger one.
 * Source: Holm 1979.
 */
export function holmLevels<Key>(
  judges: ReadonlyMap<Key, (level: number) => boolean>,
  alpha: number,
): Map<Key, number> {
  const levels = new Map<Key, number>();
  let open = [...judges];
  while (open.length > 0) {
    const level = alpha / open.length;
    for (const [key] of open) levels.set(key, level);
    const left = open.filter(([, fires]) => !fires(level));
    if (left.length === open.length) break;
    open = left;
  }
  return levels;
}

export function holm(p: readonly number[]): number[] {
  const order = [...p.keys()].sort((i, j) => (p[i] ?? 1) - (p[j] ?? 1));
  const adjusted = p.map(() => 1);
  let largest = 0;
  order.forEach((i, rank) => {
    largest = Math.max(largest, Math.min(1, (p[i] ?? 1) * (p.length - rank)));
    adjusted[i] = largest;
  });
  return adjusted;
}

const ALTERNATIVE_SHARES = { broken: 0.03, halved: 0.03 };

const BROKEN_RATE = 0.01;

/** Scores are multiples of 1/64; this is part of the statistic's definition. */
const SCORE_UNITS = 64;

/** A grid of pass rates, initially equally likely. */
const RATES = Array.from({ length: 25 }, (_, i) => (i + 0.5) / 25);

/** EM iterations, and the initial prior's weight in references. */
const FIT = { rounds: 15, weight: 3 };

/**
 * Exact test of "some references broke or pass half as often", for any number of them. The
 * statistic is Σ log(1 + Σ share·(LR − 1)), with LR the likelihood ratio of "broken" or "halved" to
 * "unchanged", averaged over a distribution of pass rates fitted to the tables' totals. The null
 * distribution permutes tries within tables; since the fit uses totals only, a wrong fit costs
 * power, not level. A cluster is one table, whose tries pass when all members pass. Returns
 * P(statistic >= observed), 0–1; 1 without information.
 */
export function brokenTest(units: readonly Unit[]): number {
  const tables = units.map((unit) => (isCluster(unit) ? allPass(unit) : unit));
  const prior = fittedPrior(tables);
  const scores = new Map<string, ScoreLaw>();
  const groups = groupUnits(tables).map(({ unit, count }) => {
    const scored = scoredLaw(unit, prior);
    scores.set(marginsKey(unit), scored);
    return times(scored.law, count);
  });
  const observed = tables.reduce((sum, table) => {
    const scored = isInformative(table) ? scores.get(marginsKey(table)) : undefined;
    return sum + (scored?.score.get(table.head.passes) ?? 0);
  }, 0);
  const { at, above } = tails(sumDistributions(groups), observed);
  return groups.length === 0 ? 1 : Math.min(1, at + above);
}

function allPass({ size, base, head }: ClusterTable): Table {
  const side = (passes: readonly number[]): Counts => ({
    passes: passes.filter((count) => count === size).length,
    tries: passes.length,
  });
  return { base: side(base), head: side(head) };
}

interface ScoreLaw {
  /** By passes on head. */
  score: ReadonlyMap<number, number>;
  law: Distribution;
}

function scoredLaw(table: Table, prior: readonly number[]): ScoreLaw {
  const { low, mass } = headPasses(table);
  const score = new Map(
    Array.from(mass, (_, i) => [low + i, scoreUnits(table, low + i, prior)] as const),
  );
  const values = [...score.values()];
  const least = Math.min(...values);
  const law = new Float64Array(Math.max(...values) - least + 1);
  mass.forEach((probability, i) => {
    const place = (score.get(low + i) ?? least) - least;
    law[place] = (law[place] ?? 0) + probability;
  });
  return { score, law: { low: least, mass: law } };
}

/** The score in units when `onHead` of the passes are head's. */
function scoreUnits({ base, head }: Table, onHead: number, prior: readonly number[]): number {
  const onBase = base.passes + head.passes - onHead;
  let [same, broken, halved] = [0, 0, 0];
  RATES.forEach((rate, i) => {
    const ofBase = (prior[i] ?? 0) * likelihood(rate, onBase, base.tries);
    same += ofBase * likelihood(rate, onHead, head.tries);
    broken += ofBase * likelihood(BROKEN_RATE, onHead, head.tries);
    halved += ofBase * likelihood(rate / 2, onHead, head.tries);
  });
  const kept = 1 - ALTERNATIVE_SHARES.broken - ALTERNATIVE_SHARES.halved;
  return Math.round(
    SCORE_UNITS *
      Math.log(
        kept + (ALTERNATIVE_SHARES.broken * broken + ALTERNATIVE_SHARES.halved * halved) / same,
      ),
  );
}

/** For one order of the tries. */
function likelihood(rate: number, passes: number, tries: number): number {
  return rate ** passes * (1 - rate) ** (tries - passes);
}

/** The distribution of pass rates by expectation–maximisation, from totals alone. */
function fittedPrior(tables: readonly Table[]): number[] {
  const start = RATES.map(() => 1 / RATES.length);
  const totals = new Map<string, { passes: number; tries: number; count: number }>();
  for (const { base, head } of tables) {
    const [passes, tries] = [base.passes + head.passes, base.tries + head.tries];
    const key = `${String(passes)}/${String(tries)}`;
    const known = totals.get(key);
    if (known === undefined) totals.set(key, { passes, tries, count: 1 });
    else known.count += 1;
  }
  const rows = [...totals.values()]
    .sort((a, b) => a.tries - b.tries || a.passes - b.passes)
    .map(({ passes, tries, count }) => ({
      count,
      law: RATES.map((rate) => likelihood(rate, passes, tries)),
    }));
  let prior = start;
  for (let round = 0; round < FIT.rounds; round++) {
    const next = start.map((weight) => FIT.weight * weight);
    for (const { count, law } of rows) {
      const whole = law.reduce((sum, value, i) => sum + value * (prior[i] ?? 0), 0);
      law.forEach((value, i) => {
        next[i] = (next[i] ?? 0) + (count * value * (prior[i] ?? 0)) / whole;
      });
    }
    const sum = next.reduce((total, weight) => total + weight, 0);
    prior = next.map((weight) => weight / sum);
  }
  return prior;
}

function marginsKey({ base, head }: Table): string {
  return `${String(base.tries)}/${String(head.tries)}/${String(base.passes + head.passes)}`;
}
