import { nextIndex, type Random } from './random.ts';
import { sum } from './sums.ts';

/** With no more ways to deal the tries than this, all of them are counted; else they are drawn. */
const COUNTED = 20_000;

/** Ways that are drawn, and how many more where the answer may matter. */
const DRAWN = { first: 999, all: 9999 };

/** A p-value below this is worth more draws. */
const NEAR = 0.1;

/** Numbers that all draws together look at, at most; large suites are drawn less often. */
const MOST_NUMBERS = 40_000_000;

/** Relative slack for sums that are equal on paper. */
export const SLACK = 1e-9;

/**
 * What is dealt together: numbers by slot, head's `heads` slots first. `scaled` adds up over head's
 * slots to the items' differences of means, `marks` to the number of items while head's own tries
 * lie there, and to less the fewer of them do.
 */
export interface Unit {
  scaled: Float64Array;
  marks: Float64Array;
  heads: number;
}

/** For every deal, what it adds up to in numbers and in marks. The observed one is the first. */
export interface Deals {
  sums: Float64Array;
  marks: Float64Array;
}

export function dealsOf(units: readonly Unit[], random: Random): Deals {
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
  const first = drawn(pools, DRAWN.first, random);
  const near = tailsOf(joinDeals([observed, first]), observed.sums[0] ?? 0, 0);
  if (Math.min(near.down, near.up) > NEAR || most === DRAWN.first)
    return joinDeals([observed, first]);
  return joinDeals([observed, first, drawn(pools, most - DRAWN.first, random)]);
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

function drawn(pools: readonly Unit[], rounds: number, random: Random): Deals {
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

export function headSum(list: Float64Array, heads: number): number {
  let sum = 0;
  for (let i = 0; i < heads; i++) sum += list[i] ?? 0;
  return sum;
}

export function tailsOf(
  { sums }: Deals,
  observed: number,
  slack: number,
): { down: number; up: number } {
  let [below, above] = [0, 0];
  for (const sum of sums) {
    if (sum < observed - slack) below += 1;
    else if (sum > observed + slack) above += 1;
  }
  const tied = (sums.length - below - above) / 2;
  return { down: (below + tied) / sums.length, up: (above + tied) / sums.length };
}
