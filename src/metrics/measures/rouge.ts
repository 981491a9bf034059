import { n as rougeNOf } from 'js-rouge';
import { fBeta } from './ngrams.ts';
import { rougeWords } from './words.ts';

/** ROUGE-N as F-measure, 0–1. Lin (2004), section 2; tokens of `rougeWords`. */
export function rougeN(candidate: string, reference: string, n: number, beta: number): number {
  const fewest = Math.min(rougeWords(candidate).length, rougeWords(reference).length);
  // The library refuses empty text; fewer words than n share no n-gram.
  return fewest < n ? 0 : rougeNOf(candidate, reference, { n, beta, tokenizer: rougeWords });
}

/**
 * ROUGE-L as F-measure, 0–1, over the whole text as one sentence. Lin (2004), section 3.1. The
 * library's version takes 25 s for two texts of 100 kB; a hostile answer may not hold a run up, so
 * the subsequence is found here.
 */
export function rougeL(candidate: string, reference: string, beta: number): number {
  const one = rougeWords(candidate);
  const other = rougeWords(reference);
  if (one.length === 0 || other.length === 0) return 0;
  const shared = commonSubsequence(one, other);
  return fBeta(shared / one.length, shared / other.length, beta);
}

const WORD_BITS = 32;

/**
 * Length of the longest common subsequence, 32 columns at a time (bit-parallel, Hyyrö 2004: V ← (V
 * + (V & M)) | (V & ¬M), the zero bits of V being the matches).
 */
export function commonSubsequence(one: readonly string[], other: readonly string[]): number {
  const [rows, columns] = one.length > other.length ? [one, other] : [other, one];
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
