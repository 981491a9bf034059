import { createRandom, nextFloat, type Random } from '../../src/kernel/statistics/random.ts';

/**
 * Distributions of the references' pass rates: constants, and mixes of steady and unsteady ones.
 */
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
  /** Further gating metrics, by name; a try passes if all pass. */
  metrics?: Readonly<Record<string, { base: number[]; head: number[] }>>;
  /** The question of each reference, by position; absent: all different. */
  questions?: readonly number[];
  /** Base's rates when its answers were stored by an earlier run. */
  stored?: readonly number[];
  /** How many tries of each reference are stored; absent: all. */
  storedTries?: number;
  /** Draws the value of one try; absent: the metric only passes or fails. */
  value?: (side: 'base' | 'head', position: number, random: Random) => number;
  /**
   * `always`: no value fails. A number: values below it fail, even if none reaches it. Absent: every
   * try passes, but others could fail.
   */
  passes?: 'always' | number;
  /** The better direction of the value; absent: up. */
  better?: 'lower' | 'none';
  /** Tries are dialogues with this many turns, and the rates are those of a turn. */
  turns?: number;
  /** Each reference has its own metric. */
  ownMetrics?: true;
  /** The largest drop that green allows; absent: the default. */
  tolerance?: number;
  /** Positions of critical references. */
  critical?: number[];
  /** First tries of critical references; absent: as many as the others. */
  criticalTries?: number;
  /** The number of first references that never get an answer on head. */
  silent?: number;
  /** Share of tries on either side without an answer. */
  errors?: number;
}

/** The effect of head on a reference: both sides' rates, by position and base's rate. */
export type Change = (position: number, rate: number) => { base: number; head: number };

export const nothing: Change = (_, rate) => ({ base: rate, head: rate });

/** Changes every rate by this much, within 0 and 1. */
export const moved =
  (by: number): Change =>
  (_, rate) => ({ base: rate, head: Math.min(1, Math.max(0, rate + by)) });

/** Moves the first `count` references from one rate to another. */
export const turned =
  (count: number, base: number, head: number): Change =>
  (position, rate) =>
    position < count ? { base, head } : { base: rate, head: rate };

/** The first five break, and the next five are fixed. */
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

/**
 * Jöhnk's method, in logarithms because small parameters give numbers outside the range of doubles.
 */
function beta(a: number, b: number, random: Random): number {
  for (;;) {
    const [x, y] = [Math.log(nextFloat(random)) / a, Math.log(nextFloat(random)) / b];
    const top = Math.max(x, y);
    const sum = Math.exp(x - top) + Math.exp(y - top);
    if (top + Math.log(sum) <= 0) return Math.exp(x - top) / sum;
  }
}
