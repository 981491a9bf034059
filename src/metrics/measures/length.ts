export const units = ['characters', 'words', 'lines', 'bytes'] as const;

/**
 * Length of a text. Empty text has no words and no lines; a last line without a line end counts.
 */
export function lengthIn(text: string, unit: (typeof units)[number]): number {
  if (unit === 'characters') return codePoints(text);
  if (unit === 'bytes') return new TextEncoder().encode(text).length;
  if (unit === 'words') return text.split(/\s+/).filter((word) => word !== '').length;
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
