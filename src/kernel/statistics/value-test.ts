import { type Random, nextIndex } from './random.ts';
import { mean, meanOrNull, sum } from './sums.ts';

/** One item's numbers on both sides by try; null: no number. */
export interface Values {
  base: readonly (number | null)[];
  head: readonly (number | null)[];
}

export interface ValueTest {
  /** Items with a number on both sides; others are ignored. */
  items: number;
  base: number;
  head: number;
  difference: number;
  /** Two-sided 90 %; null if there are too few items or all differences are equal. */
  low: number | null;
  high: number | null;
  /** One-sided mid-p of "head is lower" and "head is higher", 0–1. */
  down: number;
  up: number;
}

/** Mean over items of one side's means; null if no item has numbers. */
export function sideMean(values: readonly Values[], side: keyof Values): number | null {
  const means = values.flatMap((item) => {
    const own = item[side].filter((value) => value !== null);
    return own.length === 0 ? [] : [mean(own)];
  });
  return meanOrNull(means);
}

/** Each end is one-sided 95 %. */
const TAIL = 0.05;

/**
 * Permutation test for numbers: tries are permuted within every item, items of one cluster together
 * (`clusters`: each item's name, or null); the statistic is the mean difference. Enumerates all
 * permutations if they are few, else draws seeded ones and adds the observed one. The interval
 * contains every shift of head that is not rejected. Null without an item that has numbers on both
 * sides.
 *
 * Sources: Fisher 1935; Phipson and Smyth 2010 (the observed permutation counts); Garthwaite 1996
 * (the interval from the test).
 */
export function valueTest(
  items: readonly Values[],
  clusters: readonly (string | null)[],
  random: Random,
): ValueTest | null {
  const compared = items.flatMap((item, i) =>
    hasBothSides(item) ? [{ item, cluster: clusters[i] ?? null }] : [],
  );
  if (compared.length === 0) return null;
  const units = clusterUnits(compared);
  const deals = dealsOf(units, random);
  const observed = sum(units.map((unit) => headSum(unit.scaled, unit.heads)));
  const means = (side: 'base' | 'head'): number =>
    sum(compared.map(({ item }) => mean(nonNullValues(item[side])))) / compared.length;
  const size = sum(
    units.map(({ scaled }) => scaled.reduce((all, value) => all + Math.abs(value), 0)),
  );
  const scale = Math.max(...compared.map(({ item }) => largestMagnitude(item)));
  const [base, head] = [means('base'), means('head')];
  return {
    items: compared.length,
    base,
    head,
    difference: head - base,
    ...tailsOf(deals, observed, SUM_TOLERANCE * size),
    ...intervalOf(deals, observed, compared.length, SUM_TOLERANCE * scale),
  };
}

