import { permuteSums } from './permutations.ts';
import type { Random } from './random.ts';
import { at, mean, meanOrNull, sum } from './sums.ts';

export interface Values {
  base: readonly (number | null)[];
  head: readonly (number | null)[];
}

export interface ValueTest {
  items: number;
  /** How many items have a lower or higher mean on head. */
  fell: number;
  rose: number;
  base: number;
  head: number;
  difference: number;
  /** Two-sided 90 % interval of the difference. Null if items are few or all are equal. */
  low: number | null;
  high: number | null;
  /** Lower bound of the difference at the one-sided level `boundLevel`. Null like `low`. */
  bound: number | null;
  /** Mid-p, 0–1. `down` and `up` are one-sided, `differs` is two-sided. */
  down: number;
  up: number;
  differs: number;
  /** The smallest p that a fall of the mean could have with these values, 0–½. */
  least: number;
  /** Distance from the value expected without a change, in standard deviations. */
  z: { mean: number; ranks: number };
}

export function sideMean(values: readonly Values[], side: keyof Values): number | null {
  const means = values.flatMap((item) => {
    const own = item[side].filter((value) => value !== null);
    return own.length === 0 ? [] : [mean(own)];
  });
  return meanOrNull(means);
}

/** Of the items with numbers on both sides, head's mean less base's. Null if there are none. */
export function valueDifference(items: readonly Values[]): number | null {
  const compared = items.filter(hasBothSides);
  const base = sideMean(compared, 'base');
  const head = sideMean(compared, 'head');
  return base === null || head === null ? null : head - base;
}

const TAIL = 0.05;

/**
 * Permutation test with two statistics, of which the more extreme one counts: the difference of
 * means, and that of ranks within items, which is robust to outliers. Many permutations are
 * replaced by a seeded sample. The interval contains all shifts of head that the test of means does
 * not reject.
 *
 * Sources: Fisher 1935; van Elteren 1960 (ranks by item); Westfall and Young 1993 (the same
 * permutations for several statistics); Phipson and Smyth 2010 (the sample includes the observed
 * one); Garthwaite 1996 (the interval).
 */
export function valueTest(
  items: readonly Values[],
  clusters: readonly (string | null)[],
  random: Random,
  boundLevel = TAIL,
): ValueTest | null {
  const compared = items.flatMap((item, i) =>
    hasBothSides(item) ? [{ item, cluster: clusters[i] ?? null }] : [],
  );
  if (compared.length === 0) return null;
  const scale = chooseScale(compared.map(({ item }) => item));
  const scaled = compared.map(({ item, cluster }) => ({ item: divided(item, scale), cluster }));
  const groups = Map.groupBy(scaled, ({ item, cluster }) => cluster ?? item);
  const units = [...groups.values()].map((own) => unitOf(own.map(({ item }) => item)));
  const observed = addSlots(units.flatMap(({ slots, heads }) => slots.slice(0, heads)));
  const deals = permute(units, observed, random);
  const means = (side: 'base' | 'head') =>
    mean(scaled.map(({ item }) => mean(nonNullValues(item[side]))));
  const base = means('base');
  const head = means('head');
  const moves = scaled.map(({ item }) => valueDifference([item]) ?? 0);
  const interval = (tail: number) => invertTest(deals, observed, { items: scaled.length, tail });
  const { low, high } = interval(TAIL);
  const bound = boundLevel === TAIL ? low : interval(boundLevel).low;
  return {
    items: scaled.length,
    fell: moves.filter((move) => move < -TOLERANCE).length,
    rose: moves.filter((move) => move > TOLERANCE).length,
    base: base * scale,
    head: head * scale,
    difference: (head - base) * scale,
    ...tailsOf(deals, observed, units),
    least: leastP(units),
    low: low === null ? null : low * scale,
    high: high === null ? null : high * scale,
    bound: bound === null ? null : bound * scale,
  };
}

/** Scaling avoids overflow. Division by a power of two is exact. */
function chooseScale(items: readonly Values[]): number {
  const values = items.flatMap(({ base, head }) => [...base, ...head]);
  const most = values.reduce<number>((max, value) => Math.max(max, Math.abs(value ?? 0)), 0);
  return most === 0 ? 1 : 2 ** Math.floor(Math.log2(most));
}

