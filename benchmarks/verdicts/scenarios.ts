import { createRandom, nextFloat, type Random } from '../../src/kernel/statistics/random.ts';

/** How the references' pass rates are spread: constants, and laws with steady and unsteady ones. */
export const LAWS = {
  'all 1.0': () => 1,
  'all 0.95': () => 0.95,
  'all 0.8': () => 0.8,
  'Beta(½, ½)': (random) => beta(0.5, 0.5, random),
  'Beta(0.4, 0.1)': (random) => beta(0.4, 0.1, random),
  bimodal: (random) => {
    const place = nextFloat(random);
    return place < 0.64 ? 1 : place < 0.8 ? 0 : 0.5;
  },
  'all 0.1': () => 0.1,
} as const satisfies Record<string, (random: Random) => number>;

export type Law = keyof typeof LAWS;

/** Pass rates of a suite's references on both sides. */
export interface Suite {
  base: number[];
  head: number[];
  /** Further gating metrics, by name; a try passes when all pass. */
  metrics?: Readonly<Record<string, { base: number[]; head: number[] }>>;
  /** By position, the question that a reference asks; absent: each its own. */
  questions?: readonly number[];
  /** Base's rates when its answers were stored, where they come from an earlier run. */
  stored?: readonly number[];
  /** Draws the value of one try; absent: its metric only passes or fails. */
  value?: (side: 'base' | 'head', position: number, random: Random) => number;
  /** Which way the value should move; absent: up. */
  better?: 'lower' | 'none';
  /** Each reference is judged by a metric of its own. */
  ownMetrics?: true;
  /** The largest drop that may stand under green; absent: the default. */
  tolerance?: number;
  /** Positions of critical references. */
  critical?: number[];
  /** Tries that these begin with; absent: as many as the others. */
  criticalTries?: number;
  /** The first so many references get no answer on head, whatever is tried. */
  silent?: number;
  /** Share of tries, on either side, that get no answer. */
  errors?: number;
}

/** What head does to a reference: by its position and its rate on base, both sides' rates. */
export type Change = (position: number, rate: number) => { base: number; head: number };

export const nothing: Change = (_, rate) => ({ base: rate, head: rate });

/** Every reference moves by so much, within 0 and 1. */
export const moved =
  (by: number): Change =>
  (_, rate) => ({ base: rate, head: Math.min(1, Math.max(0, rate + by)) });

/** The first `count` references go from one rate to another. */
export const turned =
  (count: number, base: number, head: number): Change =>
  (position, rate) =>
    position < count ? { base, head } : { base: rate, head: rate };

/** The first five break and the next five heal. */
export const fiveAndFive: Change = (position, rate) =>
  position < 5
    ? { base: 1, head: 0 }
    : position < 10
      ? { base: 0, head: 1 }
      : { base: rate, head: rate };

export function drawSuite(
  references: number,
  law: Law,
  change: Change,
  random: Random,
): { base: number[]; head: number[] } {
  const rates = Array.from({ length: references }, (_, position) =>
    change(position, LAWS[law](random)),
  );
  return { base: rates.map(({ base }) => base), head: rates.map(({ head }) => head) };
}

export const randomOf = (name: string): Random => createRandom(name);

/** Jöhnk's method, in logarithms since a small parameter makes numbers that doubles cannot hold. */
function beta(a: number, b: number, random: Random): number {
  for (;;) {
    const [x, y] = [Math.log(nextFloat(random)) / a, Math.log(nextFloat(random)) / b];
    const top = Math.max(x, y);
    const sum = Math.exp(x - top) + Math.exp(y - top);
    if (top + Math.log(sum) <= 0) return Math.exp(x - top) / sum;
  }
}
