import { pinnedFor, type PinnedAttributes } from '../config/attributes-file.ts';
import type {
  AttributeResult,
  Complete,
  Grader,
  Insight,
  Notice,
  QualEvalSettings,
  Side,
  Solve,
  TryResult,
  Variant,
} from '../types.ts';
import { isComparable, type Table } from '../statistics/table.ts';
import type { AskTools } from './ask.ts';
import { findingsFor, type Finding } from './insight.ts';
import { FEWEST_REFERENCES } from './limit.ts';
import type { ReferenceText } from './material.ts';
import { countTries, proficiencyOf } from './proficiency.ts';
import { largestDrops, otherSkills } from './samples.ts';
import { survey, type Survey, type Surveyed } from './survey.ts';
import { FEWEST_COMPARED, groupVerdicts, type GroupVerdict, type Member } from './verdicts.ts';

/** One reference of a suite: both sides' references together, removed and added ones included. */
export interface ExplainReference extends ReferenceText {
  /** Whether it enters the suite's verdict; otherwise it is assigned, and not compared. */
  compared: boolean;
  /** Its tries; empty where that side did not run. */
  base: readonly TryResult[];
  head: readonly TryResult[];
}

export interface ExplainSuite {
  path: string;
  name: string;
  variant: Variant;
  /** The suite, or one of its references, regressed. */
  regressed: boolean;
  /**
   * Tries that all compared references share, by which rates are counted where suspects got more;
   * null: all tries.
   */
  tries: number | null;
  references: readonly ExplainReference[];
}

export interface ExplainInput {
  mode: 'diff' | 'sweep';
  suites: readonly ExplainSuite[];
  settings: Pick<QualEvalSettings, 'enabled' | 'max_attributes' | 'slack'>;
  pinned: PinnedAttributes | null;
  /** Model that reads the references; null: none is asked. */
  grader: Grader | null;
  /** Why none is asked, as a clause; null or absent: the settings name none. */
  unasked?: string | null;
  /** Rate answers too, for the skill alignment: two more calls per reference at most. */
  alignment: boolean;
  /** The metric that proficiency is counted by, in suites that have it; null: the whole try. */
  metric: string | null;
  /** Error level of all attributes together, 0–1, in each direction. */
  alpha: number;
  seed: number;
}

export interface ExplainTools {
  complete: Complete;
  solve: Solve;
  random(purpose: string): string;
  hash(text: string): string;
}

export interface Explanation {
  attributes: AttributeResult[];
  insights: Insight[];
  notices: Notice[];
}

/**
 * In `auto`, a suite without pinned attributes is explained when something in it regressed and it
 * has as many references.
 */
export const AUTO_REFERENCES = 20;

/**
 * Whether a suite's attributes are worked out: never when off, always when on; in `auto` when they
 * are pinned, or something regressed.
 */
export function isExplained(
  suite: ExplainSuite,
  { settings: { enabled }, pinned }: Pick<ExplainInput, 'settings' | 'pinned'>,
): boolean {
  if (enabled !== 'auto') return enabled === 'on';
  return (
    (pinned !== null && pinnedFor(pinned, suite.path).length > 0) ||
    (suite.regressed && suite.references.length >= AUTO_REFERENCES)
  );
}

/**
 * Which kinds of inputs got worse, and why: attributes of every suite that is to be explained,
 * judged as one family, and insights per suite. A model that fails, or is missing, costs what it
 * would have said, and a notice says so.
 */
export async function explain(input: ExplainInput, tools: ExplainTools): Promise<Explanation> {
  const suites = input.suites
    .filter((suite) => isExplained(suite, input))
    .map((suite): CountedSuite => ({ ...inOrder(suite), metric: metricOf(suite, input) }));
  const surveyed = await Promise.all(suites.map((suite) => surveySuite(suite, input, tools)));
  const results = resultsOf(
    suites,
    surveyed.map((one) => one.surveyed),
    input,
  );
  const written = await Promise.all(
    suites.map((suite, at) => insightsOf(suite, results[at] ?? [], input, tools)),
  );
  const noticesOf = (notes: (at: number) => readonly string[]): Notice[] =>
    suites.flatMap(({ path }, at) => notes(at).map((message) => notice(path, message)));
  const notices = [
    ...noticesOf((at) => surveyed[at]?.notes ?? []),
    ...noticesOf((at) => written[at]?.dropped ?? []),
  ];
  return {
    attributes: results.flat(),
    insights: written.flatMap(({ findings }) => findings),
    notices: distinct(notices),
  };
}

