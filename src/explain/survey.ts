import {
  attributeLimit,
  expectedText,
  type Attribute,
  type ReferenceText,
} from '../suite/attributes.ts';
import type { Side } from '../types/plain.ts';
import {
  inCommon,
  misalignment,
  rateAnswer,
  rateReference,
  scoreOf,
  type Ratings,
  type SkillPair,
} from './affinity.ts';
import type { AskTools } from './ask.ts';
import { assign, type AssignTools, type Assignment } from './assign.ts';
import { priorsOf } from './assignment-program.ts';
import { discover } from './discover.ts';

/**
 * A reference to survey, with the answer of each side that its skills are read from; null where
 * there is none, or none that counts.
 */
interface SurveyReference extends ReferenceText {
  answers: Record<Side, string | null>;
}

interface SurveyOptions {
  /** Attributes that people chose; null: discovered. */
  pinned: readonly Attribute[] | null;
  most: number;
  slack: number;
  seed: number;
  /** Whether the answers' affinities with the sub-tasks are asked for too. */
  alignment: boolean;
}

/** An attribute with what was found out about it, verdicts aside. */
export interface Surveyed {
  attribute: Attribute;
  affinityMean: number;
  prior: number;
  /** References it was assigned to, each with its affinity, 1–5; null where that is unscored. */
  references: { id: string; affinity: number | null }[];
  /**
   * Per side, the affinities of expected and given answers; null where alignment was not asked for.
   */
  skills: Record<Side, SkillPair[]> | null;
  alignment: { base: number | null; head: number | null } | null;
}

export interface Survey {
  surveyed: Surveyed[];
  /** What a reader must know about how this came about. */
  notes: string[];
}

/**
 * Attributes of a set of references, and which references have which: found or pinned, rated,
 * assigned. The set is both sides' references together, so that both are measured by the same
 * assignment.
 */
export async function survey(
  references: readonly SurveyReference[],
  options: SurveyOptions,
  tools: AskTools & AssignTools,
): Promise<Survey> {
  const notes: string[] = [];
  const attributes =
    options.pinned === null
      ? await discovered(references, options, tools, notes)
      : bearable(options.pinned, references.length, options.most, notes);
  if (attributes.length === 0) return { surveyed: [], notes };
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
      `attributes were not worked out: ${String(missing.unrated)} of ${String(ratings.size)} references could not be rated (${missing.reason})`,
    );
    return { surveyed: [], notes };
  }
  if (missing.partly > 0)
    notes.push(
      `${String(missing.partly)} of ${String(ratings.size)} references are not fully rated: ${missing.reason}`,
    );
  const answers = options.alignment
    ? reliable(await ratedAnswers(references, attributes, ratings, tools), notes)
    : null;
  const surveyed: Surveyed[] = [];
  for (const kind of ['domain', 'subtask'] as const) {
    const own = attributes.filter((one) => one.kind === kind);
    surveyed.push(
      ...(await surveyKind(own, ratings, answers, { slack: options.slack, tools, notes })),
    );
  }
  return { surveyed, notes };
}

async function discovered(
  references: readonly SurveyReference[],
  { most, seed }: SurveyOptions,
  tools: AskTools,
  notes: string[],
): Promise<Attribute[]> {
  const {
    attributes,
    failures: { failed, asked, reason },
    dropped,
  } = await discover(references, { most, seed }, tools);
  if (failed > 0)
    notes.push(
      `attributes come from a part of the references: ${String(failed)} of ${String(asked)} questions about them failed (${reason ?? 'no reply'})`,
    );
  if (dropped.length > 0)
    notes.push(
      `more attributes were found than can be shown; left out: ${dropped.slice(0, 5).join(', ')}${dropped.length > 5 ? ` and ${String(dropped.length - 5)} more` : ''}`,
    );
  if (attributes.length === 0 && failed === 0)
    notes.push('no attributes were found in the references');
  return attributes;
}

/**
 * Pinned lists that are too long for this suite (they may be shared with a larger one) are not
 * used.
 */
function bearable(
  pinned: readonly Attribute[],
  references: number,
  most: number,
  notes: string[],
): Attribute[] {
  const limit = attributeLimit(references, most);
  return (['domain', 'subtask'] as const).flatMap((kind) => {
    const own = pinned.filter((one) => one.kind === kind);
    if (own.length <= limit) return own;
    notes.push(
      `${String(own.length)} pinned ${kind === 'domain' ? 'domains' : 'sub-tasks'} are more than ${String(references)} references can bear (${String(limit)}), so they were not used here`,
    );
    return [];
  });
}

/**
 * More than this share without any rating, as when calls end on the way, and what the rest shows is
 * not the suite.
 */
const MAX_UNRATED_SHARE = 0.1;

/** How many lack some rating, how many have none at all, and why the first one does. */
function missingRatings(all: Iterable<Ratings>): {
  partly: number;
  unrated: number;
  reason: string;
} {
  const found = { partly: 0, unrated: 0, reason: '' };
  for (const ratings of all) {
    const unscored = [...ratings.values()].flatMap((one) =>
      one.status === 'unscored' ? [one.reason] : [],
    );
    if (unscored.length === 0) continue;
    found.partly += 1;
    if (unscored.length === ratings.size) found.unrated += 1;
    if (found.partly === 1) found.reason = unscored[0] ?? '';
  }
  return found;
}

