import { normalCdf, normalQuantile } from '../statistics/distributions.ts';
import { at } from '../statistics/sums.ts';

/** When to test a suite before all tries are made (a look), and what to conclude. */
export interface LookPlan {
  tries: readonly number[];
  /** After a share t of the tries, the looks may have spent t^power of alpha. */
  power: number;
  /** Above this p, more tries rarely reveal a drop. */
  futile: number;
  /**
   * One-sided levels of the intervals. Smaller than 5 %, because the errors of several looks add
   * up.
   */
  bounds: readonly number[];
}

const SMALL: LookPlan = {
  tries: [2, 3, 4, 5],
  power: 2,
  futile: 0.3,
  bounds: [0.02, 0.02, 0.025, 0.035],
};

const LARGE: LookPlan = {
  tries: [1, 2, 3, 4, 5],
  power: 1,
  futile: 0.1,
  bounds: [0.01, 0.01, 0.015, 0.02, 0.03],
};

/** For fixed tries, which are tested once. */
export const ONE_LOOK: LookPlan = { tries: [Infinity], power: 1, futile: 1, bounds: [0.05] };

/** From this many questions on, one try per side is enough for the first look. */
const LARGE_RUN = 100;

export function lookPlan(questions: number): LookPlan {
  return questions >= LARGE_RUN ? LARGE : SMALL;
}

export const FIRST_TRIES = 2;

export const MOST_TRIES = 5;

export function boundLevel(plan: LookPlan, tries: number): number {
  const last = plan.tries.findLastIndex((look) => look <= tries);
  return plan.bounds[Math.max(0, last)] ?? 0;
}

export function boundQuantile(plan: LookPlan, tries: number): number {
  return normalQuantile(1 - boundLevel(plan, tries));
}

/** The normal density is negligible beyond this many standard deviations. */
const DENSITY_LIMIT = 8.5;

const STEPS = 120;

const NEWTON_STEPS = 10;

/**
 * One-sided levels for the looks, with total error `alpha`. The looks up to t spend
 * alpha·(t/last)^power. The joint normal distribution accounts for their overlap. For 2, 3, 4, 5
 * tries, power 2 and alpha 0.04, the levels are 0.0064, 0.0112, 0.0188 and 0.0289. Each grows with
 * alpha, as Holm's procedure requires.
 *
 * Sources: Armitage, McPherson and Rowe 1969 (the recursion); Lan and DeMets 1983, Kim and DeMets
 * 1987 (the spending).
 */
export function lookLevels(
  alpha: number,
  plan: Pick<LookPlan, 'tries' | 'power'>,
): readonly number[] {
  const key = `${alpha} ${plan.power} ${plan.tries.join(' ')}`;
  const levels = LEVELS_CACHE.get(key) ?? spendAlpha(alpha, plan);
  LEVELS_CACHE.set(key, levels);
  return levels;
}

export function withLevels<Look>(
  looks: readonly Look[],
  alpha: number,
  plan: LookPlan,
): { look: Look; level: number }[] {
  const levels = lookLevels(alpha, plan);
  return looks.map((look, k) => ({ look, level: at(levels, k) }));
}

const LEVELS_CACHE = new Map<string, readonly number[]>();

function spendAlpha(
  alpha: number,
  { tries: looks, power }: Pick<LookPlan, 'tries' | 'power'>,
): number[] {
  const last = looks.at(-1);
  if (alpha <= 0 || last === undefined) return looks.map(() => 0);
  if (looks.length === 1) return [alpha];
  const levels: number[] = [];
  let before: BrownianDensity | null = null;
  let spent = 0;
  for (const tries of looks) {
    const time = tries / last;
    const share = alpha * time ** power - spent;
    const bound =
      before === null
        ? normalQuantile(1 - share) * Math.sqrt(time)
        : boundAt(before, time, share, normalQuantile(1 - alpha) * Math.sqrt(time));
    levels.push(normalCdf(-bound / Math.sqrt(time)));
    if (tries < last) before = walkOn(before, time, bound);
    spent += share;
  }
  return levels;
}

/**
 * A Brownian motion at `time` that has not crossed a bound: its density at evenly spaced points.
 */
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

/**
 * Finds the bound that is crossed at `time` with probability `share` and not before (Newton's
 * method).
 */
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
  return mass.reduce((sum, weight, i) => sum + weight * value(at(places, i)), 0);
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}
