import { distance } from 'fastest-levenshtein';

/** The known name that a misspelt one most likely means; null when none is near. */
export function nearest(name: string, known: readonly string[]): string | null {
  const ranked = known.map((one) => ({ one, edits: distance(name.toLowerCase(), one) })).sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best !== undefined && best.edits <= Math.max(2, name.length / 3) ? best.one : null;
}
