import { type Random, nextIndex } from './random.ts';
import { mean, meanOrNull, sum } from './sums.ts';

/** One item's numbers on both sides by try; null where a try gave none. */
export interface Values {
  base: readonly (number | null)[];
  head: readonly (number | null)[];
}

/** Means over items of the items' own means, and how far head lies from base. */
export interface ValueTest {
  /** Items with a number on both sides; the rest is left out. */
  items: number;
  base: number;
  head: number;
  difference: number;
  /** Two-sided 90 %; null where so few items, or differences that are all equal, cannot say. */
  low: number | null;
  high: number | null;
  /** One-sided mid-p of "head is lower" and "head is higher", 0–1. */
  down: number;
  up: number;
}

/** Mean over items of one side's means, of those that have numbers; null: none has. */
export function sideMean(values: readonly Values[], side: keyof Values): number | null {
  const means = values.flatMap((item) => {
    const own = item[side].filter((value) => value !== null);
    return own.length === 0 ? [] : [mean(own)];
  });
  return meanOrNull(means);
}

/** Each end of the interval is by itself right in 95 %. */
const TAIL = 0.05;

/**
 * Permutation test of "nothing changed" for numbers: the tries are dealt anew within every item,
 * items of one cluster together (`clusters`: each item's name, or null); the statistic is the mean
 * difference. All deals are counted where they are few, else seeded ones are drawn, with the
 * observed one among them. The interval holds every shift of head that the same deals do not
 * reject. Null without an item that has numbers on both sides.
 *
 * Sources: Fisher 1935; Phipson and Smyth 2010 (the observed deal counts); Garthwaite 1996 (the
 * interval from the test).
 */
export function valueTest(
  items: readonly Values[],
  clusters: readonly (string | null)[],
  random: Random,
): ValueTest | null {
  const compared = items.flatMap((item, i) =>
    isCompared(item) ? [{ item, cluster: clusters[i] ?? null }] : [],
  );
  if (compared.length === 0) return null;
  const units = unitsOf(compared);
  const deals = dealsOf(units, random);
  const observed = sum(units.map((unit) => headSum(unit.scaled, unit.heads)));
  const means = (side: 'base' | 'head'): number =>
    sum(compared.map(({ item }) => mean(numbers(item[side])))) / compared.length;
  const size = sum(
    units.map(({ scaled }) => scaled.reduce((all, value) => all + Math.abs(value), 0)),
  );
  const scale = Math.max(...compared.map(({ item }) => largest(item)));
  const [base, head] = [means('base'), means('head')];
  return {
    items: compared.length,
    base,
    head,
    difference: head - base,
    ...tailsOf(deals, observed, SLACK * size),
    ...intervalOf(deals, observed, compared.length, SLACK * scale),
  };
}

function numbers(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function isCompared({ base, head }: Values): boolean {
  return numbers(base).length > 0 && numbers(head).length > 0;
}

function largest({ base, head }: Values): number {
  return [...numbers(base), ...numbers(head)].reduce(
    (most, value) => Math.max(most, Math.abs(value)),
    0,
  );
}

interface Member {
  item: Values;
  cluster: string | null;
}

function unitsOf(members: readonly Member[]): Unit[] {
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
    const [h, b] = [numbers(item.head).length, numbers(item.base).length];
    // A difference of means is what head's numbers lie above the mean of all, times this.
    const weight = 1 / h + 1 / b;
    const middle = mean([...numbers(item.head), ...numbers(item.base)]);
    slots.forEach(({ value, mark }, slot) => {
      if (value === null) return;
      scaled[slot] = (scaled[slot] ?? 0) + weight * (value - middle);
      marks[slot] = (marks[slot] ?? 0) + weight * (mark - h / (h + b));
    });
  }
  return { scaled, marks, heads: heads.length };
}

/**
 * Were head's numbers shifted by δ, a deal would come to its sum less δ times its marks; so each
 * deal turns from above the observed one to below it at one shift, and the ends of the interval are
 * quantiles of these shifts.
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
    if (moved > SLACK * items) shifts.push((observed - sum) / moved);
  });
  shifts.sort((a, b) => a - b);
  // Deals that move nothing are ties at every shift.
  const cut = Math.floor(TAIL * sums.length - (sums.length - shifts.length) / 2);
  const [low, high] = [shifts[cut], shifts[shifts.length - 1 - cut]];
  if (cut < 0 || low === undefined || high === undefined || high - low <= slack)
    return { low: null, high: null };
  return { low, high };
}

/** With no more ways to deal the tries than this, all of them are counted; else they are drawn. */
const COUNTED = 20_000;

/** Ways that are drawn, and how many more where the answer may matter. */
const DRAWN = { first: 999, all: 9999 };

/** A p-value below this is worth more draws. */
const NEAR = 0.1;

/** Numbers that all draws together look at, at most; large suites are drawn less often. */
const MOST_NUMBERS = 40_000_000;

/** Relative slack for sums that are equal on paper. */
const SLACK = 1e-9;

/**
 * What is dealt together: numbers by slot, head's `heads` slots first. `scaled` adds up over head's
 * slots to the items' differences of means, `marks` to the number of items while head's own tries
 * lie there, and to less the fewer of them do.
 */
interface Unit {
  scaled: Float64Array;
  marks: Float64Array;
  heads: number;
}

/** For every deal, what it adds up to in numbers and in marks. The observed one is the first. */
interface Deals {
  sums: Float64Array;
  marks: Float64Array;
}

function dealsOf(units: readonly Unit[], random: Random): Deals {
  const ways = units.reduce(
    (product, { scaled, heads }) => product * choices(scaled.length, heads),
    1,
  );
  if (ways <= COUNTED) return allDeals(units);
  const slots = sum(units.map(({ scaled }) => scaled.length));
  const most = Math.max(DRAWN.first, Math.min(DRAWN.all, Math.floor(MOST_NUMBERS / slots)));
  const pools = units.map(({ scaled, marks, heads }) => ({
    scaled: scaled.slice(),
    marks: marks.slice(),
    heads,
  }));
  const observed = {
    sums: Float64Array.of(sum(pools.map(({ scaled, heads }) => headSum(scaled, heads)))),
    marks: Float64Array.of(sum(pools.map(({ marks, heads }) => headSum(marks, heads)))),
  };
  const first = drawDeals(pools, DRAWN.first, random);
  const near = tailsOf(joinDeals([observed, first]), observed.sums[0] ?? 0, 0);
  if (Math.min(near.down, near.up) > NEAR || most === DRAWN.first)
    return joinDeals([observed, first]);
  return joinDeals([observed, first, drawDeals(pools, most - DRAWN.first, random)]);
}

function choices(of: number, chosen: number): number {
  let ways = 1;
  for (let i = 1; i <= chosen; i++) ways = (ways * (of - chosen + i)) / i;
  return ways;
}

/** Every deal once: the choices of each unit, combined with those of the others. */
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

/** Sums over every choice of as many slots as head has, head's own first. */
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

/** Moves a random choice of the slots to head's places, and adds it to the round. */
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
