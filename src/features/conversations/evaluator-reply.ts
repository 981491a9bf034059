import { MAX_MATERIAL } from '../../metrics/ask-twice.ts';
import { replyObject, verdictOf } from '../../metrics/verdict.ts';
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

/** Reads a JSON object. Null if no criterion has a clear word (yes, no or unknown). */
export function readEvaluation(output: string, criteria: readonly string[]): EvaluatorReply | null {
  if (output.length > MAX_MATERIAL) return null;
  const nameOf = (key: string) =>
    criteria.includes(key)
      ? key
      : [...criteria, 'analysis', 'follow_up'].find((name) => normalise(name) === normalise(key));
  const object = replyObject(output, CRITERION_WORDS, (value) =>
    Object.keys(value).some((key) => nameOf(key) !== undefined),
  );
  const found = Map.groupBy(Object.entries(object ?? {}), ([key]) => nameOf(key));
  const valuesOf = (name: string) => (found.get(name) ?? []).map(([, value]) => value);
  const words = criteria.flatMap((name): [string, CriterionWord][] => {
    const [word, ...others] = new Set(valuesOf(name).map(asWord));
    return word && others.length === 0 ? [[name, word]] : [];
  });
  if (words.length === 0) return null;
  return {
    words: Object.fromEntries(words),
    missing: criteria.filter((name) => words.every(([own]) => own !== name)),
    analysis: firstText(valuesOf('analysis')),
    follow_up: questionIn(firstText(valuesOf('follow_up'))),
  };
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

function normalise(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

function asWord(value: Json): CriterionWord | null {
  const label = verdictOf(value, CRITERION_WORDS);
  return CRITERION_WORDS.find((word) => word === label) ?? null;
}

function firstText(values: readonly Json[]): string | null {
  const texts = values.map((value) => (typeof value === 'string' ? value.trim() : ''));
  return texts.find((text) => text !== '') ?? null;
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
