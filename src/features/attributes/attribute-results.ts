import type { Variant } from '../../kernel/result/pieces.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import type { ClusteredTries } from '../../kernel/statistics/clusters.ts';
import { differenceInterval } from '../../kernel/statistics/interval.ts';
import { contrast } from '../../kernel/statistics/look.ts';
import { meanOrNull } from '../../kernel/statistics/sums.ts';
import {
  countTable,
  isComparable,
  meanOfCounts,
  type Table,
  type Tries,
} from '../../kernel/statistics/table.ts';
import { nonNullValues, sideMean, type Values } from '../../kernel/statistics/value-test.ts';
import { namedNumber } from '../../metrics/objects.ts';
import { firstAnswerText } from '../../report/answers/text.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { Better, Outcome } from '../../types/metric.ts';
import type { Complete, Grader } from '../../types/model.ts';
import { SIDES, type Side } from '../../types/plain.ts';
import type { Solve } from '../../types/solver.ts';
import { isOtherSkill, type SkillPair } from './affinity.ts';
import type { PinnedAttributes } from './file.ts';
import type { AttributeResult, AttributeSample, Proficiency } from './result.ts';
import type { QualEvalSettings } from './settings.ts';
import type { Surveyed } from './survey.ts';
import type { ReferenceText } from './text.ts';
import { FEWEST_UNITS, groupVerdicts, type GroupVerdict } from './verdicts.ts';

export interface ExplainReference extends ReferenceText {
  /** False if the reference did not run on both sides. */
  compared: boolean;
  /** References with the same cluster are correlated. Null if independent. */
  cluster: string | null;
  base: readonly TryResult[];
  head: readonly TryResult[];
}

export interface ExplainSuite {
  path: string;
  name: string;
  variant: Variant;
  prompt: string;
  regressed: boolean;
  /** How many tries of each reference count. Null for all. */
  tries: number | null;
  /** The metric whose values are compared instead of passes. */
  value?: { metric: string; better: Better } | undefined;
  references: readonly ExplainReference[];
}

export interface ExplainInput {
  mode: 'diff' | 'sweep';
  suites: readonly ExplainSuite[];
  settings: Pick<QualEvalSettings, 'enabled' | 'max_attributes' | 'sample' | 'slack'>;
  pinned: PinnedAttributes | null;
  grader: Grader | null;
  unasked?: string | null;
  alignment: boolean;
  /** The metric that decides whether a try passes. Null: all metrics decide together. */
  metric: string | null;
  /** Probability of any wrong finding, separately for worse and better. */
  alpha: number;
  seed: number;
}

export interface ExplainTools {
  complete: Complete;
  solve: Solve;
  random(purpose: string): string;
  hash(text: string): string;
}

export interface CountedSuite extends ExplainSuite {
  metric: string | null;
}

export function countedMetric(
  { references }: ExplainSuite,
  { metric }: ExplainInput,
): string | null {
  const hasMetric = references.some(({ base, head }) =>
    [...base, ...head].some(({ scores }) => scores.some((score) => score.metric === metric)),
  );
  return hasMetric ? metric : null;
}

const NO_ANSWERS = { base: null, head: null };

export function comparedAnswers(
  { compared, base, head }: ExplainReference,
  mode: ExplainInput['mode'],
): Record<Side, string | null> {
  const answers = { base: firstAnswerText(base), head: firstAnswerText(head) };
  const isComplete = mode === 'sweep' || (answers.base !== null && answers.head !== null);
  return compared && isComplete ? answers : NO_ANSWERS;
}

interface SurveyedSuite {
  suite: CountedSuite;
  surveyed: readonly Surveyed[];
}

/** A reference has an attribute if its rating for the attribute is at least this high. */
export const MEMBER_AFFINITY = 3;

