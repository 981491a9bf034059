/**
 * What was cut out of a text, where nothing else was done to it and no word was parted; null: it is
 * another change. Of equal places the first: `Never say no. Never say yes.` without its beginning
 * lacks `Never say no. `.
 */
export function cutOut(before: string, after: string): string | null {
  const length = before.length - after.length;
  if (length <= 0 || after === '') return null;
  let from = 0;
  while (from < after.length && before[from] === after[from]) from += 1;
  if (before.slice(from + length) !== after.slice(from)) return null;
  while (from > 0 && before[from - 1] === before[from + length - 1]) from -= 1;
  const cut = before.slice(from, from + length);
  const parted = [from, from + length].some((at) => isInWord(before, at));
  return parted || cut.trim() === '' ? null : cut;
}

const LETTER = /[\p{L}\p{M}\p{N}_]/u;

/** Letters stand on both sides of the place. */
function isInWord(text: string, at: number): boolean {
  return LETTER.test(text[at - 1] ?? '') && LETTER.test(text[at] ?? '');
}
