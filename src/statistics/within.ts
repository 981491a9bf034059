/** Relative slack for numbers that are equal on paper but were summed in another order. */
const SLACK = 1e-9;

/**
 * Whether a p-value reaches a level. Exact tests attain their levels exactly, so rounding must not
 * decide a tie; a level of 0 is reached by nothing, also not by a p too small to be told from 0.
 */
export function within(p: number, level: number): boolean {
  return level > 0 && p <= level * (1 + SLACK);
}