/** Tests all suites' attributes together, to correct for the number of tests. */
export function attributeResults<Own extends SurveyedSuite>(
  suites: readonly Own[],
  input: ExplainInput,
): (Own & { attributes: AttributeResult[] })[] {
  const rows: ClusteredTries[] = [];
  const placed = suites.map((own, s) => {
    const found = new Map(
      own.suite.references.map((reference): [string, Omit<PlacedMember, 'affinity'>] => {
        const { id, cluster: name } = reference;
        // Cluster names are unique only within a suite.
        const cluster = name === null ? null : `${s} ${name}`;
        const row = { tries: attributeTries(reference, own.suite), cluster };
        return [id, { id, row, at: rows.push(row) - 1 }];
      }),
    );
    const rated = new Set<number>();
    const groups = own.surveyed.map((attribute) => {
      const members = attribute.ratings.flatMap(({ reference, affinity }): PlacedMember[] => {
        const member = found.get(reference);
        if (member === undefined || affinity === null) return [];
        rated.add(member.at);
        return affinity < MEMBER_AFFINITY ? [] : [{ ...member, affinity }];
      });
      return { attribute, members };
    });
    return { own, groups, positions: [...rated].sort((a, b) => a - b) };
  });
  const verdicts =
    input.mode === 'sweep'
      ? []
      : groupVerdicts(
          rows,
          placed.map(({ groups, positions }) => ({
            positions,
            groups: groups.map(({ members }) => members.map(({ at }) => at)),
          })),
          { alpha: input.alpha, seed: input.seed },
        );
  return placed.map(({ own, groups }, s) => ({
    ...own,
    attributes: resultAttributes(own, groups, verdicts[s] ?? null),
  }));
}

interface PlacedMember {
  id: string;
  at: number;
  affinity: number;
  row: ClusteredTries;
}

interface PlacedAttribute {
  attribute: Surveyed;
  members: readonly PlacedMember[];
}

function resultAttributes(
  { suite, surveyed }: SurveyedSuite,
  groups: readonly PlacedAttribute[],
  verdicts: readonly GroupVerdict[] | null,
): AttributeResult[] {
  const { path, name, variant, value } = suite;
  const words = new Set(verdicts?.map(({ verdict }) => verdict));
  const idOf = (group: number) => surveyed[group]?.id ?? '';
  return groups.map(({ attribute: { skills, ...attribute }, members }, i): AttributeResult => {
    const proficiency = proficiencyOf(members.map(({ row }) => row));
    const found = verdicts?.[i] ?? sweepVerdict(proficiency);
    const verdict = alsoMoved(found.verdict, proficiency, words);
    const references = members.map(({ id }) => id);
    const shown = new Set([...references, ...attribute.assigned]);
    const values = attributeValues(suite, new Set(references));
    const tables = members.map(({ row, ...own }) => ({ ...own, table: countTable(row.tries) }));
    return {
      ...attribute,
      path,
      suite: name,
      variant,
      ...(values !== null && { values: { ...values, tested: true as const } }),
      references,
      ratings: attribute.ratings.filter(({ reference }) => shown.has(reference)),
      samples: [
        ...(verdict === 'regressed' && value === undefined ? largestDrops(tables) : []),
        ...(skills === null ? [] : otherSkills(skills)),
      ],
      ...proficiency,
      ...(value !== undefined && NO_RATES),
      p: found.p,
      verdict,
      explained_by: found.explainedBy.map(idOf),
      alternatives: found.alternatives.map(({ group: other, ...shared }) => ({
        id: idOf(other),
        ...shared,
      })),
    };
  });
}

type AttributeVerdict = AttributeResult['verdict'];

function alsoMoved(
  verdict: AttributeVerdict,
  { low, high }: Proficiency,
  words: ReadonlySet<AttributeVerdict>,
): AttributeVerdict {
  if (verdict !== 'no change found') return verdict;
  if ((words.has('regressed') || words.has('also fell')) && (high ?? 0) < 0) return 'also fell';
  if ((words.has('improved') || words.has('also rose')) && (low ?? 0) > 0) return 'also rose';
  return verdict;
}

function sweepVerdict({ n }: Proficiency): GroupVerdict {
  const verdict = n < FEWEST_UNITS ? 'too few' : 'no change found';
  return { verdict, p: null, explainedBy: [], alternatives: [] };
}

const NO_RATES = { base: null, head: null, difference: null, low: null, high: null };

function attributeTries(
  { compared, base, head }: ExplainReference,
  { tries, metric, value }: CountedSuite,
): Tries {
  if (value !== undefined && compared) return valueOutcomes({ base, head }, value, tries);
  const side = (given: readonly TryResult[]) => (compared ? outcomesOf(given, metric, tries) : []);
  return { base: side(base), head: side(head) };
}

/** Means of the value that is compared instead of passes. Null if passes are. */
function attributeValues(
  { value, references, tries }: CountedSuite,
  ids: ReadonlySet<string>,
): ReturnType<typeof meanValues> {
  const own = references.filter(({ id, compared }) => compared && ids.has(id));
  return value === undefined ? null : meanValues(value.metric, own, tries);
}

const MAX_SAMPLES = 3;

