import { MAX_MATERIAL } from '../../metrics/ask-twice.ts';
import { labelInLine } from '../../metrics/label.ts';
import { isJsonReply, replyObject, verdictOf } from '../../metrics/verdict.ts';
import type { Json } from '../../types/plain.ts';
import type { CriterionWord, EvaluatorVerdict } from './result.ts';

export interface EvaluatorReply {
  /** Without criteria that have no clear word. */
  words: EvaluatorVerdict['words'];
  /** Criteria without a clear word. They are not a no. */
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
  const object = replyObject(output, CRITERION_WORDS, (value) =>
    Object.keys(value).some((key) => criterionName(key, criteria) !== null),
  );
  if (object === null && isJsonReply(output)) return null;
  const read = object !== null ? fromObject(object, criteria) : fromHeadings(output, criteria);
  return read.missing.length === criteria.length ? null : read;
}

/** Reads a second reply, which may only have the criteria that the first one lacks. */
export function readAgain(
  output: string,
  criteria: readonly string[],
  first: EvaluatorReply,
): EvaluatorReply {
  const second = readEvaluation(output, criteria);
  if (second === null) return first;
  const words = { ...first.words, ...second.words };
  return {
    words,
    missing: criteria.filter((name) => !Object.hasOwn(words, name)),
    analysis: second.analysis ?? first.analysis,
    follow_up: second.follow_up ?? first.follow_up,
  };
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
  const text = (name: string) =>
    (found.get(name) ?? []).filter((value) => typeof value === 'string');
  const word = (value: Json) => asWord(verdictOf(value, CRITERION_WORDS));
  return buildReply(criteria, (name) => (found.get(name) ?? []).map(word), text);
}

function asWord(label: string | null): CriterionWord | null {
  return CRITERION_WORDS.find((word) => word === label) ?? null;
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
  const texts = (name: string) =>
    sections.filter((section) => section.name === name).map(({ lines }) => lines.join('\n'));
  return buildReply(
    criteria,
    (name) =>
      texts(name)
        .filter((text) => isBrief(text) || firstWord(text) !== null)
        .map(firstWord),
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
    const isRemark = criteria.includes(name) && !isBrief(rest) && firstWord(rest) === null;
    return isRemark ? null : { name, lines: [rest] };
  }
  return null;
}

/** Short texts are verdicts, such as `partially`. Longer ones are remarks. */
function isBrief(text: string): boolean {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.length > 0 && words.length <= 3;
}

function firstWord(text: string): CriterionWord | null {
  const line = text.split('\n').find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? '';
  // In lower case, both words of `Yes and no` match, so it counts as unclear.
  return asWord(labelInLine(line.toLowerCase(), CRITERION_WORDS));
}

function buildReply(
  criteria: readonly string[],
  wordsFor: (name: string) => readonly (CriterionWord | null)[],
  texts: (name: string) => string[],
): EvaluatorReply {
  const words = criteria.flatMap((name): [string, CriterionWord][] => {
    const [word, ...others] = new Set(wordsFor(name));
    return word && others.length === 0 ? [[name, word]] : [];
  });
  const text = (name: string) =>
    texts(name)
      .map((part) => part.trim())
      .find((part) => part !== '') ?? null;
  return {
    words: Object.fromEntries(words),
    missing: criteria.filter((name) => words.every(([own]) => own !== name)),
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