/**
 * Rated answers, unless too many of them could not be rated; then the alignment is left out, and a
 * note says why.
 */
function reliable(answers: Answers, notes: string[]): Answers | null {
  const all = [...answers.base.values(), ...answers.head.values()];
  const { unrated, reason } = missingRatings(all);
  if (unrated <= MAX_UNRATED_SHARE * all.length) return answers;
  notes.push(
    `the skill alignment was not worked out: ${String(unrated)} of ${String(all.length)} answers could not be rated (${reason})`,
  );
  return null;
}

type Answers = Record<Side, ReadonlyMap<string, Ratings>>;

async function ratedAnswers(
  references: readonly SurveyReference[],
  attributes: readonly Attribute[],
  expected: ReadonlyMap<string, Ratings>,
  tools: AskTools,
): Promise<Answers> {
  const subtasks = attributes.filter(({ kind }) => kind === 'subtask');
  const ratingsOf = async (
    reference: SurveyReference,
    answer: string | null,
  ): Promise<Ratings | null> => {
    const wanted = expectedText(reference.expected);
    // Nothing to compare with where no answer is expected, and nothing to ask where it is the
    // expected one.
    if (answer === null || wanted === null || subtasks.length === 0) return null;
    return answer === wanted
      ? (expected.get(reference.id) ?? null)
      : rateAnswer(reference, answer, subtasks, tools);
  };
  const rated = async (side: Side): Promise<ReadonlyMap<string, Ratings>> =>
    new Map(
      (
        await Promise.all(
          references.map(async (reference): Promise<[string, Ratings][]> => {
            const ratings = await ratingsOf(reference, reference.answers[side]);
            return ratings === null ? [] : [[reference.id, ratings]];
          }),
        )
      ).flat(),
    );
  const [base, head] = await Promise.all([rated('base'), rated('head')]);
  return { base, head };
}

interface KindTools {
  slack: number;
  tools: AssignTools;
  notes: string[];
}

async function surveyKind(
  attributes: readonly Attribute[],
  ratings: ReadonlyMap<string, Ratings>,
  answers: Answers | null,
  { slack, tools, notes }: KindTools,
): Promise<Surveyed[]> {
  const rows = [...ratings]
    .map(([id, rated]) => ({
      id,
      affinities: attributes.map((attribute) => scoreOf(rated, attribute.id)),
    }))
    .filter(({ affinities }) => affinities.some((affinity) => affinity !== null));
  const priors = priorsOf(
    rows.map(({ affinities }) => affinities),
    attributes.length,
  );
  const columns = attributes.flatMap((attribute, place) => {
    const { mean, prior } = priors[place] ?? { mean: null, prior: 0 };
    return mean === null ? [] : [{ attribute, place, mean, prior }];
  });
  if (columns.length === 0) return [];
  const rated = rows.map(({ id, affinities }) => ({
    id,
    affinities: columns.map(({ place }) => affinities[place] ?? null),
  }));
  const assignment = await assign(
    rated,
    columns.map(({ attribute: { id }, prior }) => ({ id, prior })),
    { slack },
    tools,
  );
  notes.push(...assignmentNotes(assignment, attributes[0]?.kind ?? 'domain', columns.length));
  if (assignment.status === 'failed') return [];
  return columns.map(({ attribute, mean, prior }, column) => {
    const skills =
      answers === null || attribute.kind === 'domain'
        ? null
        : skillPairs(attribute.id, ratings, answers);
    return {
      attribute,
      affinityMean: mean,
      prior,
      skills,
      references: rated.flatMap(({ id, affinities }) =>
        assignment.attributes.get(id)?.includes(attribute.id) === true
          ? [{ id, affinity: affinities[column] ?? null }]
          : [],
      ),
      alignment:
        skills === null
          ? null
          : { base: misalignment(skills.base), head: misalignment(skills.head) },
    };
  });
}

function skillPairs(
  attribute: string,
  ratings: ReadonlyMap<string, Ratings>,
  answers: Answers,
): Record<Side, SkillPair[]> {
  const pairs = (side: Side): SkillPair[] =>
    [...answers[side]].map(([reference, rated]) => ({
      reference,
      expected: scoreOf(ratings.get(reference), attribute),
      output: scoreOf(rated, attribute),
    }));
  return inCommon({ base: pairs('base'), head: pairs('head') });
}

function assignmentNotes(
  assignment: Assignment,
  kind: Attribute['kind'],
  columns: number,
): string[] {
  const what = kind === 'domain' ? 'domains' : 'sub-tasks';
  if (assignment.status === 'failed')
    return [`${what} could not be assigned: ${assignment.reason}`];
  const { batches, outsideBand, left } = assignment;
  return [
    ...(outsideBand === 0
      ? []
      : [
          `${String(outsideBand)} of ${String(columns)} ${what} stand on more or fewer references than qualeval.slack allows: with so few references it leaves no assignment to whole ones`,
        ]),
    ...(batches === 1 ? [] : [`${what} were assigned in ${String(batches)} batches of references`]),
    ...(left.length === 0 ? [] : [`${what} were assigned by the other solver: ${left.join('; ')}`]),
  ];
}
