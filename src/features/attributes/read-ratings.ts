import { z } from 'zod';
import { verdictOf } from '../../metrics/verdict.ts';
import { singleLine } from '../../trials/grader-question.ts';
import { foldName, type Attribute } from './text.ts';

/** How well an attribute fits a reference, from 1 (not at all) to 5 (entirely). */
export interface ScoredRating {
  score: number;
  evidence: string;
}

/** In UTF-16 units. */
const EVIDENCE_LENGTH = 300;

const SCORES = ['1', '2', '3', '4', '5'];

/** Reads `4`, `4.0`, `4/5` or `4 out of 5`. */
const lenientScore = z
  .unknown()
  .transform((given) => Number(verdictOf(given, SCORES) ?? NaN))
  .pipe(z.int());

const ratingSchema = z.object({
  id: z.string(),
  score: lenientScore,
  evidence: z.string().catch(''),
});

/** Keeps integers from 1 to 5. Drops contradictory ratings of an attribute. */
export function usableRatings(
  given: readonly unknown[],
  attributes: readonly Attribute[],
): Map<string, ScoredRating> {
  const idOf = idReader(attributes);
  const found = new Map<string, ScoredRating>();
  const torn = new Set<string>();
  for (const entry of given) {
    const read = ratingSchema.safeParse(entry);
    const id = read.success ? idOf(read.data.id) : null;
    if (!read.success || id === null) continue;
    const { score, evidence } = read.data;
    const earlier = found.get(id);
    if (earlier !== undefined && earlier.score !== score) torn.add(id);
    else found.set(id, { score, evidence: singleLine(evidence, EVIDENCE_LENGTH) });
  }
  for (const id of torn) found.delete(id);
  return found;
}

/** Models may write a name instead of an id. */
function idReader(attributes: readonly Attribute[]): (written: string) => string | null {
  const ids = new Map(attributes.map(({ id, name }) => [foldName(name), id]));
  for (const { id } of attributes) ids.set(foldName(id), id);
  return (written) => ids.get(foldName(written)) ?? null;
}
