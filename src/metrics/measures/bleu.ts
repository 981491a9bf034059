import { countNgrams } from './ngrams.ts';
import { mtevalWords } from './words.ts';

const MAX_ORDER = 4;

/**
 * Sentence BLEU against one or several references, 0–1: sacreBLEU's `sentence_bleu`, tokeniser 13a,
 * exponential smoothing (the k-th order without a match counts as 1 ÷ 2ᵏ of one match), effective
 * order (orders longer than the answer are left out). Papineni et al. (2002); Chen and Cherry
 * (2014), method 3.
 */
export function sentenceBleu(
  candidate: string,
  references: readonly string[],
  ignoreCase: boolean,
): number {
  const words = (text: string): string[] => mtevalWords(ignoreCase ? text.toLowerCase() : text);
  const tokens = words(candidate);
  const targets = references.map(words);
  let logarithms = 0;
  let orders = 0;
  let halving = 1;
  let matched = false;
  for (let order = 1; order <= Math.min(MAX_ORDER, tokens.length); order++) {
    const { correct, total } = clippedMatches(tokens, targets, order);
    if (correct > 0) matched = true;
    else halving *= 2;
    logarithms += Math.log((correct > 0 ? correct : 1 / halving) / total);
    orders++;
  }
  return matched ? brevityPenalty(tokens.length, targets) * Math.exp(logarithms / orders) : 0;
}

/**
 * N-grams of the candidate found in a reference, each clipped to its largest count in any one
 * reference.
 */
export function clippedMatches(
  tokens: readonly string[],
  references: readonly (readonly string[])[],
  order: number,
): { correct: number; total: number } {
  const counts = references.map((reference) => countNgrams(reference, order));
  let correct = 0;
  for (const [gram, count] of countNgrams(tokens, order)) {
    correct += Math.min(count, Math.max(0, ...counts.map((reference) => reference.get(gram) ?? 0)));
  }
  return { correct, total: Math.max(0, tokens.length - order + 1) };
}

/**
 * exp(1 − r ÷ c) for a candidate shorter than the reference nearest to it in length (the shorter of
 * two as near).
 */
function brevityPenalty(length: number, references: readonly (readonly string[])[]): number {
  const lengths = references
    .map((reference) => reference.length)
    .sort((a, b) => Math.abs(a - length) - Math.abs(b - length) || a - b);
  const nearest = lengths[0] ?? 0;
  return length < nearest ? Math.exp(1 - nearest / length) : 1;
}
