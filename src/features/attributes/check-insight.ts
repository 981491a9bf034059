import { singleLine } from '../../trials/grader-question.ts';
import type { AttributeResult, Insight } from './result.ts';

export type InsightFinding = Omit<Insight, 'path' | 'suite' | 'variant'>;

/** A grader's reply. The report adds the figures of `attributes` to `why`. */
interface WrittenInsight {
  why: string;
  attributes: readonly string[];
  references: readonly string[];
}

const WHY_LENGTH = 400;

/**
 * Why an insight is rejected; null: it is valid. Only evaldiff may state figures and directions.
 */
export function insightFault(
  { why, attributes: ids, references }: WrittenInsight,
  attributes: readonly AttributeResult[],
): string | null {
  if (singleLine(why, WHY_LENGTH) === '') return 'it says nothing';
  const attribute = ids.find((id) => !attributes.some((known) => known.id === id));
  if (attribute !== undefined)
    return `it names the attribute ${quote(attribute)}, which does not exist`;
  const reference = references.find((id) =>
    attributes.every((known) => !known.references.includes(id)),
  );
  if (reference !== undefined)
    return `it names the reference ${quote(reference)}, which does not exist`;
  if (ids.length + references.length === 0) return 'it rests on no attribute and no reference';
  const names = [...attributes.flatMap(({ id, name }) => [id, name]), ...references];
  const [number] = /\p{N}+(?:[.,]\p{N}+)*/u.exec(withoutNames(why, names)) ?? [];
  if (number !== undefined) return `it states the number ${quote(number)} itself`;
  const [direction] = DIRECTION.exec(withoutNames(why, names)) ?? [];
  return direction === undefined ? null : `it says ${quote(direction)} itself`;
}

/** `figures`: evaldiff's own sentences, which come first. */
export function insightFinding(
  { why, attributes, references }: WrittenInsight,
  figures: readonly string[],
): InsightFinding {
  return {
    text: [...figures, singleLine(why, WHY_LENGTH)].join(' '),
    attributes: [...new Set(attributes)],
    references: [...new Set(references)],
    generated: true,
  };
}

/** Words that claim an improvement or a regression. */
const DIRECTION = new RegExp(
  [
    String.raw`\b(?:rose|rises|increase[ds]|climbed|gained|grew|improve[ds]|recovered`,
    'fell|falls|dropped|drops|decline[ds]|decrease[ds]|lost|sank',
    'regress(?:ed|es)|worsen(?:ed|s)|degraded|deteriorated',
    String.raw`(?:got|gets|is|are|became|performs?) (?:better|worse))\b`,
  ].join('|'),
  'iu',
);

/** Removes names, whose digits are not figures. Matches whole words: not `7` in `17`. */
function withoutNames(text: string, names: readonly string[]): string {
  return names
    .filter((name) => name.trim() !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((rest, name) => rest.replace(wholeWord(name), ' '), text);
}

function wholeWord(name: string): RegExp {
  const literal = name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}]|\\p{N}[.,])${literal}(?![\\p{L}\\p{N}]|[.,]\\p{N})`, 'giu');
}

function quote(text: string): string {
  return JSON.stringify(singleLine(text, 60));
}
