import stringWidth from 'string-width';

export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'bad' | 'open';

/** Text of one style. A line end stands alone. */
export interface Run {
  text: string;
  style: Style;
}

/** Letters of alphabets, punctuation, arrows, mathematics, boxes and ticks. */
const NARROW = /^[ -~¡-¬®-ɏͰ-҂Ҋ-ԯ‐-‧‰-⁞←-⋿─-◼✓-✗]*$/;

/**
 * Columns of a text. Most texts have one for each of their characters; that is not left to the
 * library, which takes longer for its first emoji than a small run for its whole report.
 */
export function columnsOf(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** What stands on one line of the terminal. */
export type Row = Run[];

/** Columns between two columns, and before what is indented. */
export const GAP = 2;

/** Line ends, blanks, and words, `5 %` being one; a path may also be broken after a slash. */
const WRAP_TOKENS = /\n|[^\S\n]+|[^\s/]*\/|[^\s/]+(?:(?<=\d) %[^\s/]*)?/g;

/**
 * What no line may be broken in: a line end, blanks, or a word, of several runs where they touch (a
 * name and the comma after it).
 */
function unbrokenUnits(given: readonly Run[]): Run[][] {
  const units: Run[][] = [];
  let open = false;
  for (const { text, style } of given) {
    for (const part of text.match(WRAP_TOKENS) ?? []) {
      const word = part.trim() !== '';
      if (word && open) units.at(-1)?.push({ text: part, style });
      else units.push([{ text: part, style }]);
      open = word && !part.endsWith('/');
    }
  }
  return units;
}

/** Breaks runs into rows of at most `width` columns, between words where it can. */
export function wrapRuns(given: readonly Run[], width: number): Row[] {
  const rows: Row[] = [[]];
  let used = 0;
  const next = (): void => {
    rows.push([]);
    used = 0;
  };
  const put = (run: Run): void => {
    rows.at(-1)?.push(run);
    used += columnsOf(run.text);
  };
  for (const unit of unbrokenUnits(given)) {
    const [text, columns] = [unit.map((run) => run.text).join(''), rowWidth(unit)];
    if (text === '\n') {
      next();
      continue;
    }
    if (used + columns > width && used > 0) next();
    if (text.trim() === '') {
      if (used > 0) put({ text: ' ', style: unit[0]?.style ?? 'plain' });
    } else if (columns <= width) unit.forEach(put);
    else
      chopWord(unit, width).forEach((run) => {
        if (used + columnsOf(run.text) > width) next();
        put(run);
      });
  }
  return rows;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A word that is wider than a line, in parts that fill one line each. */
function chopWord(word: readonly Run[], width: number): Run[] {
  const parts: Run[] = [];
  let used = 0;
  for (const { text, style } of word) {
    let part = '';
    for (const { segment } of GRAPHEMES.segment(text)) {
      const columns = columnsOf(segment);
      if (used + columns > width && used > 0) {
        parts.push({ text: part, style });
        [part, used] = ['', 0];
      }
      part += segment;
      used += columns;
    }
    parts.push({ text: part, style });
  }
  return parts;
}

function rowWidth(row: Row): number {
  return row.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

function spaces(columns: number): Run {
  return { text: ' '.repeat(Math.max(0, columns)), style: 'plain' };
}

/** A little to the right, as what belongs to the row above. */
export function indentRows(rows: readonly Row[]): Row[] {
  return rows.map((row) => [spaces(GAP), ...row]);
}

/** The first row behind a mark, the others below its text. */
export function hanging(mark: string, item: readonly Run[], width: number): Row[] {
  return wrapRuns(item, width - mark.length).map((row, index) => [
    index === 0 ? { text: mark, style: 'plain' as const } : spaces(mark.length),
    ...row,
  ]);
}

/** Columns that a cell takes where nothing makes it break. */
export function widest(cell: readonly Run[]): number {
  return wrapRuns(cell, Infinity).reduce((most, row) => Math.max(most, rowWidth(row)), 0);
}

export function widestOf(cells: readonly Run[][]): number {
  return cells.reduce((most, cell) => Math.max(most, widest(cell)), 0);
}

/** Columns below which a cell would have to break within a word. */
export function longestWord(cell: readonly Run[]): number {
  return unbrokenUnits(cell).reduce((most, unit) => Math.max(most, rowWidth(unit)), 0);
}

/**
 * Cells beside each other, each broken to the width of its column, in as many rows as the highest
 * takes.
 */
export function sideBySide(cells: readonly Run[][], widths: readonly number[]): Row[] {
  const columns = widths.map((columnWidth, index) => wrapRuns(cells[index] ?? [], columnWidth));
  const height = columns.reduce((most, rows) => Math.max(most, rows.length), 0);
  return Array.from({ length: height }, (_, line) =>
    columns.flatMap((rows, index) => {
      const row = rows[line] ?? [];
      return [
        ...row,
        spaces((widths[index] ?? 0) - rowWidth(row) + (index === columns.length - 1 ? 0 : GAP)),
      ];
    }),
  );
}

/** Name and value side by side, the values aligned. */
export function pairRows(pairs: readonly [Run[], Run[]][], width: number): Row[] {
  const names = Math.min(
    Math.floor(width / 3),
    pairs.reduce((most, [name]) => Math.max(most, widest(name)), 0),
  );
  return indentRows(pairs.flatMap((pair) => sideBySide(pair, [names, width - names - 2 * GAP])));
}
