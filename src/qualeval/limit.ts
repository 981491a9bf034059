/** Attributes of a kind that each reference gets, where there are as many. */
export const PER_REFERENCE = 2;
/** References an attribute must have on average, lest its figures say nothing. */
const REFERENCES_PER_ATTRIBUTE = 4;
/** Fewer references are not assigned at all. */
export const FEWEST_REFERENCES = 8;

/**
 * How many attributes of one kind that many references can bear: min(most, ⌊kN/4⌋) with k = 2, and
 * at least 1.
 */
export function attributeLimit(references: number, most: number): number {
  return Math.max(
    1,
    Math.min(most, Math.floor((PER_REFERENCE * references) / REFERENCES_PER_ATTRIBUTE)),
  );
}