function divided({ base, head }: Values, scale: number): Values {
  const side = (values: Values['base']): Values['base'] =>
    values.map((value) => (value === null ? null : value / scale));
  return { base: side(base), head: side(head) };
}

export function nonNullValues(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function hasBothSides({ base, head }: Values): boolean {
  return nonNullValues(base).length > 0 && nonNullValues(head).length > 0;
}

/** A cluster's try counts if at least one of its items has a number. */
function unitOf(items: readonly Values[]): Unit {
  const slotsOf = (side: 'base' | 'head') =>
    [...Array(Math.max(...items.map((item) => item[side].length))).keys()].flatMap((at) => {
      const parts = items.flatMap((item) => slotOf(item, side, at) ?? []);
      return parts.length === 0 ? [] : [addSlots(parts)];
    });
  const heads = slotsOf('head');
  return { slots: [...heads, ...slotsOf('base')], heads: heads.length };
}

function slotOf(item: Values, side: 'base' | 'head', at: number): Slot | null {
  const value = item[side][at] ?? null;
  if (value === null) return null;
  const heads = nonNullValues(item.head);
  const bases = nonNullValues(item.base);
  const all = [...heads, ...bases];
  const h = heads.length;
  const n = all.length;
  // The difference of means is `weight` times the sum of head's deviations from the mean.
  const weight = 1 / h + 1 / (n - h);
  const below = sum(all.map((other) => (other < value ? 1 : other === value ? 0.5 : 0)));
  const deviation = value - mean(all);
  return {
    value: Math.abs(deviation) <= TOLERANCE * Math.abs(value) ? 0 : weight * deviation,
    rank: weight * (below / n - 0.5),
    mark: weight * ((side === 'head' ? 1 : 0) - h / n),
  };
}

function addSlots(slots: readonly Slot[]): Slot {
  return {
    value: sum(slots.map(({ value }) => value)),
    rank: sum(slots.map(({ rank }) => rank)),
    mark: sum(slots.map(({ mark }) => mark)),
  };
}

/**
 * If head's values shift by δ, a permutation's sum falls by δ times its `mark`. So it equals the
 * observed sum at exactly one shift. The interval's ends are quantiles of these shifts.
 */
function invertTest(
  deals: readonly Slot[],
  observed: Slot,
  { items, tail }: { items: number; tail: number },
): Pick<ValueTest, 'low' | 'high'> {
  const shifts = deals.flatMap(({ value, mark }) => {
    const moved = items - mark;
    return moved > TOLERANCE * items ? [(observed.value - value) / moved] : [];
  });
  shifts.sort((a, b) => a - b);
  // A permutation whose sum always equals the observed one counts half on each side.
  const cut = Math.floor(tail * deals.length - (deals.length - shifts.length) / 2);
  const low = shifts[cut];
  const high = shifts[shifts.length - 1 - cut];
  if (cut < 0 || low === undefined || high === undefined || high - low <= TOLERANCE)
    return { low: null, high: null };
  return { low, high };
}

const MAX_ENUMERATED = 20_000;

/** All samples are drawn only if the first ones give a p near significance. */
const SAMPLE_COUNTS = { first: 999, all: 9999 };

const UNCERTAIN_P = 0.1;

/** Limits the numbers that all samples together read, so large suites get fewer samples. */
const MAX_NUMBERS = 40_000_000;

/** Sums with a smaller relative difference count as equal. */
const TOLERANCE = 1e-9;

/** What a try adds to each sum if a permutation assigns it to head. */
interface Slot {
  value: number;
  /** Rank within the item's tries, from −0.5 to 0.5, times a weight. */
  rank: number;
  /** How much `value` grows if all of head's values grow by 1. */
  mark: number;
}

interface Unit {
  slots: Slot[];
  heads: number;
}

function permute(units: readonly Unit[], observed: Slot, random: Random): Slot[] {
  const ways = units.reduce(
    (product, { slots, heads }) => product * binomial(slots.length, heads),
    1,
  );
  if (ways <= MAX_ENUMERATED) return allDeals(units);
  const slots = sum(units.map((unit) => unit.slots.length));
  const most = Math.max(
    SAMPLE_COUNTS.first,
    Math.min(SAMPLE_COUNTS.all, Math.floor(MAX_NUMBERS / slots)),
  );
  const first = [observed, ...drawDeals(units, SAMPLE_COUNTS.first, random)];
  const { down, up } = tailsOf(first, observed, units);
  if (Math.min(down, up) > UNCERTAIN_P) return first;
  return [...first, ...drawDeals(units, most - SAMPLE_COUNTS.first, random)];
}

/** Half the share of deals in which head gets the lowest values of every unit. */
function leastP(units: readonly Unit[]): number {
  return units.reduce((p, { slots, heads }) => {
    const values = slots.map(({ value }) => value).sort((a, b) => a - b);
    const highest = values[heads - 1] ?? 0;
    const lower = values.filter((value) => value < highest - TOLERANCE).length;
    const tied = values.filter((value) => Math.abs(value - highest) <= TOLERANCE).length;
    return (p * binomial(tied, heads - lower)) / binomial(slots.length, heads);
  }, 0.5);
}

function binomial(of: number, chosen: number): number {
  let ways = 1;
  for (let i = 1; i <= chosen; i++) ways = (ways * (of - chosen + i)) / i;
  return ways;
}

function allDeals(units: readonly Unit[]): Slot[] {
  return units.reduce<Slot[]>(
    (all, { slots, heads }) => {
      const own = enumerateChoices(slots, heads);
      return all.flatMap((sums) => own.map((more) => addSlots([sums, more])));
    },
    [addSlots([])],
  );
}

function enumerateChoices(slots: readonly Slot[], count: number): Slot[] {
  const [first, ...rest] = slots;
  if (count === 0 || first === undefined) return count === 0 ? [addSlots([])] : [];
  return [
    ...enumerateChoices(rest, count - 1).map((sums) => addSlots([first, sums])),
    ...enumerateChoices(rest, count),
  ];
}

function drawDeals(units: readonly Unit[], rounds: number, random: Random): Slot[] {
  const dealt = units.map(({ slots, heads }) => ({
    heads,
    parts: [
      { values: slots.map(({ value }) => value), sums: [0] },
      { values: slots.map(({ rank }) => rank), sums: [1] },
      { values: slots.map(({ mark }) => mark), sums: [2] },
    ],
  }));
  const [values = [], ranks = [], marks = []] = permuteSums(dealt, { sums: 3, rounds, random });
  return Array.from(values, (value, i) => ({ value, rank: at(ranks, i), mark: at(marks, i) }));
}

function tailsOf(
  deals: readonly Slot[],
  observed: Slot,
  units: readonly Unit[],
): Pick<ValueTest, 'down' | 'up' | 'differs' | 'z'> {
  const deviation = (of: 'value' | 'rank') =>
    Math.sqrt(sum(deals.map((sums) => sums[of] ** 2)) / deals.length) || 1;
  const values = deviation('value');
  const ranks = deviation('rank');
  const z = { mean: observed.value / values, ranks: observed.rank / ranks };
  const slack = TOLERANCE * sum(units.map(({ slots }) => slots.length));
  const least = Math.min(z.mean, z.ranks);
  const most = Math.max(z.mean, z.ranks);
  const farthest = Math.max(most, -least);
  const counts = { down: 0, up: 0, differs: 0 };
  const beyond = (by: number) => (by > slack ? 1 : by >= -slack ? 0.5 : 0);
  for (const { value, rank } of deals) {
    const mean = value / values;
    const own = rank / ranks;
    counts.down += beyond(least - Math.min(mean, own));
    counts.up += beyond(Math.max(mean, own) - most);
    counts.differs += beyond(Math.max(Math.abs(mean), Math.abs(own)) - farthest);
  }
  return {
    down: counts.down / deals.length,
    up: counts.up / deals.length,
    differs: counts.differs / deals.length,
    z,
  };
}
