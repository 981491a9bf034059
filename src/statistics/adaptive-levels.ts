import { normalCdf, normalQuantile } from './distributions.ts';
import type { GateOptions } from './gate.ts';

/**
 * Where the normal density no longer matters, and the (even) number of steps of Simpson's rule up
 * to there.
 */
const FAR = 8.5;

const STEPS = 200;

const NEWTON_STEPS = 8;

/**
 * One-sided levels for testing growing data twice, at a `fraction` of the data and at all of it,
 * with total error `alpha`: alpha·fraction² is spent at the first look, the rest at the second,
 * counting the overlap by the joint normal law of the two statistics (correlation √fraction). For
 * tries 2 and 5 and alpha 0.04: 0.0064 and 0.0368. At alpha 0 both are 0: nothing is ever called.
 *
 * Source: spending functions of Lan and DeMets 1983, power family of Kim and DeMets 1987.
 */
export function twoLookLevels(alpha: number, fraction: number): { first: number; second: number } {
  if (alpha <= 0) return { first: 0, second: 0 };
  const first = alpha * fraction ** 2;
  const [bound, rest] = [normalQuantile(1 - first), Math.sqrt(1 - fraction)];
  // At this start too much is spent; the spending falls and is convex from there, so Newton's steps
  // only go up.
  let z = normalQuantile(1 - alpha);
  for (let i = 0; i < NEWTON_STEPS; i++) {
    const slope = density(z) * normalCdf((bound - Math.sqrt(fraction) * z) / rest);
    z += (onlySecond(bound, z, fraction) - (alpha - first)) / slope;
  }
  return { first, second: normalCdf(-z) };
}

/**
 * P(Z1 < bound1 and Z2 >= bound2) for standard normals with correlation √fraction, by Simpson's
 * rule over Z1.
 */
function onlySecond(bound1: number, bound2: number, fraction: number): number {
  const rest = Math.sqrt(1 - fraction);
  const integrand = (x: number): number =>
    density(x) * normalCdf((Math.sqrt(fraction) * x - bound2) / rest);
  const width = (bound1 + FAR) / STEPS;
  let sum = integrand(-FAR) + integrand(bound1);
  for (let i = 1; i < STEPS; i++) sum += (i % 2 === 1 ? 4 : 2) * integrand(-FAR + i * width);
  return (sum * width) / 3;
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * Tries a side in the first step, fresh tries of a suspect, and tries a side after the last step.
 */
export const SCREEN_TRIES = 2;

export const FRESH_TRIES = 5;

export const FULL_TRIES = 5;

/** Part of alpha for the suspects' confirmation; the two looks of the suite test share the rest. */
const CONFIRM_SHARE = 0.2;

/**
 * A suite whose mid-p is above this after the first step does not look worse; more tries would
 * rarely say otherwise.
 */
const FUTILE = 0.3;

/** One-sided levels of the adaptive policy. */
export interface AdaptiveLevels {
  /** The alpha they were made from. */
  alpha: number;
  /** Suite test on the screening tries. */
  screen: number;
  /** Confirmation of suspects on their fresh tries; 0 when only the suite counts. */
  confirm: number;
  /**
   * Suite mid-p above which sampling stops after the screening. Not an error level: it does not
   * depend on alpha.
   */
  futile: number;
  /** Suite test on the full number of tries. */
  extend: number;
}

/**
 * Alpha is split once, whatever its size (0.05, or less when several suites share it): a fifth for
 * the suspects, four fifths for the suite, spent on its two looks in proportion to the square of
 * the data (`twoLookLevels` at 2 of 5 tries). At 0.05: 0.0064, 0.01 and 0.0368. With `on: 'suite'`
 * the suite has all of it: 0.008 and 0.0462. Every level grows with alpha, which keeps alarms
 * nested for Holm's procedure.
 */
export function adaptiveLevels(alpha: number, on: GateOptions['on']): AdaptiveLevels {
  const confirm = on === 'suite' ? 0 : CONFIRM_SHARE * alpha;
  const { first, second } = twoLookLevels(alpha - confirm, SCREEN_TRIES / FULL_TRIES);
  return { alpha, screen: first, confirm, futile: FUTILE, extend: second };
}
