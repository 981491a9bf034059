import { z } from 'zod';
import { parseObject, verdictOf } from '../../metrics/verdict.ts';
import { singleLine } from '../../trials/grader-question.ts';
import { foldName, type Attribute } from './text.ts';

interface Scored {
  status: 'scored';
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
): Map<string, Scored> {
  const idOf = idReader(attributes);
  const found = new Map<string, Scored>();
  const torn = new Set<string>();
  for (const entry of given) {
    const read = ratingSchema.safeParse(entry);
    const id = read.success ? idOf(read.data.id) : null;
    if (!read.success || id === null) continue;
    const { score, evidence } = read.data;
    const earlier = found.get(id);
    if (earlier !== undefined && earlier.score !== score) torn.add(id);
    else
      found.set(id, { status: 'scored', score, evidence: singleLine(evidence, EVIDENCE_LENGTH) });
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

/**
 * QualEval's form: `[Domain 1: rivers, Score: 4, Evidence: it names the Danube]`. Lengths are
 * limited, because models may repeat themselves endlessly.
 */
const BRACKETS =
  /\[(?:[^\][:\n]*:)?\s*(?=\S)([^\][\n]{1,200}?)\s*[,;]\s*Score:\s*(?=\S)([^\][,;\n]{1,20}?)\s*(?:[,;]\s*(?:Evidence:)?([^\][]*))?(?:\]|$)/gim;

/** Longer lines are not ratings. */
const LINE_LENGTH = 300;

/** Parses `- rivers: 4` or `1. "rivers" = 4/5,`. */
function lineRating(line: string) {
  const at = line.search(/[:=]/);
  if (at < 0 || line.length > LINE_LENGTH) return null;
  const bare = (text: string) => text.replace(/^[\s"`*-]+|[\s"`*,]+$/g, '');
  const id = bare(bare(line.slice(0, at)).replace(/^\d+[.)]/, ''));
  return { id, score: bare(line.slice(at + 1)), evidence: '' };
}

export function looseRatings(output: string): unknown[] {
  const objects = [...output.matchAll(/\{[^{}]*\}/g)].flatMap(([text]) => parseObject(text) ?? []);
  if (objects.length > 0) return objects;
  const rows = [...output.matchAll(BRACKETS)];
  return rows.length > 0
    ? rows.map(([, id, score, evidence = '']) => ({ id, score, evidence }))
    : output.split('\n').flatMap((line) => lineRating(line) ?? []);
}
