import type { Random } from '../../src/statistics/random.ts';
import { nextFloat, shuffle } from '../../src/statistics/random.ts';
import type { Tries } from '../../src/statistics/table.ts';
import type { Outcome } from '../../src/types/metric.ts';

/** Most tries a side that any rule looks at: two to screen and five fresh ones. */
const TRIES = 7;

/**
 * How noisy a suite is: the Beta law of its references' pass rates. Fitted to published repeated
 * runs at temperature 0 (118 model × task settings): near the quartiles of their try-to-try
 * variance, and free-form or judged output.
 */
export const NOISE = { quiet: [0.136, 0.034], typical: [0.4, 0.1], noisy: [1.4, 0.6] } as const;
export type Noise = keyof typeof NOISE;

/**
 * What the edit did: nothing, every reference `drop` worse, or references broken outright until the
 * mean fell by `drop`.
 */
export type Effect =
  { kind: 'nothing' } | { kind: 'everywhere'; drop: number } | { kind: 'broken'; drop: number };

/**
 * Pass rates of every reference, before and after; null when the suite has less to lose than the
 * effect takes.
 */
export function drawRates(
  references: number,
  noise: Noise,
  effect: Effect,
  random: Random,
): { base: number[]; head: number[] } | null {
  const [a, b] = NOISE[noise];
  const base = Array.from({ length: references }, () => beta(a, b, random));
  if (effect.kind === 'nothing') return { base, head: base };
  const loss = effect.drop * references;
  if (base.reduce((sum, rate) => sum + rate, 0) < loss) return null;
  return {
    base,
    head: effect.kind === 'everywhere' ? lowered(base, loss) : broken(base, loss, random),
  };
}

export function drawTries(
  { base, head }: { base: number[]; head: number[] },
  random: Random,
): Tries[] {
  const side = (rate: number): Outcome[] =>
    Array.from({ length: TRIES }, () => (nextFloat(random) < rate ? 'pass' : 'fail'));
  return base.map((rate, i) => ({ base: side(rate), head: side(head[i]!) }));
}

/** Jöhnk's method, in logarithms since a small parameter makes numbers that doubles cannot hold. */
function beta(a: number, b: number, random: Random): number {
  for (;;) {
    const [x, y] = [Math.log(nextFloat(random)) / a, Math.log(nextFloat(random)) / b];
    const top = Math.max(x, y);
    const sum = Math.exp(x - top) + Math.exp(y - top);
    if (top + Math.log(sum) <= 0) return Math.exp(x - top) / sum;
  }
}

/** Every rate falls by the same amount, not below 0, so that all of them together lose `loss`. */
function lowered(rates: number[], loss: number): number[] {
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (rates.reduce((sum, rate) => sum + Math.min(rate, middle), 0) < loss) low = middle;
    else high = middle;
  }
  return rates.map((rate) => Math.max(0, rate - high));
}

/** References fall to 0 in random order, those that mostly pass first, until `loss` is lost. */
function broken(rates: number[], loss: number, random: Random): number[] {
  const order = shuffle([...rates.keys()], random).sort(
    (i, j) => Number(rates[j]! >= 0.5) - Number(rates[i]! >= 0.5),
  );
  const head = [...rates];
  let left = loss;
  for (const i of order) {
    const taken = Math.min(rates[i]!, left);
    head[i] = rates[i]! - taken;
    left -= taken;
    if (left <= 1e-12) break;
  }
  return head;
}