/** `metric`: the one by which this suite's passes are counted; null: the whole try. */
interface CountedSuite extends ExplainSuite {
  metric: string | null;
}

/** The wanted metric, where any try of the suite was scored by it. */
function metricOf({ references }: ExplainSuite, { metric }: ExplainInput): string | null {
  const hasMetric = references.some(({ base, head }) =>
    [...base, ...head].some(({ scores }) => scores.some((score) => score.metric === metric)),
  );
  return hasMetric ? metric : null;
}

/** How passes are counted, where that is not as everywhere else. */
function metricNotes({ metric }: CountedSuite, { metric: wanted }: ExplainInput): string[] {
  if (wanted === null) return [];
  return [
    metric === null
      ? `no try was scored by a metric called "${wanted}" (qualeval.metric), so attributes go by whole tries`
      : `pass rates of attributes are those of the metric "${metric}" (qualeval.metric)`,
  ];
}

/** By id, so that no sum and no draw depends on the order of a file. */
function inOrder(suite: ExplainSuite): ExplainSuite {
  return {
    ...suite,
    references: [...suite.references].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
  };
}

function notice(path: string, message: string): Notice {
  return { kind: 'qualeval', message: `${path}: ${message}`, place: null };
}

/** The variants of a sweep say the same of their common references. */
function distinct(notices: readonly Notice[]): Notice[] {
  return [...new Map(notices.map((one) => [one.message, one])).values()];
}

async function surveySuite(
  suite: CountedSuite,
  input: ExplainInput,
  tools: ExplainTools,
): Promise<Survey> {
  const { references, path } = suite;
  if (references.length < FEWEST_REFERENCES) {
    return {
      surveyed: [],
      notes: [
        `attributes need at least ${String(FEWEST_REFERENCES)} references; there are ${String(references.length)}`,
      ],
    };
  }
  const few =
    input.mode === 'sweep' ? null : tooFew(references.filter(({ compared }) => compared).length);
  if (few !== null) return { surveyed: [], notes: [few] };
  const asking = askTools(input, tools);
  if (asking === null) return { surveyed: [], notes: [unaskedNote(input)] };
  const pinned = input.pinned === null ? [] : pinnedFor(input.pinned, path);
  const { max_attributes: most, slack } = input.settings;
  const { surveyed, notes } = await survey(
    references.map((one) => ({ ...one, answers: answersOf(one, input.mode) })),
    {
      pinned: pinned.length > 0 ? pinned : null,
      most,
      slack: input.pinned?.slack ?? slack,
      seed: input.seed,
      alignment: input.alignment,
    },
    { ...asking, solve: tools.solve, hash: tools.hash },
  );
  return {
    surveyed,
    notes: [...(surveyed.length === 0 ? [] : metricNotes(suite, input)), ...notes],
  };
}

/** Rating references of which no attribute could have a verdict would be paid for nothing. */
function tooFew(compared: number): string | null {
  return compared >= FEWEST_COMPARED
    ? null
    : `attributes are compared over at least ${String(FEWEST_COMPARED)} references; this change affects ${String(compared)} that count`;
}

function unaskedNote({ unasked = null }: ExplainInput): string {
  return unasked === null
    ? 'attributes are rated by a model: name one in the settings file, grader: { model: … }'
    : `attributes were not worked out: ${unasked}`;
}

function askTools({ grader }: ExplainInput, { complete, random }: ExplainTools): AskTools | null {
  return grader === null ? null : { complete, random, grader };
}

const NO_ANSWERS = { base: null, head: null };

/** Answers that count: not those of skipped references, and in a comparison those of both sides. */
function answersOf(
  { compared, base, head }: ExplainReference,
  mode: ExplainInput['mode'],
): Record<Side, string | null> {
  const answers = { base: answerOf(base), head: answerOf(head) };
  const isComplete = mode === 'sweep' || (answers.base !== null && answers.head !== null);
  return compared && isComplete ? answers : NO_ANSWERS;
}

/** One answer stands for a side: its first. */
function answerOf(tries: readonly TryResult[]): string | null {
  return tries.find(({ actual }) => actual !== null)?.actual ?? null;
}

