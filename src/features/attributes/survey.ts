import type { AskTools } from '../../trials/grader-question.ts';
import type { Side } from '../../types/plain.ts';
import {
  misalignment,
  rateAnswer,
  rateReference,
  ratingScore,
  type Ratings,
  type RatingTools,
  type SkillPair,
} from './affinity.ts';
import { assign, type AssignTools, type Assignment, priorsOf } from './assignment-program.ts';
import { discover, discoveryNotes } from './discover.ts';
import type { AttributeRating, AttributeResult } from './result.ts';
import {
  KINDS,
  attributeLimit,
  shownExpected,
  type Attribute,
  type ReferenceText,
} from './text.ts';

interface SurveyReference extends ReferenceText {
  answers: Record<Side, string | null>;
}

type Answers = Record<Side, ReadonlyMap<string, Ratings>>;

interface FoundAttributes {
  attributes: readonly Attribute[];
  task: string | null;
}

interface SurveyOptions {
  pinned: FoundAttributes | null;
  prompt: string;
  most: number;
  slack: number;
  seed: number;
  alignment: boolean;
}

/** An attribute of the result, before its references are compared. */
export interface Surveyed
  extends Attribute, Pick<AttributeResult, 'affinity_mean' | 'prior' | 'assigned' | 'alignment'> {
  ratings: AttributeRating[];
  skills: Record<Side, SkillPair[]> | null;
}

export interface Survey {
  surveyed: Surveyed[];
  notes: string[];
}

/** A reference has the same attributes on base and head. */
export async function survey(
  references: readonly SurveyReference[],
  options: SurveyOptions,
  tools: AskTools & AssignTools,
): Promise<Survey> {
  const notes: string[] = [];
  const discovered = options.pinned === null ? await discover(references, options, tools) : null;
  if (discovered !== null) notes.push(...discoveryNotes(discovered));
  const { attributes, task } = discovered ?? dropTooLong(options, references.length, notes);
  if (attributes.length === 0) return { surveyed: [], notes };
  const rating = { ...tools, task };
  const ratings = await rateReferences(references, attributes, rating, notes);
  if (ratings === null) return { surveyed: [], notes };
  const answers = options.alignment
    ? await rateAnswers(references, attributes, ratings, rating, notes)
    : null;
  const surveyed: Surveyed[] = [];
  for (const { kind, words } of KINDS) {
    const own = attributes.filter((attribute) => attribute.kind === kind);
    const means = { words, slack: options.slack, tools, notes };
    surveyed.push(...(await surveyKind(own, ratings, answers, means)));
  }
  return { surveyed, notes };
}

/** The attributes file may be for a larger suite. A kind with too many attributes is not used. */
function dropTooLong(
  { pinned: written, most }: SurveyOptions,
  references: number,
  notes: string[],
): FoundAttributes {
  const { attributes: pinned, task } = written ?? { attributes: [], task: null };
  const limit = attributeLimit(references, most);
  const attributes = KINDS.flatMap(({ kind, words }) => {
    const own = pinned.filter((attribute) => attribute.kind === kind);
    if (own.length <= limit) return own;
    notes.push(
      `${own.length} pinned ${words} are more ` +
        `than ${references} references allow (${limit}), so they were not ` +
        'used here',
    );
    return [];
  });
  return { attributes, task };
}

