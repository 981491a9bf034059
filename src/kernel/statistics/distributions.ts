import { at } from './sums.ts';

/** `mass` has the probabilities of `low`, `low + 1`, … */
export interface Distribution {
  low: number;
  mass: Float64Array;
}

/**
 * Convolutions omit smaller tails. 5,000 items need at most 10,000 such cuts, so a tail probability
 * is off by less than 1e-35.
 */
const NEGLIGIBLE = 1e-40;

export function certain(value: number): Distribution {
  return { low: value, mass: Float64Array.of(1) };
}

function convolve(left: Distribution, right: Distribution): Distribution {
  const [long, short] =
    left.mass.length >= right.mass.length ? [left.mass, right.mass] : [right.mass, left.mass];
  const mass = new Float64Array(long.length + short.length - 1);
  short.forEach((weight, shift) => {
    for (let i = 0; i < long.length; i++)
      mass[i + shift] = at(mass, i + shift) + weight * at(long, i);
  });
  return trim({ low: left.low + right.low, mass });
}

export function times(distribution: Distribution, count: number): Distribution {
  let result = certain(0);
  let square = distribution;
  for (let left = count; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = convolve(result, square);
    if (left > 1) square = convolve(square, square);
  }
  return result;
}

/** Adds pairs of similar width, because a running sum would take quadratic time. */
export function sumDistributions(distributions: readonly Distribution[]): Distribution {
  let round = [...distributions];
  while (round.length > 1) {
    const next: Distribution[] = [];
    for (let i = 0; i < round.length; i += 2) {
      const left = round[i] ?? certain(0);
      const right = round[i + 1];
      next.push(right === undefined ? left : convolve(left, right));
    }
    round = next;
  }
  return round[0] ?? certain(0);
}

export function tails(
  { low, mass }: Distribution,
  x: number,
): { below: number; at: number; above: number } {
  let below = 0;
  let at = 0;
  let above = 0;
  mass.forEach((probability, i) => {
    if (low + i < x) below += probability;
    else if (low + i === x) at += probability;
    else above += probability;
  });
  return { below, at, above };
}

export function trim({ low, mass }: Distribution): Distribution {
  let start = 0;
  let end = mass.length;
  for (let cut = mass[start] ?? 1; cut < NEGLIGIBLE; cut += mass[start] ?? 1) start++;
  for (let cut = mass[end - 1] ?? 1; cut < NEGLIGIBLE; cut += mass[end - 1] ?? 1) end--;
  return start === 0 && end === mass.length
    ? { low, mass }
    : { low: low + start, mass: mass.slice(start, end) };
}

/** P(Z <= z) of the standard normal: ½ erfc(−z/√2). Absolute error below 1e-14. */
export function normalCdf(z: number): number {
  return erfc(-z / Math.SQRT2) / 2;
}

export function normalQuantile(p: number): number {
  if (p <= 0) return -Infinity;
  if (p >= 1) return Infinity;
  if (p > 0.5) return -normalQuantile(1 - p);
  const z = QUANTILES.get(p) ?? lowerQuantile(p);
  QUANTILES.set(p, z);
  return z;
}

const QUANTILES = new Map<number, number>();

/** Halley's iteration on `normalCdf`, for p up to ½. */
function lowerQuantile(p: number): number {
  let z = p < 0.02 ? -0.9 * Math.sqrt(-2 * Math.log(p)) : 2.5 * (p - 0.5);
  for (let i = 0; i < 60; i++) {
    const newton = (normalCdf(z) - p) * Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2);
    const step = newton / (1 + (z * newton) / 2);
    z -= Math.abs(step) > 1 ? Math.sign(step) : step;
    if (Math.abs(step) < 1e-14) break;
  }
  return z;
}

function erfc(x: number): number {
  if (x < 0) return 2 - erfc(-x);
  if (x >= 2.5) {
    let fraction = 0;
    for (let k = 120; k >= 1; k--) fraction = k / 2 / (x + fraction);
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
  }
  let term = x;
  let sum = x;
  for (let n = 1; n < 100; n++) {
    term *= (-x * x) / n;
    const part = term / (2 * n + 1);
    sum += part;
    if (Math.abs(part) < 1e-18) break;
  }
  return 1 - (2 / Math.sqrt(Math.PI)) * sum;
}
