import { findKeywords } from '../metrics/keywords.ts';
import type { Keyword, Material } from '../metrics/keywords.ts';
import { suggestion } from './suggest.ts';

/** FlexEval's names, for the hint at an unknown one. */
const NAMES = [
  'conversation',
  'context',
  'content',
  'turn',
  'completion',
  'tool_calls',
  'expected',
  'input',
  'output',
];
/**
 * The first of each pair holds the second or stands in its place, so a text with both is a slip.
 */
const EXCLUSIVE: readonly (readonly [Material, Material])[] = [
  ['conversation', 'context'],
  ['content', 'completion'],
];
/** At least one of these shows the grader what it judges. */
const JUDGED: readonly Material[] = ['conversation', 'content', 'completion', 'tool_calls'];

/** What is wrong with the keywords of a rubric's text, each with the written form it is about. */
export function keywordProblems(prompt: string): { written: string; message: string }[] {
  const keywords = findKeywords(prompt).filter(({ literal }) => literal === null);
  const as = ({ start, end }: Keyword) => prompt.slice(start, end);
  const unknown = new Map(
    keywords
      .filter(({ material }) => material === null)
      .map((keyword) => [keyword.name, as(keyword)]),
  );
  const problems = [...unknown].map(([name, written]) => ({
    written,
    message: `{${name}} is not a keyword${suggestion(name, NAMES)}; the text itself is written {{${name}}}`,
  }));
  for (const pair of EXCLUSIVE) {
    const [one, other] = pair.map((material) =>
      keywords.find((keyword) => keyword.material === material),
    );
    if (one === undefined || other === undefined) continue;
    const last = one.start > other.start ? one : other;
    problems.push({
      written: as(last),
      message: `{${one.name}} and {${other.name}} cannot be used together`,
    });
  }
  return problems;
}

/** Whether the text shows the grader none of what it is to judge. */
export function showsNothing(prompt: string): boolean {
  return !findKeywords(prompt).some(
    ({ literal, material }) => literal === null && material !== null && JUDGED.includes(material),
  );
}