/** Every suite's attributes as the result shows them; all of them are one family of tests. */
function resultsOf(
  suites: readonly CountedSuite[],
  surveyed: readonly (readonly Surveyed[])[],
  input: ExplainInput,
): AttributeResult[][] {
  const tables: Table[] = [];
  const positions = suites.map(
    (suite) =>
      new Map(
        suite.references.map((reference): [string, number] => [
          reference.id,
          tables.push(tableOf(reference, suite)) - 1,
        ]),
      ),
  );
  const groups = suites.map((_, at) =>
    (surveyed[at] ?? []).map(({ references }): Member[] =>
      references.flatMap(({ id, affinity }) => {
        const position = positions[at]?.get(id);
        return position === undefined ? [] : [{ at: position, weight: weightOf(affinity) }];
      }),
    ),
  );
  const verdicts = groupVerdicts(tables, groups.flat(), { alpha: input.alpha, seed: input.seed });
  const ids = surveyed.flat().map(({ attribute }) => attribute.id);
  let next = 0;
  return suites.map((suite, at) =>
    (surveyed[at] ?? []).map((one, place): AttributeResult => {
      const verdict = verdicts[next++];
      const own = (groups[at]?.[place] ?? []).flatMap((member) => tables[member.at] ?? []);
      return attributeResult(
        suite,
        one,
        own,
        input.mode === 'sweep' || verdict === undefined ? oneSided(own) : verdict,
        ids,
      );
    }),
  );
}

/** How far an affinity makes a reference belong: 1 is not at all, and so is none. */
function weightOf(affinity: number | null): number {
  return ((affinity ?? 1) - 1) / 4;
}

/** Sweeps compare nothing. */
function oneSided(tables: readonly Table[]): GroupVerdict {
  return {
    verdict: proficiencyOf(tables).n < FEWEST_COMPARED ? 'too few' : 'no change seen',
    p: null,
    explainedBy: [],
  };
}

function tableOf(
  { compared, base, head }: ExplainReference,
  { tries, metric }: CountedSuite,
): Table {
  const count = (side: readonly TryResult[]): Table['base'] =>
    compared ? countTries(side, metric, tries) : { passes: 0, tries: 0 };
  return { base: count(base), head: count(head) };
}

function attributeResult(
  { path, name, variant }: ExplainSuite,
  one: Surveyed,
  tables: readonly Table[],
  { verdict, p, explainedBy }: GroupVerdict,
  ids: readonly string[],
): AttributeResult {
  const { attribute, affinityMean, prior, references, alignment, skills } = one;
  const proficiency = proficiencyOf(tables);
  const members = references.flatMap(({ id, affinity }, at) => {
    const table = tables[at];
    return table === undefined ? [] : [{ id, table, weight: weightOf(affinity) }];
  });
  const drops = verdict === 'regressed' ? largestDrops(members) : [];
  return {
    ...attribute,
    path,
    suite: name,
    variant,
    affinity_mean: affinityMean,
    prior,
    ...proficiency,
    p,
    verdict,
    explained_by: explainedBy.flatMap((other) => ids[other] ?? []),
    alignment,
    references: references.map(({ id }) => id),
    samples: [...drops, ...(skills === null ? [] : otherSkills(skills))],
  };
}

interface Told {
  findings: Insight[];
  dropped: string[];
}

/**
 * Insights of one suite: where something moved, or always when switched on. A regressed suite has
 * at least the plain sentence that says which references fell.
 */
async function insightsOf(
  suite: CountedSuite,
  attributes: readonly AttributeResult[],
  input: ExplainInput,
  tools: ExplainTools,
): Promise<Told> {
  const { path, name, variant } = suite;
  const moved = attributes.some(({ verdict }) => verdict === 'regressed' || verdict === 'improved');
  const wanted = attributes.length > 0 && (moved || input.settings.enabled === 'on');
  const { findings, dropped } = wanted
    ? await findingsFor(attributes, askTools(input, tools))
    : { findings: [], dropped: [] };
  const shown =
    findings.length > 0 || !suite.regressed ? findings : fallen(suite, attributes.length > 0);
  return {
    findings: shown.map((finding) => ({ path, suite: name, variant, ...finding })),
    dropped,
  };
}

function fallen(suite: CountedSuite, hasAttributes: boolean): Finding[] {
  const compared = suite.references
    .map((reference) => ({ id: reference.id, table: tableOf(reference, suite), weight: 1 }))
    .filter(({ table }) => isComparable(table));
  const fell = compared.filter(
    ({ table: { base, head } }) => head.passes / head.tries < base.passes / base.tries,
  );
  if (fell.length === 0) return [];
  const worst = largestDrops(fell).map(({ reference }) => reference);
  const why = hasAttributes
    ? 'No single kind of input stands out among them.'
    : 'Which kinds of inputs they are could not be worked out.';
  const text = `${String(fell.length)} of ${String(compared.length)} compared references pass less often than before, most of all ${worst.join(', ')}. ${why}`;
  return [{ text, attributes: [], references: worst, generated: false }];
}
