import type { Field } from '../documents/document.ts';
import { findKeywords, type Keyword, type Material } from '../metrics/keywords.ts';
import { contradiction } from '../metrics/passing.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Better } from '../types/metric.ts';
import { isMap, type Json } from '../types/plain.ts';

/**
 * Reads FlexEval's and autoevals' `choice_scores` and `choice_strings`, Phoenix's `choices`, or a
 * list of labels. Null if they are not valid.
 */
export function readChoices(
  rubric: Field,
  strings: string | readonly string[] | undefined,
): Map<string, number> | null {
  const isPhoenix = rubric.at('choices').isGiven && !rubric.at('choice_scores').isGiven;
  const field = rubric.at(isPhoenix ? 'choices' : 'choice_scores');
  const labels = typeof strings === 'string' ? [...strings] : (strings ?? []);
  const scores = readChoiceScores(field.value, labels);
  const message =
    typeof strings === 'string' && /^from_n(?:_|$)/.test(strings)
      ? FROM_SEVERAL
      : choicesProblem(scores ?? new Map(), labels, field.isGiven);
  if (message === null) return scores;
  field.refuse(`${field.name} ${message}`);
  return null;
}

const FROM_SEVERAL =
  'cannot be used: choice_strings from_n compares several answers, but a rubric judges ' +
  "only one; to compare base's answer with head's, use pairwise_preference";

function choicesProblem(
  scores: ReadonlyMap<string, number>,
  labels: readonly string[],
  isGiven: boolean,
): string | null {
  const scored = [...scores.keys()];
  if (scored.length === 0)
    return (
      'must map at least one label to a number' +
      (labels.length > 0 && !isGiven ? '; choice_strings has labels but no scores' : '')
    );
  if (scored.some((label) => label.trim() === '')) return 'has an empty label';
  const unscored = labels.find((label) => !scores.has(label));
  if (unscored !== undefined) return `has no score for the label "${unscored}" of choice_strings`;
  const unlisted = scored.find((label) => labels.length > 0 && !labels.includes(label));
  return unlisted === undefined
    ? null
    : `has the label "${unlisted}", which is not in choice_strings`;
}

function readChoiceScores(
  value: Json | undefined,
  labels: readonly string[],
): Map<string, number> | null {
  const entries =
    value === 'from_strings'
      ? labels.map((label): [string, Json] => [label, Number(label)])
      : choiceEntries(value);
  const scores = new Map<string, number>();
  for (const [label, score] of entries ?? []) {
    if (typeof score !== 'number' || !Number.isFinite(score) || scores.has(label)) return null;
    scores.set(label, score);
  }
  return entries === null ? null : scores;
}

function choiceEntries(value: Json | undefined): [string, Json][] | null {
  if (isMap(value)) return Object.entries(value);
  if (!Array.isArray(value)) return null;
  return value.map((item) =>
    isMap(item) ? [String(item['choice'] ?? ''), item['score'] ?? null] : ['', null],
  );
}

export function passProblems(
  scores: ReadonlyMap<string, number>,
  better: Better | undefined,
  pass: readonly string[] | undefined,
): string[] {
  if (pass === undefined) return [];
  const unknown = pass.filter((label) => !scores.has(label));
  if (unknown.length > 0)
    return unknown.map(
      (label) =>
        `pass names "${label}", which is not a label${didYouMean(label, [...scores.keys()])}`,
    );
  const found = contradiction({ choice_scores: scores }, pass, better ?? 'none');
  if (found === null) return [];
  const of = (label: string): string => `"${label}" (${String(scores.get(label))})`;
  return [
    `better: ${better} contradicts pass: ${of(found.passes)} passes, but ` +
      `${of(found.fails)}, which is better, does not`,
  ];
}

export function readPassing(
  scores: ReadonlyMap<string, number>,
  better: Better | undefined,
  pass: readonly string[] | undefined,
  threshold: number | undefined,
): { key: 'pass' | 'threshold'; pass: readonly string[] | undefined; wrong: string[] } {
  const key = 'threshold';
  if (threshold === undefined)
    return { key: 'pass', pass, wrong: passProblems(scores, better, pass) };
  if (pass !== undefined)
    return { key, pass, wrong: ['pass and threshold both define what passes; keep one of them'] };
  const reached = [...scores].flatMap(([label, score]) =>
    (better === 'lower' ? score <= threshold : score >= threshold) ? [label] : [],
  );
  const all = [...scores.values()].join(', ');
  const which = reached.length === 0 ? 'no' : 'every';
  const decides = reached.length > 0 && reached.length < scores.size;
  const wrong = `with threshold ${threshold} ${which} label passes; the scores are ${all}`;
  return { key, pass: reached, wrong: decides ? [] : [wrong] };
}

const NAMES = 'conversation context content turn completion tool_calls expected input output'.split(
  ' ',
);

const EXCLUSIVE: readonly (readonly [Material, Material])[] = [
  ['conversation', 'context'],
  ['content', 'completion'],
];

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
    message:
      `{${name}} is not a keyword${didYouMean(name, NAMES)}; write {{${name}}} if you mean the ` +
      'literal text',
  }));
  for (const pair of EXCLUSIVE) {
    const [first, second] = pair.map((material) =>
      keywords.find((keyword) => keyword.material === material),
    );
    if (first === undefined || second === undefined) continue;
    const last = first.start > second.start ? first : second;
    const message = `{${first.name}} and {${second.name}} cannot be used together`;
    problems.push({ written: as(last), message });
  }
  return problems;
}
