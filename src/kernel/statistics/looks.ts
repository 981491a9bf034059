import { normalCdf, normalQuantile } from './distributions.ts';

/** Tries per side after which a sequential suite is looked at. */
export const LOOKS: readonly number[] = [2, 3, 4, 5];

export const FIRST_TRIES = 2;

export const MOST_TRIES = 5;

/**
 * One-sided levels of the bound reported after a look. A suite stops once its bound is good enough,
 * so bounds with errors of 3.5 and 5 % would be wrong in 7 % of runs. With these it is 5.8 % in the
 * limit of many references, about 5 % by simulation, since some of these suites turn red first.
 * Early levels are strict because most suites stop there.
 */
const BOUND_LEVELS = new Map([
  [2, 0.02],
  [3, 0.02],
  [4, 0.025],
  [5, 0.035],
]);

export function boundQuantile(tries: number): number {
  return normalQuantile(1 - (BOUND_LEVELS.get(Math.min(tries, MOST_TRIES)) ?? 0.02));
}

/** Where the normal density becomes negligible, and the (even) number of Simpson steps. */
const DENSITY_LIMIT = 8.5;

const STEPS = 120;

const NEWTON_STEPS = 10;

/**
 * One-sided levels for looks at growing data after `looks` tries, with total error `alpha`: the
 * look at t spends up to alpha·(t/last)², accounting for overlap by the joint normal distribution
 * (a sum of independent steps). At alpha 0 all are 0. For 2, 3, 4, 5 tries and alpha 0.04 they are
 * 0.0064, 0.0112, 0.0188 and 0.0289. Every level grows with alpha, so alarms are nested for Holm's
 * procedure.
 *
 * Source: Armitage, McPherson and Rowe 1969 (the recursion); Lan and DeMets 1983, power family of
 * Kim and DeMets 1987 (the spending).
 */
export function lookLevels(alpha: number, looks: readonly number[] = LOOKS): readonly number[] {
  const key = `${String(alpha)} ${looks.join(' ')}`;
  const levels = LEVELS_CACHE.get(key) ?? spendAlpha(alpha, looks);
  LEVELS_CACHE.set(key, levels);
  return levels;
}

/** Cached: a run uses few levels many times, and each takes milliseconds. */
const LEVELS_CACHE = new Map<string, readonly number[]>();

function spendAlpha(alpha: number, looks: readonly number[]): number[] {
  const last = looks.at(-1);
  if (alpha <= 0 || last === undefined) return looks.map(() => 0);
  const levels: number[] = [];
  let before: BrownianDensity | null = null;
  let spent = 0;
  for (const tries of looks) {
    const time = tries / last;
    const share = alpha * time ** 2 - spent;
    const bound: number =
      before === null
        ? normalQuantile(1 - share) * Math.sqrt(time)
        : boundAt(before, time, share, normalQuantile(1 - alpha) * Math.sqrt(time));
    levels.push(normalCdf(-bound / Math.sqrt(time)));
    if (tries < last) before = walkOn(before, time, bound);
    spent += share;
  }
  return levels;
}

/** The density of Brownian motion at `time`, at evenly spaced points up to the uncrossed bound. */
interface BrownianDensity {
  time: number;
  places: Float64Array;
  /** Density times Simpson's weight. */
  mass: Float64Array;
}

function walkOn(before: BrownianDensity | null, time: number, bound: number): BrownianDensity {
  const from = -DENSITY_LIMIT * Math.sqrt(time);
  const width = (bound - from) / STEPS;
  const places = Float64Array.from({ length: STEPS + 1 }, (_, i) => from + i * width);
  const mass = places.map((place, i) => {
    const weight = i === 0 || i === STEPS ? 1 : i % 2 === 1 ? 4 : 2;
    return ((weight * width) / 3) * densityAt(before, time, place);
  });
  return { time, places, mass };
}

function densityAt(before: BrownianDensity | null, time: number, place: number): number {
  if (before === null) return density(place / Math.sqrt(time)) / Math.sqrt(time);
  const step = Math.sqrt(time - before.time);
  return integrate(before, (from) => density((place - from) / step) / step);
}

/** The bound first crossed at `time` with probability `share`; Newton's method from `start`. */
function boundAt(before: BrownianDensity, time: number, share: number, start: number): number {
  const step = Math.sqrt(time - before.time);
  let bound = start;
  for (let i = 0; i < NEWTON_STEPS; i++) {
    const crossing = integrate(before, (from) => normalCdf((from - bound) / step));
    bound += (crossing - share) / densityAt(before, time, bound);
  }
  return bound;
}

function integrate({ places, mass }: BrownianDensity, value: (place: number) => number): number {
  return mass.reduce((sum, weight, i) => sum + weight * value(places[i] ?? 0), 0);
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}
