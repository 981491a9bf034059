import type { Side } from '../../types/plain.ts';
import { rateAnswer, rateReference, type Ratings, type RatingTools } from './affinity.ts';
import { shownExpected, type Attribute, type ReferenceText } from './text.ts';

export interface SurveyReference extends ReferenceText {
  answers: Record<Side, string | null>;
}

export type Answers = Record<Side, ReadonlyMap<string, Ratings>>;

/** With more unrated references, the rated ones do not represent the suite. */
const MAX_UNRATED_SHARE = 0.1;

export async function rateReferences(
  references: readonly SurveyReference[],
  attributes: readonly Attribute[],
  tools: RatingTools,
  notes: string[],
): Promise<ReadonlyMap<string, Ratings> | null> {
  const ratings = new Map(
    await Promise.all(
      references.map(async (reference): Promise<[string, Ratings]> => [
        reference.id,
        await rateReference(reference, attributes, tools),
      ]),
    ),
  );
  const missing = missingRatings(ratings.values());
  if (missing.unrated > MAX_UNRATED_SHARE * ratings.size) {
    notes.push(
      `attributes were not computed: ${missing.unrated} of ${ratings.size} ` +
        `references could not be rated (${missing.reason})`,
    );
    return null;
  }
  if (missing.partly > 0)
    notes.push(
      `${missing.partly} of ${ratings.size} references are not fully rated: ` + `${missing.reason}`,
    );
  return ratings;
}

export async function rateAnswers(
  references: readonly SurveyReference[],
  attributes: readonly Attribute[],
  expected: ReadonlyMap<string, Ratings>,
  tools: RatingTools,
  notes: string[],
): Promise<Answers | null> {
  const subtasks = attributes.filter(({ kind }) => kind === 'subtask');
  const rated = async (side: Side) => {
    const entries = references.map(async (reference): Promise<[string, Ratings][]> => {
      const answer = reference.answers[side];
      const wanted = shownExpected(reference.expected);
      if (answer === null || wanted === null || subtasks.length === 0) return [];
      const ratings =
        answer === wanted
          ? expected.get(reference.id)
          : await rateAnswer(reference, answer, subtasks, tools);
      return ratings === undefined ? [] : [[reference.id, ratings]];
    });
    return new Map((await Promise.all(entries)).flat());
  };
  const [base, head] = await Promise.all([rated('base'), rated('head')]);
  const answers = { base, head };
  const all = [...answers.base.values(), ...answers.head.values()];
  const { unrated, reason } = missingRatings(all);
  if (unrated <= MAX_UNRATED_SHARE * all.length) return answers;
  notes.push(
    `the skill alignment was not computed: ${unrated} of ${all.length} ` +
      `answers could not be rated (${reason})`,
  );
  return null;
}

function missingRatings(all: Iterable<Ratings>) {
  const found = { partly: 0, unrated: 0, reason: '' };
  for (const ratings of all) {
    const unscored = [...ratings.values()].flatMap((rating) =>
      rating.status === 'unscored' ? [rating.reason] : [],
    );
    if (unscored.length === 0) continue;
    found.partly += 1;
    if (unscored.length === ratings.size) found.unrated += 1;
    if (found.partly === 1) found.reason = unscored[0] ?? '';
  }
  return found;
}
