import { normalCdf, normalQuantile } from './normal.ts';

/** Where the normal density no longer matters, and the (even) number of steps of Simpson's rule up to there. */
const FAR = 8.5;
const STEPS = 400;

/**
 * One-sided levels for testing growing data twice, at a `fraction` of the data and at all of it, with total error
 * `alpha`: alpha·fraction² is spent at the first look, the rest at the second, counting the overlap by the joint normal
 * law of the two statistics (correlation √fraction). For tries 2 and 5 and alpha 0.04: 0.0064 and 0.0368.
 *
 * Source: spending functions of Lan and DeMets 1983, power family of Kim and DeMets 1987.
 */
export function twoLookLevels(alpha: number, fraction: number): { first: number; second: number } {
  const first = alpha * fraction ** 2;
  const bound = normalQuantile(1 - first);
  let [low, high] = [0, FAR];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (onlySecond(bound, middle, fraction) > alpha - first) low = middle;
    else high = middle;
  }
  return { first, second: normalCdf(-(low + high) / 2) };
}

/** P(Z1 < bound1 and Z2 >= bound2) for standard normals with correlation √fraction, by Simpson's rule over Z1. */
function onlySecond(bound1: number, bound2: number, fraction: number): number {
  const rest = Math.sqrt(1 - fraction);
  const density = (x: number): number =>
    (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * normalCdf((Math.sqrt(fraction) * x - bound2) / rest);
  const width = (bound1 + FAR) / STEPS;
  let sum = density(-FAR) + density(bound1);
  for (let i = 1; i < STEPS; i++) sum += (i % 2 === 1 ? 4 : 2) * density(-FAR + i * width);
  return (sum * width) / 3;
}
