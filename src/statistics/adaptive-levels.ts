import type { GateOptions } from './gate.ts';
import { twoLookLevels } from './two-looks.ts';

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
