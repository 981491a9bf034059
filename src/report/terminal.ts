import stringWidth from 'string-width';
import type { Result } from '../types.ts';
import { logLine } from '../text/log.ts';
import { cut, cutNote } from '../text/cut.ts';
import type { Detail } from './sections/detail.ts';
import type { Block, Inline, Line } from './sections/document.ts';
import { placeText } from './markdown.ts';
import { VERDICTS } from './sections/phrases.ts';
import { sectionBlocks } from './sections/sections.ts';

export interface TerminalOptions {
  /** Columns; no line is longer. At least 20. */
  width: number;
  /** ANSI colours and weights. */
  colour: boolean;
}

const DETAIL: Detail = { suites: 200, answers: 20, counts: 50, characters: 400, items: 20, problems: 500, said: null };

type Style = 'plain' | 'bold' | 'dim' | 'good' | 'bad' | 'open';
interface Run { text: string; style: Style }
/** What stands on one line of the terminal. */
type Row = Run[];

const ANSI: Readonly<Record<Exclude<Style, 'plain'>, string>> = { bold: '1', dim: '2', good: '32', bad: '31', open: '33' };
const GAP = 2;
/** A column of foreign text is not made narrower than its longest word, within these bounds; else the table becomes a list. */
const NARROWEST = 10;
const WIDEST_WORD = 24;

/** The report for a terminal (or a log: no line can be a workflow command), each line within the width and ended. */
export function renderTerminal(result: Result, options: TerminalOptions): string {
  return `${renderBlocks(sectionBlocks(result, DETAIL), options)}\n`;
}

export function renderBlocks(blocks: readonly Block[], { width, colour }: TerminalOptions): string {
  const rows = blocks.flatMap((block) => [...blockRows(block, Math.max(20, width)), []]);
  const lines = rows.map((row) => joinedRuns(row).map((run) => paint(run, colour)).join(''));
  return lines.filter((line, index) => line !== '' || (lines[index + 1] ?? '') !== '').join('\n');
}

/** Neighbours of one style as one, so that a phrase is not painted word by word; no blanks at the end. */
function joinedRuns(row: Row): Row {
  const joined: Row = [];
  for (const run of row) {
    const last = joined.at(-1);
    if (last?.style === run.style) last.text += run.text;
    else joined.push({ ...run });
  }
  for (let end = joined.at(-1); end !== undefined; end = joined.at(-1)) {
    end.text = end.text.trimEnd();
    if (end.text !== '') break;
    joined.pop();
  }
  return joined;
}

function paint({ text, style }: Run, colour: boolean): string {
  return colour && style !== 'plain' ? `\u001b[${ANSI[style]}m${text}\u001b[0m` : text;
}

function blockRows(block: Block, width: number): Row[] {
  switch (block.kind) {
    case 'paragraph': return wrapped(runs(block.line, block.tone === 'small' ? 'dim' : 'plain'), width);
    case 'list': return block.items.flatMap((item) => hanging('- ', runs(item), width));
    case 'table': return tableRows(block, width);
    case 'facts': return [
      ...wrapped(runs(block.title, 'bold'), width),
      ...pairRows(block.rows.map(({ name, value }) => [runs(name, 'dim'), runs(value)]), width), [],
    ];
    case 'group': return [
      ...wrapped(runs(block.summary, 'bold'), width),
      ...block.blocks.flatMap((inner) => indented(blockRows(inner, width - GAP))),
    ];
  }
}

function runs(line: Line, style: Style = 'plain'): Run[] {
  return line.flatMap((part) => runsOf(part, style));
}

function runsOf(part: Inline, style: Style): Run[] {
  const run = (text: string, own: Style = style): Run => ({ text: text === '\n' ? text : logLine(text), style: own });
  switch (part.kind) {
    case 'text': return [run(part.text)];
    case 'strong': return [run(part.text, 'bold')];
    case 'code': {
      const { text, left } = cut(part.text, part.limit);
      return [run(text === '' ? '(empty)' : `${onOneLine(text)}${cutNote(left)}`)];
    }
    case 'pieces': return part.pieces.map(({ kind, text }) => run(kind === 'gap' ? ` ${text} ` : onOneLine(text), kind === 'changed' ? 'bold' : kind === 'gap' ? 'dim' : style));
    case 'place': return [run(placeText(part))];
    case 'verdict': {
      const { sign, word } = VERDICTS[part.verdict];
      return [run(`${sign} ${word}`, VERDICT_STYLES.get(part.verdict) ?? style)];
    }
    case 'link': return [run(`${part.text} ${part.url}`)];
    case 'break': return [run('\n')];
  }
}

/** Foreign text has no lines of its own here; where one ended is shown. */
function onOneLine(text: string): string {
  return text.replace(/\s*\r?\n\s*/g, ' ↵ ');
}

const VERDICT_STYLES: ReadonlyMap<string, Style> = new Map([['regressed', 'bad'], ['improved', 'good'], ['unchanged', 'good'], ['inconclusive', 'open']]);

/** Line ends, blanks, and words; a path may also be broken after a slash. */
const WORDS = /\n|[^\S\n]+|[^\s/]*\/|[^\s/]+/g;

/** What no line may be broken in: a line end, blanks, or a word, of several runs where they touch (a name and the comma after it). */
function unbroken(given: readonly Run[]): Run[][] {
  const units: Run[][] = [];
  let open = false;
  for (const { text, style } of given) {
    for (const part of text.match(WORDS) ?? []) {
      const word = part.trim() !== '';
      if (word && open) units.at(-1)?.push({ text: part, style });
      else units.push([{ text: part, style }]);
      open = word && !part.endsWith('/');
    }
  }
  return units;
}

