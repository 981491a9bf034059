import { distance } from 'fastest-levenshtein';

/**
 * Ignores case, `-` and `_`. `typo` allows one edit, `strict` one per three letters (at least one),
 * and `loose` at least two in words of four or more letters.
 */
export function nearest(
  word: string,
  known: readonly string[],
  reading: 'strict' | 'loose' | 'typo' = 'loose',
): string | null {
  const wanted = comparableWord(word);
  if (wanted === '' || wanted.length > 40) return null;
  const least = reading === 'loose' && wanted.length > 3 ? 2 : 1;
  const reach = reading === 'typo' ? 1 : Math.max(least, Math.floor(wanted.length / 3));
  const [best] = known
    .map((candidate) => ({
      candidate,
      edits: editsBetween(wanted, comparableWord(candidate)),
      length: comparableWord(candidate).length,
    }))
    .filter(({ edits, length }) => edits <= reach && edits < length)
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate ?? null;
}

/** Two letters in the wrong order are one edit. */
function editsBetween(word: string, other: string): number {
  const swapped = [...word.slice(1)].map(
    (letter, i) => word.slice(0, i) + letter + word.charAt(i) + word.slice(i + 2),
  );
  return Math.min(distance(word, other), ...swapped.map((each) => 1 + distance(each, other)));
}

export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? '' : `; did you mean "${near}"?`;
}

export function didYouMean(word: string, known: readonly string[]): string {
  const near = suggestion(word, known);
  if (near !== '') return near;
  return known.length === 0
    ? ''
    : `; known are ${known.slice(0, 30).join(', ')}${known.length > 30 ? ', …' : ''}`;
}

function comparableWord(word: string): string {
  return word.toLowerCase().replaceAll('-', '').replaceAll('_', '');
}
