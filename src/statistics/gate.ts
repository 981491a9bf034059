import type { Bundle } from './bundles.ts';
import { type Distribution, headPasses, sumOf, tails, times } from './distributions.ts';
import { meanDifference } from './interval.ts';
import { discreteFdr } from './reference-tests.ts';
import { groupTables, suiteTest } from './suite-test.ts';
import { type Counts, type Table, fell, isInformative, within } from './table.ts';

/** Part of alpha for single references that broke, where tries are fixed. */
const REFERENCE_SHARE = 0.4;

interface GateOptions {
  /** Chance of an alarm when nothing changed, 0–1. */
  alpha: number;
  on: 'suite+references' | 'suite';
  /** The mean must fall by at least this (0–1) for the suite test to count. Default 0. */
  minDrop?: number;
  /** Positions of the tables that have half of the references' level to themselves. */
  critical?: readonly number[];
  /** Tables whose tries move together. */
  bundles?: readonly Bundle[];
}

export interface Gate {
  regressed: boolean;
  /** `p`: mid-p of "head is worse"; `difference` is null when no table has tries on both sides. */
  suite: { p: number; level: number; difference: number | null; hit: boolean };
  /** `p`: of "some references broke", the critical ones' if that is what hit. */
  references: { p: number; level: number; hit: boolean };
}

/**
 * The verdict on fixed tries. Two exact tests share one alpha: the suite test for a fall everywhere
 * (0.6), and `brokenTest` for references that broke, which a mean would hide (0.4, of which the
 * critical ones have half where there are any). What hits at one alpha hits at every larger one.
 */
export function combinedGate(tables: readonly Table[], options: GateOptions): Gate {
  const { alpha, on, minDrop = 0, critical = [], bundles = [] } = options;
  const level = on === 'suite' ? 0 : REFERENCE_SHARE * alpha;
  const { midDown } = suiteTest(tables, bundles);
  const difference = meanDifference(tables);
  const broken = brokenHit(tables, { critical, bundles, level });
  // A fall that is too small to count may not count under another name.
  const counts = broken.hit && (fell(difference, minDrop) || isAnyNamed(tables));
  const references = { ...broken, hit: counts };
  const hit = within(midDown, alpha - level) && fell(difference, minDrop);
  return {
    regressed: hit || references.hit,
    suite: { p: midDown, level: alpha - level, difference, hit },
    references,
  };
}

/** At this false-discovery rate a single reference is called worse or better. */
export const REFERENCE_FDR = 0.05;

function isAnyNamed(tables: readonly Table[]): boolean {
  return discreteFdr(tables).down.some((q) => q <= REFERENCE_FDR);
}

function brokenHit(
  tables: readonly Table[],
  {
    critical,
    bundles,
    level,
  }: { critical: readonly number[]; bundles: readonly Bundle[]; level: number },
): Gate['references'] {
  const all = brokenTest(tables, bundles);
  if (critical.length === 0) return { p: all, level, hit: within(all, level) };
  const bundled = new Set(bundles.flatMap(({ members }) => members));
  const alone = critical.filter((i) => !bundled.has(i));
  const own = brokenTest(alone.flatMap((i) => tables[i] ?? []));
  const [half, first] = [level / 2, within(own, level / 2)];
  return { p: first ? own : all, level: half, hit: first || within(all, half) };
}

/** A verdict and the level it was judged at. */
interface Judged<Result> {
  alpha: number;
  result: Result;
}

/**
 * Holm's step-down over several judgements that share one alpha: all are judged at alpha / M; those
 * that fire keep their result and leave, the rest is judged again at alpha / (number left), until
 * none fires. The chance of any false alarm stays within alpha as long as a judge that fires at one
 * alpha also fires at every larger one.
 *
 * Source: Holm 1979.
 */
export function judgeFamily<Result extends { regressed: boolean }>(
  judges: readonly ((alpha: number) => Result)[],
  alpha: number,
): Judged<Result>[] {
  const judged = new Map<number, Judged<Result>>();
  let open = judges.map((judge, i) => ({ judge, i }));
  while (open.length > 0) {
    const level = alpha / open.length;
    for (const { judge, i } of open) judged.set(i, { alpha: level, result: judge(level) });
    const left = open.filter(({ i }) => judged.get(i)?.result.regressed === false);
    if (left.length === open.length) break;
    open = left;
  }
  return judges.flatMap((_, i) => judged.get(i) ?? []);
}

