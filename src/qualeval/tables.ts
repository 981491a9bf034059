import type { AttributeResult, AttributeSample, Json } from '../types.ts';
import { percentage, pointsApart } from '../text/amounts.ts';

/**
 * References of an attribute that are listed to the model; it has seen nothing else of them than
 * their ids.
 */
const LISTED = 20;

/**
 * What insights are written from, one attribute per line: shares as percentages and differences as
 * points, as people read them.
 */
export function tableText(attributes: readonly AttributeResult[]): string {
  const isCompared = areCompared(attributes);
  return attributes.map((attribute) => JSON.stringify(tableRow(attribute, isCompared))).join('\n');
}

/** Whether the tables compare two sides: a sweep has one. */
export function areCompared(attributes: readonly AttributeResult[]): boolean {
  return attributes.some(({ difference }) => difference !== null);
}

function tableRow(attribute: AttributeResult, isCompared: boolean): Json {
  return isCompared ? comparedRow(attribute) : oneSidedRow(attribute);
}

function oneSidedRow({
  id,
  name,
  kind,
  prior,
  n,
  base,
  head,
  alignment,
  samples,
}: AttributeResult): Json {
  return {
    id,
    name,
    kind,
    prior_percent: hundred(prior),
    judged_references: n,
    pass_percent: hundred(head ?? base),
    ...(alignment === null
      ? {}
      : { answers_with_other_skills_percent: hundred(alignment.head ?? alignment.base) }),
    samples: samples.map(sampleRow),
  };
}

function comparedRow({
  id,
  name,
  kind,
  prior,
  n,
  base,
  head,
  low,
  high,
  verdict,
  explained_by,
  alignment,
  samples,
  references,
}: AttributeResult): Json {
  const moved = verdict === 'regressed' || verdict === 'improved';
  return {
    id,
    name,
    kind,
    verdict,
    prior_percent: hundred(prior),
    compared_references: n,
    base_pass_percent: hundred(base),
    head_pass_percent: hundred(head),
    difference_points: base === null || head === null ? null : pointsApart(base, head),
    interval_90_percent_points:
      low === null || high === null ? null : [inPoints(low), inPoints(high)],
    same_references_as: explained_by,
    ...(alignment === null
      ? {}
      : {
          answers_with_other_skills_percent: {
            base: hundred(alignment.base),
            head: hundred(alignment.head),
          },
        }),
    ...(moved ? { references: references.slice(0, LISTED) } : {}),
    samples: samples.map(sampleRow),
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

/** Percent as reports write it. */
function hundred(share: number | null): number | null {
  return share === null ? null : percentage(share);
}

/** Points with one decimal. */
function inPoints(difference: number): number {
  return Math.round(difference * 1000) / 10;
}

/** Every number that the tables state, without its sign; 90 is the interval's level. */
export function numbersOf(attributes: readonly AttributeResult[]): Set<number> {
  const found = new Set([90]);
  const visit = (value: Json): void => {
    if (typeof value === 'number') found.add(Math.abs(value));
    else if (Array.isArray(value)) value.forEach(visit);
    else if (value !== null && typeof value === 'object') Object.values(value).forEach(visit);
  };
  const isCompared = areCompared(attributes);
  attributes.forEach((attribute) => visit(tableRow(attribute, isCompared)));
  return found;
}
