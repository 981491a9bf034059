import { MAX_MATERIAL } from '../../metrics/ask-twice.ts';
import { trailingObject } from '../../metrics/grade.ts';
import { labelInLine } from '../../metrics/label.ts';
import type { Json } from '../../types/plain.ts';
import type { CriterionWord } from './result.ts';

export interface EvaluatorReply {
  words: Record<string, CriterionWord>;
  missing: string[];
  analysis: string | null;
  follow_up: string | null;
}

const CRITERION_WORDS: readonly CriterionWord[] = ['yes', 'no', 'unknown'];

const MAX_HEADING = 80;

const TEXTS: Readonly<Record<string, 'analysis' | 'follow_up'>> = {
  analysis: 'analysis',
  step_by_step_analysis: 'analysis',
  reasoning: 'analysis',
  follow_up: 'follow_up',
  followup: 'follow_up',
  follow_up_question: 'follow_up',
  followup_question: 'follow_up',
  next_question: 'follow_up',
};

/**
 * Reads a JSON object, or headings such as `### Correctness` or `**Correctness:** Yes.`. Null if no
 * criterion has a clear word (yes, no or unknown).
 */
export function readEvaluation(output: string, criteria: readonly string[]): EvaluatorReply | null {
  if (output.length > MAX_MATERIAL) return null;
  const object = trailingObject(output, (value) =>
    Object.keys(value).some((key) => criterionName(key, criteria) !== null),
  );
  const read = object !== null ? fromObject(object, criteria) : fromHeadings(output, criteria);
  return read.missing.length === criteria.length ? null : read;
}

function criterionName(written: string, criteria: readonly string[]): string | null {
  if (criteria.includes(written)) return written;
  const plain = normalise(written);
  return (
    criteria.find((name) => normalise(name) === plain) ??
    (Object.hasOwn(TEXTS, plain) ? (TEXTS[plain] ?? null) : null)
  );
}

function normalise(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

function fromObject(object: Record<string, Json>, criteria: readonly string[]): EvaluatorReply {
  const found = new Map<string, Json[]>();
  for (const [key, value] of Object.entries(object)) {
    const name = criterionName(key, criteria);
    if (name !== null) found.set(name, [...(found.get(name) ?? []), value]);
  }
  const text = (name: string): string[] =>
    (found.get(name) ?? []).filter((value) => typeof value === 'string');
  return buildReply(criteria, (name) => (found.get(name) ?? []).map(wordIn), text);
}

function wordIn(value: Json): CriterionWord | null {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? firstWord(value) : null;
}

interface ReplySection {
  name: string;
  lines: string[];
}

function fromHeadings(output: string, criteria: readonly string[]): EvaluatorReply {
  const sections: ReplySection[] = [];
  for (const line of output.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const heading = headingIn(line, criteria);
    if (heading !== null) sections.push(heading);
    else sections.at(-1)?.lines.push(line);
  }
  const texts = (name: string): string[] =>
    sections.filter((section) => section.name === name).map(({ lines }) => lines.join('\n'));
  return buildReply(
    criteria,
    (name) =>
      texts(name)
        .map(firstWord)
        .filter((word) => word !== null),
    texts,
  );
}

/** Finds `### Name`, `**Name**` or `1. Name:` alone on a line, or `Name: rest`. */
function headingIn(line: string, criteria: readonly string[]): ReplySection | null {
  const start = line.slice(0, MAX_HEADING + 1);
  const whole =
    start.length <= MAX_HEADING
      ? (criterionName(start, criteria) ??
        criterionName(start.replace(/^[\s#>*_-]*\d+[.)]/, ''), criteria))
      : null;
  if (whole !== null) return { name: whole, lines: [] };
  for (const { index, 0: separator } of start.matchAll(/[:=]| [-\u2013\u2014] /g)) {
    const name = criterionName(line.slice(0, index).replace(/^[\s#>*_-]*\d+[.)]/, ''), criteria);
    if (name === null) continue;
    const rest = line.slice(index + separator.length).replace(/^[\s*_`]+/, '');
    return criteria.includes(name) && firstWord(rest) === null ? null : { name, lines: [rest] };
  }
  return null;
}

function firstWord(text: string): CriterionWord | null {
  const line = text.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? '';
  // In lower case, both words of `Yes and no` match, so it counts as unclear.
  const label = labelInLine(line.toLowerCase(), CRITERION_WORDS);
  return CRITERION_WORDS.find((word) => word === label) ?? null;
}

function buildReply(
  criteria: readonly string[],
  wordsFor: (name: string) => readonly (CriterionWord | null)[],
  texts: (name: string) => string[],
): EvaluatorReply {
  const words = criteria.map((name): [string, CriterionWord | null] => {
    const [first, ...others] = new Set(wordsFor(name));
    return [name, others.length === 0 ? (first ?? null) : null];
  });
  const text = (name: string): string | null =>
    texts(name)
      .map((part) => part.trim())
      .find((part) => part !== '') ?? null;
  return {
    words: Object.fromEntries(words.map(([name, word]) => [name, word ?? 'unknown'])),
    missing: words.filter(([, word]) => word === null).map(([name]) => name),
    analysis: text('analysis'),
    follow_up: questionIn(text('follow_up')),
  };
}

/** In characters. Longer texts are questions; shorter ones may be "none". */
const MAX_REMARK = 60;

function questionIn(text: string | null): string | null {
  if (text === null || text.length > MAX_REMARK) return text;
  return /^[\s*_`"'()[\]-]*(?:none|n\/?a|null|nothing|empty|no follow-?up(?: question)?(?: (?:is )?(?:needed|required))?)?[\s*_`"'()[\].!-]*$/i.test(
    text,
  )
    ? null
    : text;
}
