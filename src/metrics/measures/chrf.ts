import { countNgrams, fBeta, overlap } from './ngrams.ts';

export interface ChrfOptions {
  char_order: number;
  word_order: number;
  beta: number;
}

/**
 * Sentence chrF, 0–1: sacreBLEU's `sentence_chrf` (white space removed, effective order: an order
 * counts only where both texts have n-grams of it). With `word_order` 2 it is chrF++. Popović
 * (2015, 2017).
 */
export function chrf(
  candidate: string,
  reference: string,
  { char_order, word_order, beta }: ChrfOptions,
): number {
  const sums = { precision: 0, recall: 0, orders: 0 };
  addOrders(characters(candidate), characters(reference), char_order, sums);
  if (word_order > 0) addOrders(wordsOf(candidate), wordsOf(reference), word_order, sums);
  return sums.orders === 0
    ? 0
    : fBeta(sums.precision / sums.orders, sums.recall / sums.orders, beta);
}

function addOrders(
  one: string[],
  other: string[],
  highest: number,
  sums: { precision: number; recall: number; orders: number },
): void {
  for (let order = 1; order <= Math.min(highest, one.length, other.length); order++) {
    const shared = overlap(countNgrams(one, order), countNgrams(other, order));
    sums.precision += shared / (one.length - order + 1);
    sums.recall += shared / (other.length - order + 1);
    sums.orders++;
  }
}

function characters(text: string): string[] {
  return Array.from(text.replace(/\s/g, ''));
}

const PUNCTUATION = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');

/** Words with one leading or trailing ASCII punctuation mark set apart, as chrF++ counts them. */
function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const last = word.at(-1) ?? '';
      const first = word.charAt(0);
      if (word.length > 1 && PUNCTUATION.has(last)) return [word.slice(0, -1), last];
      if (word.length > 1 && PUNCTUATION.has(first)) return [first, word.slice(1)];
      return [word];
    });
}
