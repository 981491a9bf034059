import type { Json, Place } from '../types.ts';
import { isMap, pathText, valueAt } from './document.ts';
import type { Document, Path } from './document.ts';

export interface Choices {
  scores: Map<string, number>;
  problem: { place: Place; message: string } | null;
}

/**
 * Answers and their scores in the spellings of FlexEval and autoevals (`choice_scores`),
 * openai/evals (`choice_strings` beside it, or `choice_scores: from_strings`), Phoenix (`choices`)
 * and GitHub Models (a list of `{choice, score}`).
 */
export function readChoices(
  document: Document,
  path: Path,
  strings: string | readonly string[] | undefined,
): Choices {
  const key =
    valueAt(document.value, [...path, 'choice_scores']) === undefined &&
    valueAt(document.value, [...path, 'choices']) !== undefined
      ? 'choices'
      : 'choice_scores';
  const at = [...path, key];
  const labels = typeof strings === 'string' ? [...strings] : (strings ?? []);
  const refuse = (message: string): Choices => ({
    scores: new Map(),
    problem: { place: document.placeOf(at), message: `${pathText(at)} ${message}` },
  });
  const given = valueAt(document.value, at);
  const scores = scoresOf(given, labels);
  const message =
    fromSeveral(strings) ??
    unusable(scores, labels, given) ??
    mismatch([...(scores?.keys() ?? [])], labels);
  return message !== null || scores === null ? refuse(message ?? '') : { scores, problem: null };
}

/** openai/evals' labels that stand for one of several answers. */
function fromSeveral(strings: string | readonly string[] | undefined): string | null {
  if (typeof strings !== 'string' || !/^from_n(?:_|$)/.test(strings)) return null;
  return 'cannot be used: choice_strings from_n compares several answers, and a rubric judges one; pairwise_preference compares base with head';
}

function unusable(
  scores: ReadonlyMap<string, number> | null,
  labels: readonly string[],
  given: Json | undefined,
): string | null {
  if (scores !== null && scores.size > 0)
    return [...scores.keys()].some((label) => label.trim() === '') ? 'has an empty answer' : null;
  return `must map at least one answer to a number${labels.length > 0 && given === undefined ? '; choice_strings names answers and scores none' : ''}`;
}

function mismatch(scored: readonly string[], labels: readonly string[]): string | null {
  const unscored = labels.find((label) => !scored.includes(label));
  if (unscored !== undefined) return `has no score for "${unscored}" of choice_strings`;
  const unlisted =
    labels.length === 0 ? undefined : scored.find((label) => !labels.includes(label));
  return unlisted === undefined ? null : `has "${unlisted}", which choice_strings has not`;
}

function scoresOf(value: Json | undefined, labels: readonly string[]): Map<string, number> | null {
  const entries =
    value === 'from_strings'
      ? labels.map((label): [string, Json] => [label, Number(label)])
      : entriesOf(value);
  const scores = new Map<string, number>();
  for (const [label, score] of entries ?? []) {
    if (typeof score !== 'number' || !Number.isFinite(score) || scores.has(label)) return null;
    scores.set(label, score);
  }
  return entries === null ? null : scores;
}

function entriesOf(value: Json | undefined): [string, Json][] | null {
  if (isMap(value)) return Object.entries(value);
  if (!Array.isArray(value)) return null;
  return value.map((item) =>
    isMap(item) ? [String(item['choice'] ?? ''), item['score'] ?? null] : ['', null],
  );
}
