/** Lines of a file, from 1; 0: not known. */
export interface LineRange {
  from: number;
  to: number;
}

/** Characters by which the beginning and the end of a folded text are found. */
const ENDS = 24;

const UNKNOWN: LineRange = { from: 0, to: 0 };

/**
 * Where each line of a value's text stands in its file, and at the end the line behind them all. The
 * value begins at `start` (from 1; 0: not known). A line that the file writes otherwise (quoted,
 * escaped) has no place: a wrong one would be worse than none.
 */
export function linePlaces(file: readonly string[], start: number, text: string): LineRange[] {
  const lines = text.split('\n');
  const block = blockStart(file, Math.max(0, start - 1), lines);
  let cursor = Math.max(0, start - 1);
  const places = lines.map((line, i): LineRange => {
    if (block !== null) {
      cursor = block + i + 1;
      return { from: cursor, to: cursor };
    }
    if (line.trim() === '') {
      const isThere = cursor > 0 && file[cursor]?.trim() === '';
      if (isThere) cursor += 1;
      return isThere ? { from: cursor, to: cursor } : UNKNOWN;
    }
    const found = textPlace(file, cursor + 1, line);
    if (found === null) return UNKNOWN;
    cursor = file[found.to - 1]?.trim() === line.trim() ? found.to : found.to - 1;
    return found;
  });
  const isBroken = lines.length > 1 && lines.at(-1)?.trim() === '';
  const last = places.slice(0, isBroken ? -1 : undefined).findLast(({ to }) => to > 0)?.to ?? 0;
  const end = file.at(-1) === '' ? file.length - 1 : file.length;
  return [...places, { from: last + 1, to: last + 1 }].map(({ from, to }) => ({
    from: Math.min(from, end),
    to: Math.min(to, end),
  }));
}

/** The line, from 0, from which the file has all these lines as they are; null: nowhere. */
function blockStart(
  file: readonly string[],
  from: number,
  lines: readonly string[],
): number | null {
  const own = lines.map((line) => line.trim());
  // A block ends with a line break, behind which there is no line.
  if (own.length > 1 && own.at(-1) === '') own.pop();
  if (own.length < 2) return null;
  const at = file.findIndex(
    (_, index) => index >= from && own.every((line, i) => file[index + i]?.trim() === line),
  );
  return at < 0 ? null : at;
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
