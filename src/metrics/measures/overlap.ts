import { n as rougeNOf } from 'js-rouge';
import { foldCase } from './normalise.ts';
import { countNgrams, fBeta, mtevalWords, rougeWords } from './words.ts';

const MAX_ORDER = 4;

/** promptfoo replaces a precision of 0 by this value. */
const PRECISION_FLOOR = 1e-7;

/**
 * Equals sacreBLEU's `sentence_bleu`, 0 to 1: tokeniser 13a, exponential smoothing, effective
 * order. Papineni et al. (2002); Chen and Cherry (2014), method 3. With `spaces` and `floor`, the
 * values equal promptfoo's.
 */
export function sentenceBleu(
  candidate: string,
  references: readonly string[],
  {
    ignore_case,
    words: by,
    smoothing,
  }: { ignore_case: boolean; words: '13a' | 'spaces'; smoothing: 'exp' | 'floor' },
): number {
  const words = (text: string) => {
    const cased = ignore_case ? foldCase(text) : text;
    return by === '13a' ? mtevalWords(cased) : cased.split(/\s+/).filter((word) => word !== '');
  };
  const tokens = words(candidate);
  const targets = references.map(words);
  let logarithms = 0;
  let orders = 0;
  let halving = 1;
  let matched = smoothing === 'floor' && tokens.length > 0;
  for (let order = 1; order <= Math.min(MAX_ORDER, tokens.length); order++) {
    const { correct, total } = clippedMatches(tokens, targets, order);
    if (correct > 0) matched = true;
    else halving *= 2;
    const unmatched = smoothing === 'floor' ? PRECISION_FLOOR * total : 1 / halving;
    logarithms += Math.log((correct > 0 ? correct : unmatched) / total);
    orders++;
  }
  return matched ? brevityPenalty(tokens.length, targets) * Math.exp(logarithms / orders) : 0;
}

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
 * exp(1 − r ÷ c) if the candidate's length c is below the nearest reference's r (in a tie, the
 * shorter one).
 */
function brevityPenalty(length: number, references: readonly (readonly string[])[]): number {
  const lengths = references
    .map((reference) => reference.length)
    .sort((a, b) => Math.abs(a - length) - Math.abs(b - length) || a - b);
  const nearest = lengths[0] ?? 0;
  return length < nearest ? Math.exp(1 - nearest / length) : 1;
}

/** Returns ROUGE-N as F-measure, 0–1. Lin (2004), section 2. */
export function rougeN(candidate: string, reference: string, n: number, beta: number): number {
  const fewest = Math.min(rougeWords(candidate).length, rougeWords(reference).length);
  // The library throws on empty text, and fewer than n words have no n-gram.
  return fewest < n ? 0 : rougeNOf(candidate, reference, { n, beta, tokenizer: rougeWords });
}

/**
 * Lin (2004), section 3.1. Our own code, because the library takes 25 s for two texts of 100 kB.
 */
export function rougeL(candidate: string, reference: string, beta: number): number {
  const words = rougeWords(candidate);
  const wanted = rougeWords(reference);
  if (words.length === 0 || wanted.length === 0) return 0;
  const shared = commonSubsequence(words, wanted);
  return fBeta(shared / words.length, shared / wanted.length, beta);
}

const WORD_BITS = 32;

/**
 * Processes 32 columns at a time (Hyyrö 2004: V ← (V + (V & M)) | (V & ¬M); zero bits of V are
 * matches).
 */
export function commonSubsequence(left: readonly string[], right: readonly string[]): number {
  const [rows, columns] = left.length > right.length ? [left, right] : [right, left];
  const width = Math.ceil(columns.length / WORD_BITS);
  const masks = new Map<string, Int32Array>();
  columns.forEach((token, index) => {
    const mask = masks.get(token) ?? new Int32Array(width);
    const word = Math.floor(index / WORD_BITS);
    mask[word] = (mask[word] ?? 0) | (1 << (index % WORD_BITS));
    masks.set(token, mask);
  });
  const state = new Int32Array(width).fill(-1);
  for (const token of rows) {
    const mask = masks.get(token);
    if (mask !== undefined) advance(state, mask);
  }
  return columns.reduce(
    (length, _, index) =>
      length + (((state[Math.floor(index / WORD_BITS)] ?? 0) >>> (index % WORD_BITS)) & 1 ? 0 : 1),
    0,
  );
}

function advance(state: Int32Array, mask: Int32Array): void {
  let carry = 0;
  for (let word = 0; word < state.length; word++) {
    const before = state[word] ?? 0;
    const matches = before & (mask[word] ?? 0);
    const sum = (before >>> 0) + (matches >>> 0) + carry;
    carry = sum > 0xffffffff ? 1 : 0;
    state[word] = sum | 0 | (before & ~(mask[word] ?? 0));
  }
}
