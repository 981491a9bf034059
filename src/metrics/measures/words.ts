import { normaliseText } from './normalise.ts';

export const units = ['characters', 'words', 'lines', 'bytes'] as const;

export function lengthIn(text: string, unit: (typeof units)[number]): number {
  if (unit === 'characters') return codePoints(text);
  if (unit === 'bytes') return new TextEncoder().encode(text).length;
  if (unit === 'words') return wordsIn(text).length;
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

const JOIN = ' ';

export function countNgrams(tokens: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let start = 0; start + n <= tokens.length; start++) {
    const gram = n === 1 ? (tokens[start] ?? '') : tokens.slice(start, start + n).join(JOIN);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

export function overlap(
  left: ReadonlyMap<string, number>,
  right: ReadonlyMap<string, number>,
): number {
  let shared = 0;
  for (const [gram, count] of left) shared += Math.min(count, right.get(gram) ?? 0);
  return shared;
}

export function fBeta(precision: number, recall: number, beta: number): number {
  const denominator = beta * beta * precision + recall;
  return denominator === 0 ? 0 : ((1 + beta * beta) * precision * recall) / denominator;
}

export function f1(shared: number, found: number, wanted: number): number {
  return found + wanted === 0 ? 1 : (2 * shared) / (found + wanted);
}

const WORD_TOKEN =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[[\p{L}\p{N}\p{M}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]]+/gv;

export function rougeWords(text: string): string[] {
  return text.normalize('NFC').toLowerCase().match(WORD_TOKEN) ?? [];
}

/**
 * Normalises as SQuAD does, but keeps points and signs in numbers. Keeps articles if the text has
 * no other words.
 */
export function squadWords(text: string): string[] {
  const plain = normaliseText(text, { ignore_case: true, trim: true, ignore_punctuation: true });
  const words = wordsIn(plain).filter((word) => word !== 'a' && word !== 'an' && word !== 'the');
  return [words, wordsIn(plain), wordsIn(text)].find((found) => found.length > 0) ?? [];
}

function wordsIn(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

const SYMBOL = /[{|}~[\\\]^_`!"#$%&()*+:;<=>?@/]/g;

/** Tokens of the NIST script mteval-v13a, which is sacreBLEU's default. */
export function mtevalWords(text: string): string[] {
  const plain = unescape(
    text.replaceAll('<skipped>', '').replaceAll('-\n', '').replaceAll('\n', ' '),
  );
  const apart = ` ${plain} `
    .replace(SYMBOL, ' $& ')
    .replace(/([^0-9])([.,])/g, '$1 $2 ')
    .replace(/([.,])([^0-9])/g, ' $1 $2')
    .replace(/([0-9])(-)/g, '$1 $2 ');
  return wordsIn(apart);
}

function unescape(text: string): string {
  return text.includes('&')
    ? text
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
    : text;
}