async function surveyKind(
  attributes: readonly Attribute[],
  ratings: ReadonlyMap<string, Ratings>,
  answers: Answers | null,
  {
    words,
    slack,
    tools,
    notes,
  }: { words: string; slack: number; tools: AssignTools; notes: string[] },
): Promise<Surveyed[]> {
  const columns = priorsOf(attributes, ({ id }) =>
    [...ratings.values()].flatMap((own) => ratingScore(own, id) ?? []),
  ).flatMap(({ column: attribute, mean, prior }) =>
    mean === null ? [] : [{ attribute, mean, prior }],
  );
  if (columns.length === 0) return [];
  const rated = [...ratings]
    .map(([id, own]) => ({
      id,
      affinities: columns.map(({ attribute }) => ratingScore(own, attribute.id)),
    }))
    .filter(({ affinities }) => affinities.some((affinity) => affinity !== null));
  const assignment = await assign(
    rated,
    columns.map(({ attribute: { id }, prior }) => ({ id, prior })),
    { slack },
    tools,
  );
  notes.push(...assignmentNotes(assignment, words, columns.length));
  if (assignment.status === 'failed') return [];
  return columns.map(({ attribute, mean, prior }) => {
    const skills =
      answers === null || attribute.kind === 'domain'
        ? null
        : skillPairs(attribute.id, ratings, answers);
    return {
      ...attribute,
      affinity_mean: mean,
      prior,
      skills,
      ratings: rated.map(({ id: reference }) => {
        const { score, evidence = '' } = ratings.get(reference)?.scored.get(attribute.id) ?? {};
        return { reference, affinity: score ?? null, evidence };
      }),
      assigned: rated.flatMap(({ id }) =>
        assignment.attributes.get(id)?.includes(attribute.id) === true ? id : [],
      ),
      alignment:
        skills === null
          ? null
          : {
              base: misalignment(skills.base),
              head: misalignment(skills.head),
            },
    };
  });
}

/** Keeps references rated on both sides, or all if only one side ran. */
function skillPairs(
  attribute: string,
  ratings: ReadonlyMap<string, Ratings>,
  answers: Answers,
): Record<Side, SkillPair[]> {
  const scoreOn = (side: Side, reference: string) =>
    ratingScore(answers[side].get(reference), attribute);
  const pairs = (side: Side, other: Side) =>
    [...answers[side].keys()].flatMap((reference) => {
      const expected = ratingScore(ratings.get(reference), attribute);
      const output = scoreOn(side, reference);
      const isLeft = answers[other].size > 0 && scoreOn(other, reference) === null;
      return isLeft || expected === null || output === null
        ? []
        : [{ reference, expected, output }];
    });
  return { base: pairs('base', 'head'), head: pairs('head', 'base') };
}

function assignmentNotes(assignment: Assignment, what: string, columns: number): string[] {
  if (assignment.status === 'failed')
    return [`${what} could not be assigned: ${assignment.reason}`];
  const { outsideBand, left } = assignment;
  return [
    ...(outsideBand === 0
      ? []
      : [
          `${outsideBand} of ${columns} ${what} exceed qualeval.slack, ` +
            'because there are too few references',
        ]),
    ...(left.length === 0
      ? []
      : [`${what} were assigned by the fallback solver: ${left.join('; ')}`]),
  ];
}

/** With more unrated references, the rated ones do not represent the suite. */
const MAX_UNRATED_SHARE = 0.1;

async function rateReferences(
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
  const missing = missingRatings([...ratings.values()], attributes.length);
  if (missing.unrated > MAX_UNRATED_SHARE * ratings.size) {
    notes.push(
      `attributes were not computed: ${missing.unrated} of ${ratings.size} ` +
        `references could not be rated (${missing.reason})`,
    );
    return null;
  }
  if (missing.partly > 0)
    notes.push(
      `${missing.partly} of ${ratings.size} references are not fully rated: ${missing.reason}`,
    );
  return ratings;
}

async function rateAnswers(
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
  const { unrated, reason } = missingRatings(all, subtasks.length);
  if (unrated <= MAX_UNRATED_SHARE * all.length) return answers;
  notes.push(
    `the skill alignment was not computed: ${unrated} of ${all.length} ` +
      `answers could not be rated (${reason})`,
  );
  return null;
}

function missingRatings(all: readonly Ratings[], wanted: number) {
  const partly = all.filter(({ scored }) => scored.size < wanted);
  return {
    partly: partly.length,
    unrated: partly.filter(({ scored }) => scored.size === 0).length,
    reason: partly[0]?.missing ?? '',
  };
}
