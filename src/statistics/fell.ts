/** Keeps rounding from turning a fall of exactly `minDrop` into one just below it. */
const SLACK = 1e-12;

/**
 * Whether a mean difference (head − base; null: nothing compared) is a fall of at least `minDrop`.
 */
export function fell(difference: number | null, minDrop: number): boolean {
  return difference !== null && difference <= SLACK - minDrop;
}
