import type { Bundle } from './bundles.ts';
import { headPasses, sumOf, tails, times, type Distribution } from './distributions.ts';
import { groupTables } from './suite-test.ts';
import { isInformative, type Counts, type Table } from './table.ts';

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
    .sort((one, other) => one.tries - other.tries || one.passes - other.passes)
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