/** Holm's step-down p-values, in the order given. */
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

/** Shares of the references that the alternative breaks outright, and halves. */
const SHARE = { broken: 0.03, halved: 0.03 };

/** Pass rate of a broken reference. */
const BROKEN_RATE = 0.01;

/** Scores are whole multiples of 1/64, which is part of what the statistic is. */
const UNITS = 64;

/** The rates at which a reference may pass, and how often each is met before anything is known. */
const RATES = Array.from({ length: 25 }, (_, i) => (i + 0.5) / 25);

/** Rounds of the fit, and the weight in references of what was believed before it. */
const FIT = { rounds: 15, weight: 3 };

/**
 * Exact test of "some references broke or pass half as often", for any number of them and whatever
 * the others do. The statistic is Σ log(1 + Σ share·(LR − 1)), with LR the likelihood of a table
 * under "broken" or "halved" against "unchanged", averaged over the law of the pass rates that fits
 * the tables' totals. Its null law deals the tries anew within every table: since the fit sees the
 * totals only, a wrong fit costs power and never the level. A bundle is one table, in which a try
 * passes when all its members pass. Returns P(statistic >= observed), 0–1; 1 where nothing can be
 * seen.
 */
export function brokenTest(all: readonly Table[], bundles: readonly Bundle[] = []): number {
  const bundled = new Set(bundles.flatMap(({ members }) => members));
  const tables = [...all.filter((_, i) => !bundled.has(i)), ...bundles.map(allPass)];
  const prior = fittedPrior(tables);
  const scores = new Map<string, Scored>();
  const groups = groupTables(tables).map(({ table, count }) => {
    const scored = scoredLaw(table, prior);
    scores.set(keyOf(table), scored);
    return times(scored.law, count);
  });
  const observed = tables.reduce((sum, table) => {
    const scored = isInformative(table) ? scores.get(keyOf(table)) : undefined;
    return sum + (scored?.score.get(table.head.passes) ?? 0);
  }, 0);
  const { at, above } = tails(sumOf(groups), observed);
  return groups.length === 0 ? 1 : Math.min(1, at + above);
}

function allPass({ members, base, head }: Bundle): Table {
  const side = (passes: readonly number[]): Counts => ({
    passes: passes.filter((count) => count === members.length).length,
    tries: passes.length,
  });
  return { base: side(base), head: side(head) };
}

interface Scored {
  /** By passes on head. */
  score: ReadonlyMap<number, number>;
  law: Distribution;
}

function scoredLaw(table: Table, prior: readonly number[]): Scored {
  const { low, mass } = headPasses(table);
  const score = new Map(
    Array.from(mass, (_, i) => [low + i, scoreOf(table, low + i, prior)] as const),
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

/** The score of `onHead` of the table's passes being head's, in units. */
function scoreOf({ base, head }: Table, onHead: number, prior: readonly number[]): number {
  const onBase = base.passes + head.passes - onHead;
  let [same, broken, halved] = [0, 0, 0];
  RATES.forEach((rate, i) => {
    const ofBase = (prior[i] ?? 0) * likelihood(rate, onBase, base.tries);
    same += ofBase * likelihood(rate, onHead, head.tries);
    broken += ofBase * likelihood(BROKEN_RATE, onHead, head.tries);
    halved += ofBase * likelihood(rate / 2, onHead, head.tries);
  });
  const kept = 1 - SHARE.broken - SHARE.halved;
  return Math.round(
    UNITS * Math.log(kept + (SHARE.broken * broken + SHARE.halved * halved) / same),
  );
}

/** Of one order of the tries. */
function likelihood(rate: number, passes: number, tries: number): number {
  return rate ** passes * (1 - rate) ** (tries - passes);
}

/** The law of the pass rates by expectation–maximisation, from totals alone. */
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

function keyOf({ base, head }: Table): string {
  return `${String(base.tries)}/${String(head.tries)}/${String(base.passes + head.passes)}`;
}
