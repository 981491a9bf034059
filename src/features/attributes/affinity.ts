import { z } from 'zod';
import { askForJson, type AskTools, type GraderReply } from '../../trials/grader-question.ts';
import { PER_QUESTION } from './cost.ts';
import { usableRatings, type ScoredRating } from './read-ratings.ts';
import { ratedText, referenceText, type Attribute, type ReferenceText } from './text.ts';

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
