import { isComparable, type Table } from '../../kernel/statistics/table.ts';
import { percentage, pointsApart } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import type { Json, JsonMap, Side } from '../../types/plain.ts';
import { SKILL_DISTANCE, type SkillPair } from './affinity.ts';
import { didMove } from './explained-suites.ts';
import type { AttributeResult, AttributeSample } from './result.ts';

const MAX_SAMPLES = 3;

/** Largest drops first, then by affinity. */
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

/** Answers that use more or less of a sub-task than expected, largest distance first. */
export function otherSkills(
  pairs: Readonly<Record<Side, readonly SkillPair[]>>,
): AttributeSample[] {
  const far = (['head', 'base'] as const).flatMap((side) =>
    pairs[side].flatMap(({ reference, expected, output }) =>
      expected === null || output === null || Math.abs(expected - output) <= SKILL_DISTANCE
        ? []
        : [{ kind: 'skill' as const, reference, side, expected, output }],
    ),
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

/** References per attribute that the model sees. */
const LISTED = 20;

/** One attribute per line, with percentages and points. */
export function tableText(attributes: readonly AttributeResult[]): string {
  const isCompared = areCompared(attributes);
  return attributes.map((attribute) => JSON.stringify(tableRow(attribute, isCompared))).join('\n');
}

export function areCompared(attributes: readonly AttributeResult[]): boolean {
  return attributes.some(({ difference }) => difference !== null);
}

function tableRow(attribute: AttributeResult, isCompared: boolean): Json {
  const { id, name, kind, verdict, prior, alignment, samples } = attribute;
  const skills =
    alignment === null
      ? null
      : isCompared
        ? { base: hundred(alignment.base), head: hundred(alignment.head) }
        : hundred(alignment.head ?? alignment.base);
  return {
    id,
    name,
    kind,
    ...(isCompared ? { verdict } : {}),
    prior_percent: hundred(prior),
    ...(isCompared ? comparedFigures(attribute) : oneSidedFigures(attribute)),
    ...(skills === null ? {} : { answers_with_other_skills_percent: skills }),
    ...(isCompared && didMove(attribute)
      ? { references: attribute.references.slice(0, LISTED) }
      : {}),
    samples: samples.map(sampleRow),
  };
}

function oneSidedFigures({ n, base, head }: AttributeResult): JsonMap {
  return { judged_references: n, pass_percent: hundred(head ?? base) };
}

function comparedFigures(attribute: AttributeResult): JsonMap {
  const { n, base, head, low, high, explained_by, alternatives } = attribute;
  return {
    compared_references: n,
    base_pass_percent: hundred(base),
    head_pass_percent: hundred(head),
    difference_points: base === null || head === null ? null : pointsApart(base, head),
    interval_90_percent_points:
      low === null || high === null ? null : [inPoints(low), inPoints(high)],
    same_references_as: explained_by,
    ...(alternatives.length === 0 ? {} : { not_told_apart_from: alternatives.map(({ id }) => id) }),
  };
}

function sampleRow(sample: AttributeSample): Json {
  return sample.kind === 'drop'
    ? {
        reference: sample.reference,
        base_pass_percent: hundred(sample.base),
        head_pass_percent: hundred(sample.head),
      }
    : {
        reference: sample.reference,
        side: sample.side,
        affinity_of_expected: sample.expected,
        affinity_of_answer: sample.output,
      };
}

function hundred(share: number | null): number | null {
  return share === null ? null : percentage(share);
}

function inPoints(difference: number): number {
  return Math.round(difference * 1000) / 10;
}
