import stringWidth from 'string-width';

export type Style = 'plain' | 'bold' | 'dim' | 'good' | 'bad' | 'open';

export interface Run {
  text: string;
  style: Style;
}

const NARROW = /^[ -~¡-¬®-ɏͰ-҂Ҋ-ԯ‐-‧‰-⁞←-⋿─-◼✓-✗]*$/;

/** Calls the library only for wide characters, because it is slow on its first emoji. */
export function columnsOf(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

export type Row = Run[];

export const GAP = 2;

/** `5 %` counts as one word, and a path may be wrapped after a slash. */
const WRAP_TOKENS = /\n|[^\S\n]+|[^\s/]*\/|[^\s/]+(?:(?<=\d) %[^\s/]*)?/g;

/** Groups pieces that must not be separated, such as a name and its comma. */
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

export function wrapRuns(given: readonly Run[], width: number): Row[] {
  const rows: Row[] = [[]];
  let used = 0;
  const next = () => {
    rows.push([]);
    used = 0;
  };
  const put = (run: Run) => {
    rows.at(-1)?.push(run);
    used += columnsOf(run.text);
  };
  for (const unit of unbrokenUnits(given)) {
    const text = unit.map((run) => run.text).join('');
    const columns = rowWidth(unit);
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

export function indentRows(rows: readonly Row[]): Row[] {
  return rows.map((row) => [spaces(GAP), ...row]);
}

export function hanging(mark: string, item: readonly Run[], width: number): Row[] {
  return wrapRuns(item, width - mark.length).map((row, index) => [
    index === 0 ? { text: mark, style: 'plain' as const } : spaces(mark.length),
    ...row,
  ]);
}

export function widest(cell: readonly Run[]): number {
  return wrapRuns(cell, Infinity).reduce((most, row) => Math.max(most, rowWidth(row)), 0);
}

export function widestOf(cells: readonly Run[][]): number {
  return cells.reduce((most, cell) => Math.max(most, widest(cell)), 0);
}

export function longestWord(cell: readonly Run[]): number {
  return unbrokenUnits(cell).reduce((most, unit) => Math.max(most, rowWidth(unit)), 0);
}

export interface TextCell {
  content: readonly Run[];
  width: number;
}

export function sideBySide(cells: readonly TextCell[]): Row[] {
  const columns = cells.map(({ content, width }) => ({ width, rows: wrapRuns(content, width) }));
  const height = columns.reduce((most, { rows }) => Math.max(most, rows.length), 0);
  return Array.from({ length: height }, (_, line) =>
    columns.flatMap(({ width, rows }, index) => {
      const row = rows.at(line) ?? [];
      return [...row, spaces(width - rowWidth(row) + (index === columns.length - 1 ? 0 : GAP))];
    }),
  );
}

export function pairRows(pairs: readonly [Run[], Run[]][], width: number): Row[] {
  const names = Math.min(
    Math.floor(width / 3),
    pairs.reduce((most, [name]) => Math.max(most, widest(name)), 0),
  );
  return indentRows(
    pairs.flatMap(([name, value]) =>
      sideBySide([
        { content: name, width: names },
        { content: value, width: width - names - 2 * GAP },
      ]),
    ),
  );
}