function nonNullValues(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function hasBothSides({ base, head }: Values): boolean {
  return nonNullValues(base).length > 0 && nonNullValues(head).length > 0;
}

function largestMagnitude({ base, head }: Values): number {
  return [...nonNullValues(base), ...nonNullValues(head)].reduce(
    (most, value) => Math.max(most, Math.abs(value)),
    0,
  );
}

interface ClusteredItem {
  item: Values;
  cluster: string | null;
}

function clusterUnits(members: readonly ClusteredItem[]): Unit[] {
  const alone = members.filter(({ cluster }) => cluster === null);
  const names = [...new Set(members.flatMap(({ cluster }) => cluster ?? []))];
  return [
    ...alone.map(({ item }) => unitOf([item])),
    ...names.map((name) =>
      unitOf(members.filter(({ cluster }) => cluster === name).map(({ item }) => item)),
    ),
  ];
}

/** A try in which no member has a number is not a slot. */
function unitOf(items: readonly Values[]): Unit {
  const slotsOf = (side: 'base' | 'head'): number[] =>
    [...Array(Math.max(...items.map((item) => item[side].length))).keys()].filter((at) =>
      items.some((item) => (item[side][at] ?? null) !== null),
    );
  const [heads, bases] = [slotsOf('head'), slotsOf('base')];
  const scaled = new Float64Array(heads.length + bases.length);
  const marks = new Float64Array(heads.length + bases.length);
  for (const item of items) {
    const slots = [
      ...heads.map((at) => ({ value: item.head[at] ?? null, mark: 1 })),
      ...bases.map((at) => ({ value: item.base[at] ?? null, mark: 0 })),
    ];
    const [h, b] = [nonNullValues(item.head).length, nonNullValues(item.base).length];
    // A difference of means is the sum of head's deviations from the overall mean, times this.
    const weight = 1 / h + 1 / b;
    const middle = mean([...nonNullValues(item.head), ...nonNullValues(item.base)]);
    slots.forEach(({ value, mark }, slot) => {
      if (value === null) return;
      scaled[slot] = (scaled[slot] ?? 0) + weight * (value - middle);
      marks[slot] = (marks[slot] ?? 0) + weight * (mark - h / (h + b));
    });
  }
  return { scaled, marks, heads: heads.length };
}

/**
 * Shifting head by δ reduces a permutation's sum by δ times its marks, so each permutation crosses
 * the observed one at one shift; the interval's ends are quantiles of these shifts.
 */
function intervalOf(
  { sums, marks }: Deals,
  observed: number,
  items: number,
  slack: number,
): Pick<ValueTest, 'low' | 'high'> {
  const shifts: number[] = [];
  sums.forEach((sum, i) => {
    const moved = items - (marks[i] ?? 0);
    if (moved > SUM_TOLERANCE * items) shifts.push((observed - sum) / moved);
  });
  shifts.sort((a, b) => a - b);
  // Permutations that move nothing are ties at every shift.
  const cut = Math.floor(TAIL * sums.length - (sums.length - shifts.length) / 2);
  const [low, high] = [shifts[cut], shifts[shifts.length - 1 - cut]];
  if (cut < 0 || low === undefined || high === undefined || high - low <= slack)
    return { low: null, high: null };
  return { low, high };
}

/** Up to this many permutations are enumerated; else they are sampled. */
const MAX_ENUMERATED = 20_000;

/** Sampled permutations: first, and when the p-value is near significance. */
const SAMPLE_COUNTS = { first: 999, all: 9999 };

/** A p-value below this is worth more samples. */
const UNCERTAIN_P = 0.1;

/** Limit of numbers visited by all samples; large suites get fewer samples. */
const MOST_NUMBERS = 40_000_000;

/** Relative tolerance for equal sums. */
const SUM_TOLERANCE = 1e-9;

/**
 * What is permuted together: numbers by slot, head's `heads` slots first. Over head's slots,
 * `scaled` sums to the items' differences of means, and `marks` to the number of items if head's
 * own tries are there.
 */
interface Unit {
  scaled: Float64Array;
  marks: Float64Array;
  heads: number;
}

interface Deals {
  sums: Float64Array;
  marks: Float64Array;
}

function dealsOf(units: readonly Unit[], random: Random): Deals {
  const ways = units.reduce(
    (product, { scaled, heads }) => product * binomial(scaled.length, heads),
    1,
  );
  if (ways <= MAX_ENUMERATED) return allDeals(units);
  const slots = sum(units.map(({ scaled }) => scaled.length));
  const most = Math.max(
    SAMPLE_COUNTS.first,
    Math.min(SAMPLE_COUNTS.all, Math.floor(MOST_NUMBERS / slots)),
  );
  const pools = units.map(({ scaled, marks, heads }) => ({
    scaled: scaled.slice(),
    marks: marks.slice(),
    heads,
  }));
  const observed = {
    sums: Float64Array.of(sum(pools.map(({ scaled, heads }) => headSum(scaled, heads)))),
    marks: Float64Array.of(sum(pools.map(({ marks, heads }) => headSum(marks, heads)))),
  };
  const first = drawDeals(pools, SAMPLE_COUNTS.first, random);
  const near = tailsOf(joinDeals([observed, first]), observed.sums[0] ?? 0, 0);
  if (Math.min(near.down, near.up) > UNCERTAIN_P || most === SAMPLE_COUNTS.first)
    return joinDeals([observed, first]);
  return joinDeals([observed, first, drawDeals(pools, most - SAMPLE_COUNTS.first, random)]);
}

function binomial(of: number, chosen: number): number {
  let ways = 1;
  for (let i = 1; i <= chosen; i++) ways = (ways * (of - chosen + i)) / i;
  return ways;
}

function allDeals(units: readonly Unit[]): Deals {
  let all: [number, number][] = [[0, 0]];
  for (const unit of units) {
    const own = choicesOf(unit);
    all = all.flatMap(([sum, mark]) =>
      own.map(([more, marks]): [number, number] => [sum + more, mark + marks]),
    );
  }
  return {
    sums: Float64Array.from(all, ([sum]) => sum),
    marks: Float64Array.from(all, ([, mark]) => mark),
  };
}

function choicesOf({ scaled, marks, heads }: Unit): [number, number][] {
  const found: [number, number][] = [];
  const choose = (from: number, left: number, sum: number, mark: number): void => {
    if (left === 0) {
      found.push([sum, mark]);
      return;
    }
    for (let slot = from; slot <= scaled.length - left; slot++)
      choose(slot + 1, left - 1, sum + (scaled[slot] ?? 0), mark + (marks[slot] ?? 0));
  };
  choose(0, heads, 0, 0);
  return found;
}

function drawDeals(pools: readonly Unit[], rounds: number, random: Random): Deals {
  const deals = { sums: new Float64Array(rounds), marks: new Float64Array(rounds) };
  for (let round = 0; round < rounds; round++)
    for (const pool of pools) deal(pool, random, deals, round);
  return deals;
}

function deal({ scaled, marks, heads }: Unit, random: Random, to: Deals, round: number): void {
  let [sum, mark] = [0, 0];
  for (let i = 0; i < heads; i++) {
    const from = i + nextIndex(random, scaled.length - i);
    const [value = 0, own = 0] = [scaled[from], marks[from]];
    scaled[from] = scaled[i] ?? 0;
    marks[from] = marks[i] ?? 0;
    scaled[i] = value;
    marks[i] = own;
    sum += value;
    mark += own;
  }
  to.sums[round] = (to.sums[round] ?? 0) + sum;
  to.marks[round] = (to.marks[round] ?? 0) + mark;
}

function joinDeals(deals: readonly Deals[]): Deals {
  return {
    sums: Float64Array.from(deals.flatMap(({ sums }) => [...sums])),
    marks: Float64Array.from(deals.flatMap(({ marks }) => [...marks])),
  };
}

function headSum(list: Float64Array, heads: number): number {
  let sum = 0;
  for (let i = 0; i < heads; i++) sum += list[i] ?? 0;
  return sum;
}

function tailsOf({ sums }: Deals, observed: number, slack: number): { down: number; up: number } {
  let [below, above] = [0, 0];
  for (const sum of sums) {
    if (sum < observed - slack) below += 1;
    else if (sum > observed + slack) above += 1;
  }
  const tied = (sums.length - below - above) / 2;
  return { down: (below + tied) / sums.length, up: (above + tied) / sums.length };
}
