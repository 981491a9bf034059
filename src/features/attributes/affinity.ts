import { z } from 'zod';
import { verdictOf } from '../../metrics/verdict.ts';
import {
  askForJson,
  singleLine,
  type AskTools,
  type GraderReply,
} from '../../trials/grader-question.ts';
import { PER_QUESTION } from './cost.ts';
import { foldName, ratedText, referenceText, type Attribute, type ReferenceText } from './text.ts';

export interface Ratings {
  /** By the attribute's id. */
  scored: ReadonlyMap<string, ScoredRating>;
  /** Why an attribute has no rating. Null if all have one. */
  missing: string | null;
}

export type RatingTools = AskTools & { task: string | null };

export function rateReference(
  reference: ReferenceText,
  attributes: readonly Attribute[],
  tools: RatingTools,
): Promise<Ratings> {
  return rateText(referenceText(reference), attributes, tools);
}

/** Uses the same prompt as for the expected answer, so that both ratings are comparable. */
export function rateAnswer(
  reference: ReferenceText,
  output: string,
  attributes: readonly Attribute[],
  tools: RatingTools,
): Promise<Ratings> {
  return rateText(ratedText(reference, output), attributes, tools);
}

async function rateText(
  text: string,
  attributes: readonly Attribute[],
  tools: RatingTools,
): Promise<Ratings> {
  const parts = Array.from({ length: Math.ceil(attributes.length / PER_QUESTION) }, (_, part) =>
    attributes.slice(part * PER_QUESTION, (part + 1) * PER_QUESTION),
  );
  const rated = await Promise.all(parts.map((part) => ratePart(text, part, tools)));
  return {
    scored: new Map(rated.flatMap(({ scored }) => [...scored])),
    missing: rated.map(({ missing }) => missing).find((why) => why !== null) ?? null,
  };
}

async function ratePart(
  text: string,
  attributes: readonly Attribute[],
  tools: RatingTools,
): Promise<Ratings> {
  const asked = await askRatings(text, attributes, tools);
  if (asked.status === 'failed') return { scored: new Map(), missing: asked.reason };
  const scored = usableRatings(asked.reply.ratings, attributes);
  const isWhole = scored.size === attributes.length;
  const said = asked.said ?? '';
  return { scored, missing: isWhole ? null : `the grader gave no rating from 1 to 5: ${said}` };
}

function askRatings(
  text: string,
  attributes: readonly Attribute[],
  tools: RatingTools,
): Promise<GraderReply<RatingReply>> {
  const usable = ({ ratings }: RatingReply) => usableRatings(ratings, attributes).size;
  const list = (kind: Attribute['kind']) =>
    attributes
      .filter((attribute) => attribute.kind === kind)
      .map(({ id, name, explanation }) => JSON.stringify({ id, name, explanation }))
      .join('\n');
  const [domains, subtasks] = [list('domain'), list('subtask')];
  return askForJson<RatingReply>(
    {
      purpose: 'qualeval',
      name: 'affinity',
      reply: ratingsSchema(attributes),
      isReadable: (reply) => usable(reply) > 0,
      isEnough: (reply) => usable(reply) === attributes.length,
      role: 'You rate, strictly and evenly, how a test case relates to given attributes.',
      materials: {
        task: tools.task ?? '',
        case: text,
        domains,
        'sub-tasks': subtasks,
      },
      text: [
        ...(tools.task === null ? [] : ['What the application does:\n{{task}}']),
        'The test case:\n{{case}}',
        ...(domains === ''
          ? []
          : [
              'How far does its input belong to each of these domains? 1: not at all, 3: in ' +
                'part, 5: entirely.\n{{domains}}',
            ]),
        ...(subtasks === ''
          ? []
          : [
              'How much of each of these sub-tasks does the answer take? 1: none of it, 3: ' +
                'some of it, 5: it stands or falls with it.\n{{sub-tasks}}',
            ]),
        'Give one rating for every id of the lists: first the evidence, which is what in the ' +
          'test case decides, in a few words; then the score.',
      ].join('\n'),
    },
    tools,
  );
}

interface RatingReply {
  ratings: unknown[];
}

function ratingsSchema([first, ...rest]: readonly Attribute[]) {
  const rating = z.object({
    id: z.enum([first?.id ?? '', ...rest.map(({ id }) => id)]),
    evidence: z.string(),
    score: z.literal([1, 2, 3, 4, 5]),
  });
  const { $schema: _, ...wanted } = z.toJSONSchema(rating);
  // Entries are validated one by one later, so that an invalid entry does not discard the others.
  return z.object({ ratings: z.array(z.unknown().meta(wanted)) });
}

export function ratingScore(ratings: Ratings | undefined, id: string): number | null {
  return ratings?.scored.get(id)?.score ?? null;
}

/**
 * If the ratings of an answer and of the expected answer differ by more than this, the answer uses
 * the skill differently (QualEval paper, appendix A.3).
 */
const SKILL_DISTANCE = 1;

/** Ratings of the expected and the actual answer, from 1 to 5. */
export interface SkillPair {
  reference: string;
  expected: number;
  output: number;
}

export function isOtherSkill({ expected, output }: SkillPair): boolean {
  return Math.abs(expected - output) > SKILL_DISTANCE;
}

export function misalignment(pairs: readonly SkillPair[]): number | null {
  return pairs.length === 0 ? null : pairs.filter(isOtherSkill).length / pairs.length;
}

/** How well an attribute fits a reference, from 1 (not at all) to 5 (entirely). */
interface ScoredRating {
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