export function largestDrops(
  references: readonly { id: string; table: Table; affinity: number }[],
): AttributeSample[] {
  return references
    .filter(({ table }) => isComparable(table))
    .map(({ id, affinity, table: { base, head } }) => ({
      id,
      affinity,
      base: base.passes / base.tries,
      head: head.passes / head.tries,
    }))
    .filter(({ base, head }) => head < base)
    .sort(
      (a, b) =>
        a.head - a.base - (b.head - b.base) || b.affinity - a.affinity || byCodeUnits(a.id, b.id),
    )
    .slice(0, MAX_SAMPLES)
    .map(({ id, base, head }) => ({ kind: 'drop', reference: id, base, head }));
}

export function otherSkills(
  pairs: Readonly<Record<Side, readonly SkillPair[]>>,
): AttributeSample[] {
  const far = (['head', 'base'] as const).flatMap((side) =>
    pairs[side].filter(isOtherSkill).map((pair) => ({ kind: 'skill' as const, side, ...pair })),
  );
  return far
    .sort(
      (a, b) =>
        Math.abs(b.expected - b.output) - Math.abs(a.expected - a.output) ||
        byCodeUnits(b.side, a.side) ||
        byCodeUnits(a.reference, b.reference),
    )
    .slice(0, MAX_SAMPLES);
}

export function outcomesOf(
  given: readonly TryResult[],
  metric: string | null,
  tries: number | null,
): Outcome[] {
  const byTry = new Map(
    triesBelow(given, tries).map((tryResult) => [
      tryResult.try,
      metric === null
        ? tryResult.outcome
        : tryResult.scores.find((score) => score.metric === metric)?.status,
    ]),
  );
  const last = Math.max(-1, ...byTry.keys());
  return Array.from({ length: last + 1 }, (_, at) => byTry.get(at) ?? 'skipped');
}

function triesBelow(given: readonly TryResult[], tries: number | null): TryResult[] {
  return given.filter(({ try: index }) => tries === null || index < tries);
}

/** The interval is two-sided, with 90 % confidence. */
export function proficiencyOf(rows: readonly ClusteredTries[]): Proficiency {
  const { tables, units } = contrast(rows);
  const compared = tables.filter(isComparable);
  const interval = differenceInterval(tables, { units });
  const onBase = tables.some(({ base }) => base.tries > 0);
  const onHead = tables.some(({ head }) => head.tries > 0);
  const shown =
    onBase && onHead ? compared : tables.filter(({ base, head }) => base.tries + head.tries > 0);
  return {
    n: shown.length,
    base: meanOfCounts(shown.map(({ base }) => base)),
    head: meanOfCounts(shown.map(({ head }) => head)),
    difference: interval?.difference ?? null,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
  };
}

type ReferenceTries = Record<Side, readonly TryResult[]>;

function referenceValues(
  { base, head }: ReferenceTries,
  metric: string,
  tries: number | null,
): Values {
  const numbers = (side: readonly TryResult[]) =>
    triesBelow(side, tries).map(({ scores }) => namedNumber(scores, metric));
  return { base: numbers(base), head: numbers(head) };
}

const MEAN_ROUNDING = 1e-9;

/** A try passes if its value is not worse than the mean of the reference's tries on both sides. */
function valueOutcomes(
  reference: ReferenceTries,
  { metric, better }: { metric: string; better: Better },
  tries: number | null,
): Tries {
  const { base, head } = referenceValues(reference, metric, tries);
  const middle = meanOrNull(nonNullValues([...base, ...head])) ?? 0;
  const sign = better === 'lower' ? -1 : 1;
  const outcome = (value: number | null): Outcome => {
    if (value === null) return 'error';
    return sign * (value - middle) >= -MEAN_ROUNDING * Math.abs(middle) ? 'pass' : 'fail';
  };
  return { base: base.map(outcome), head: head.map(outcome) };
}

/** A comparison uses only references with numbers on both sides. */
function meanValues(
  metric: string,
  references: readonly ReferenceTries[],
  tries: number | null,
): NonNullable<AttributeResult['values']> | null {
  const all = references.map((reference) => referenceValues(reference, metric, tries));
  const has = (side: Side) => sideMean(all, side) !== null;
  const sides = SIDES.filter(has);
  const shown = all.filter((reference) =>
    sides.every((side) => reference[side].some((n) => n !== null)),
  );
  return shown.length === 0 || sides.length === 0
    ? null
    : {
        metric,
        n: shown.length,
        base: sideMean(shown, 'base'),
        head: sideMean(shown, 'head'),
      };
}
