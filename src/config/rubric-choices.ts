import { findKeywords, type Keyword, type Material } from '../metrics/keywords.ts';
import { contradiction } from '../metrics/passing.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Better } from '../types/metric.ts';

type WrittenScores = 'from_strings' | readonly (readonly [string, number])[];

interface WrittenChoices {
  choice_scores?: WrittenScores | undefined;
  choice_strings?: string | readonly string[] | undefined;
  threshold?: number | undefined;
}

interface ScoredChoices {
  /** The labels of `choice_strings`, if there are any. */
  labels: readonly string[];
  /** Empty if a label is there twice or has no number. */
  scores: ReadonlyMap<string, number>;
  better: Better | undefined;
  pass: readonly string[] | undefined;
}

export function rubricChoices(
  { choice_scores: written = [], choice_strings: strings = [] }: WrittenChoices,
  passing: Pick<ScoredChoices, 'better' | 'pass'>,
): ScoredChoices {
  const labels = typeof strings === 'string' ? [...strings] : strings;
  const entries =
    written === 'from_strings' ? labels.map((label) => [label, Number(label)] as const) : written;
  const scores = new Map(entries);
  const isUsable = entries.length === scores.size && ![...scores.values()].some(Number.isNaN);
  return { labels, scores: isUsable ? scores : new Map(), ...passing };
}

/** The labels whose scores reach the threshold. */
export function labelsAt(threshold: number, { scores, better }: ScoredChoices): string[] {
  return [...scores].flatMap(([label, score]) =>
    (better === 'lower' ? score <= threshold : score >= threshold) ? [label] : [],
  );
}

type ChoiceRule = (
  choices: ScoredChoices,
  written: WrittenChoices,
) => [key: string, message: string] | false;

const SCORES = 'choice_scores';

const CHOICE_RULES: readonly ChoiceRule[] = [
  (_, { choice_strings: strings }) =>
    typeof strings === 'string' &&
    /^from_n(?:_|$)/.test(strings) && [
      SCORES,
      `${SCORES} cannot be used: choice_strings from_n compares several answers, but a rubric ` +
        "judges only one; to compare base's answer with head's, use pairwise_preference",
    ],
  ({ labels, scores }, { choice_scores: written }) => {
    const only = written === undefined && labels.length > 0;
    const why = only ? '; choice_strings has labels but no scores' : '';
    return scores.size === 0 && [SCORES, `${SCORES} must map at least one label to a number${why}`];
  },
  ({ scores }) =>
    [...scores.keys()].some((label) => label.trim() === '') && [
      SCORES,
      `${SCORES} has an empty label`,
    ],
  ({ labels, scores }) => {
    const label = labels.find((each) => !scores.has(each));
    return (
      label !== undefined && [
        SCORES,
        `${SCORES} has no score for the label "${label}" of choice_strings`,
      ]
    );
  },
  ({ labels, scores }) => {
    const label = [...scores.keys()].find((each) => !labels.includes(each));
    return (
      labels.length > 0 &&
      label !== undefined && [
        SCORES,
        `${SCORES} has the label "${label}", which is not in choice_strings`,
      ]
    );
  },
  ({ pass }, { threshold }) =>
    pass !== undefined &&
    threshold !== undefined && [
      'threshold',
      'pass and threshold both define what passes; keep one of them',
    ],
  (choices, { threshold }) => {
    const { scores } = choices;
    const reached = threshold === undefined ? 1 : labelsAt(threshold, choices).length;
    const which = reached === 0 ? 'no' : 'every';
    const all = [...scores.values()].join(', ');
    return (
      threshold !== undefined &&
      (reached === 0 || reached === scores.size) && [
        'threshold',
        `with threshold ${threshold} ${which} label passes; the scores are ${all}`,
      ]
    );
  },
];

/** What is wrong with the labels, their scores and what passes, by key. */
export function choiceProblems(
  choices: ScoredChoices,
  written: WrittenChoices,
): [key: string, message: string][] {
  for (const rule of CHOICE_RULES) {
    const flaw = rule(choices, written);
    if (flaw !== false) return [flaw];
  }
  const { scores, better, pass } = choices;
  return passProblems(scores, better, pass).map((message) => ['pass', message]);
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
  const of = (label: string) => `"${label}" (${String(scores.get(label))})`;
  return [
    `better: ${better} contradicts pass: ${of(found.passes)} passes, but ` +
      `${of(found.fails)}, which is better, does not`,
  ];
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
