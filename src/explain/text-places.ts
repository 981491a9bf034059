/** Lines of a file, from 1. */
export interface LineRange {
  from: number;
  to: number;
}

/** Characters by which the beginning and the end of a folded text are found. */
const ENDS = 24;

/**
 * Where each line of a value's text stands in its file, which begins at `start` (from 1; 0: not
 * known). A line that the file writes otherwise (quoted, escaped) stands where the value begins.
 */
export function linePlaces(file: readonly string[], start: number, text: string): LineRange[] {
  let cursor = Math.max(0, start - 1);
  return text.split('\n').map((line) => {
    const found = textPlace(file, cursor + 1, line);
    if (found === null) return { from: start, to: start };
    cursor = file[found.to - 1]?.trim() === line.trim() ? found.to : found.to - 1;
    return found;
  });
}

/** Where a text of one line stands, at `from` or below it; null: nowhere as it is. */
export function textPlace(file: readonly string[], from: number, text: string): LineRange | null {
  const wanted = text.trim();
  if (wanted === '') return null;
  const at = indexFrom(file, from - 1, wanted);
  if (at >= 0) return { from: at + 1, to: at + 1 };
  // A folded block writes one line as several.
  const first = indexFrom(file, from - 1, wanted.slice(0, ENDS));
  if (first < 0) return null;
  const last = indexFrom(file, first, wanted.slice(-ENDS));
  return { from: first + 1, to: Math.max(first, last) + 1 };
}

function indexFrom(file: readonly string[], from: number, wanted: string): number {
  return file.findIndex((line, index) => index >= from && line.includes(wanted));
}
