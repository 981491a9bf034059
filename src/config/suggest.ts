import { distance } from 'fastest-levenshtein';

/** The known word that `word` most likely means, or null: at most one edit per three letters, case and `-`/`_` aside. */
export function nearest(word: string, known: readonly string[]): string | null {
  const wanted = plain(word);
  // A word longer than any key is no slip of the pen, and long words cost time squared.
  if (wanted === '' || wanted.length > 40) return null;
  const reach = Math.max(1, Math.floor(wanted.length / 3));
  let best: { word: string; edits: number } | null = null;
  for (const candidate of known) {
    const edits = distance(wanted, plain(candidate));
    if (edits <= reach && edits < plain(candidate).length && (best === null || edits < best.edits)) best = { word: candidate, edits };
  }
  return best?.word ?? null;
}

/** `; did you mean "messages"?`, else the known words, else nothing. */
export function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near !== null) return `; did you mean "${near}"?`;
  return known.length === 0 ? '' : `; known are ${known.slice(0, 30).join(', ')}${known.length > 30 ? ', …' : ''}`;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll('-', '').replaceAll('_', '');
}