/** Breaks runs into rows of at most `width` columns, between words where it can. */
function wrapped(given: readonly Run[], width: number): Row[] {
  const rows: Row[] = [[]];
  let used = 0;
  const next = (): void => {
    rows.push([]);
    used = 0;
  };
  const put = (run: Run): void => {
    rows.at(-1)?.push(run);
    used += stringWidth(run.text);
  };
  for (const unit of unbroken(given)) {
    const [text, columns] = [unit.map((run) => run.text).join(''), rowWidth(unit)];
    if (text === '\n') {
      next();
      continue;
    }
    if (used + columns > width && used > 0) next();
    if (text.trim() === '') {
      if (used > 0) put({ text: ' ', style: unit[0]?.style ?? 'plain' });
    } else if (columns <= width) unit.forEach(put);
    else chopped(unit, width).forEach((run) => {
      if (used + stringWidth(run.text) > width) next();
      put(run);
    });
  }
  return rows;
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A word that is wider than a line, in parts that fill one line each. */
function chopped(word: readonly Run[], width: number): Run[] {
  const parts: Run[] = [];
  let used = 0;
  for (const { text, style } of word) {
    let part = '';
    for (const { segment } of GRAPHEMES.segment(text)) {
      const columns = stringWidth(segment);
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
  return row.reduce((sum, { text }) => sum + stringWidth(text), 0);
}

function spaces(columns: number): Run {
  return { text: ' '.repeat(Math.max(0, columns)), style: 'plain' };
}

function indented(rows: readonly Row[]): Row[] {
  return rows.map((row) => [spaces(GAP), ...row]);
}

function hanging(mark: string, item: readonly Run[], width: number): Row[] {
  return wrapped(item, width - mark.length).map((row, index) => [index === 0 ? { text: mark, style: 'plain' as const } : spaces(mark.length), ...row]);
}

/** All columns side by side; else the last one below its row; else every row as a list of names and values. */
function tableRows(table: Extract<Block, { kind: 'table' }>, width: number): Row[] {
  const head = table.head.map((cell) => runs(cell, 'bold'));
  const rows = table.rows.map((row) => row.map((cell) => runs(cell)));
  const columns = head.map((title, index): Column => {
    const cells = rows.map((row) => row[index] ?? []);
    const rigid = table.rows.every((row) => isOurs(row[index] ?? []));
    return { natural: Math.max(widest(title), widestOf(cells)), least: Math.max(longestWord(title), rigid ? widestOf(cells) : Math.min(WIDEST_WORD, cells.reduce((most, cell) => Math.max(most, longestWord(cell)), NARROWEST))) };
  });
  for (const shown of [columns.length, columns.length - 1]) {
    const widths = shown < 2 ? null : shrunk(columns.slice(0, shown), width - GAP * (shown - 1));
    if (widths === null) continue;
    const rule = widths.map((one): Run[] => [{ text: '─'.repeat(one), style: 'dim' }]);
    const below = (row: Run[][]): Row[] => (shown === columns.length ? []
      : indented(hanging('', [...head.at(-1) ?? [], { text: ': ', style: 'plain' }, ...row.at(-1) ?? []], width - GAP)));
    return [...sideBySide(head, widths), ...sideBySide(rule, widths), ...rows.flatMap((row) => [...sideBySide(row, widths), ...below(row)])];
  }
  return rows.flatMap((row) => [...pairRows(row.map((cell, column) => [head[column] ?? [], cell]), width), []]);
}

/** Our own words and numbers, which are not broken. */
function isOurs(cell: Line): boolean {
  return cell.every(({ kind }) => kind === 'text' || kind === 'verdict' || kind === 'break');
}

/** The width a column would like, and the one it needs. */
interface Column { natural: number; least: number }

function widest(cell: readonly Run[]): number {
  return wrapped(cell, Infinity).reduce((most, row) => Math.max(most, rowWidth(row)), 0);
}

function widestOf(cells: readonly Run[][]): number {
  return cells.reduce((most, cell) => Math.max(most, widest(cell)), 0);
}

function longestWord(cell: readonly Run[]): number {
  return unbroken(cell).reduce((most, unit) => Math.max(most, rowWidth(unit)), 0);
}

/** Takes from the widest column that can spare something until all fit; null when they cannot. */
function shrunk(columns: readonly Column[], room: number): number[] | null {
  const widths = columns.map(({ natural }) => natural);
  for (let over = widths.reduce((sum, one) => sum + one, 0) - room; over > 0; over -= 1) {
    let most = -1;
    columns.forEach(({ least }, index) => {
      if ((widths[index] ?? 0) > least && (widths[index] ?? 0) > (widths[most] ?? 0)) most = index;
    });
    if (most < 0) return null;
    widths[most] = (widths[most] ?? 0) - 1;
  }
  return widths;
}

function sideBySide(cells: readonly Run[][], widths: readonly number[]): Row[] {
  const columns = widths.map((columnWidth, index) => wrapped(cells[index] ?? [], columnWidth));
  const height = columns.reduce((most, rows) => Math.max(most, rows.length), 0);
  return Array.from({ length: height }, (_, line) => columns.flatMap((rows, index) => {
    const row = rows[line] ?? [];
    return [...row, spaces((widths[index] ?? 0) - rowWidth(row) + (index === columns.length - 1 ? 0 : GAP))];
  }));
}

/** Name and value side by side, the values aligned. */
function pairRows(pairs: readonly [Run[], Run[]][], width: number): Row[] {
  const names = Math.min(Math.floor(width / 3), pairs.reduce((most, [name]) => Math.max(most, widest(name)), 0));
  return indented(pairs.flatMap((pair) => sideBySide(pair, [names, width - names - 2 * GAP])));
}
