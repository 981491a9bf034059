/** Texts with more insertions and deletions count as unrelated. */
export const MAX_DIFF_EDITS = 2_000;

/** If the only change is a removal at word boundaries, returns the removed text. */
export function cutOut(before: string, after: string): string | null {
  const length = before.length - after.length;
  if (length <= 0 || after === '') return null;
  let from = 0;
  while (from < after.length && before[from] === after[from]) from += 1;
  if (before.slice(from + length) !== after.slice(from)) return null;
  while (from > 0 && before[from - 1] === before[from + length - 1]) from -= 1;
  const cut = before.slice(from, from + length);
  const parted = [from, from + length].some((at) => TWO_LETTERS.test(before.slice(at - 1, at + 1)));
  return parted || cut.trim() === '' ? null : cut;
}

const TWO_LETTERS = /^[\p{L}\p{M}\p{N}_]{2}$/u;
