import type { Result } from '../kernel/result/result.ts';
import { logLine } from '../text/log.ts';
import { DIFF_SIGNS } from '../text/markdown.ts';
import { blankWords, cut, cutNote, shorten } from '../text/visible.ts';
import type { Tone } from '../wording/outcomes.ts';
import type { Detail } from './sections/detail.ts';
import {
  paragraph,
  placeText,
  type Block,
  type Inline,
  type Line,
  type Piece,
  isOurs,
  lineBreak,
} from './sections/document.ts';
import type { Reports } from './sections/feature-report.ts';
import { SECTION_NAMES, sectionBlocks } from './sections/index.ts';
import {
  GAP,
  hanging,
  indentRows,
  longestWord,
  pairRows,
  sideBySide,
  type TextCell,
  type Row,
  type Run,
  type Style,
  widest,
  widestOf,
  wrapRuns,
} from './terminal-rows.ts';

export interface TerminalOptions {
  /** In columns, at least 20. */
  width: number;
  colour: boolean;
  folded?: boolean;
}

const DETAIL: Detail = {
  suites: 200,
  answers: 20,
  answersPerFailure: 3,
  lines: 40,
  counts: 50,
  characters: 400,
  collapsedItems: 20,
  problems: 500,
  showsUnmovedMetrics: true,
  sizeNote: null,
};

/** Only comments need the section for coding agents (`handoff`). */
const SHOWN = SECTION_NAMES.filter((name) => name !== 'handoff');

const ANSI: Readonly<Record<Exclude<Style, 'plain'>, string>> = {
  bold: '1',
  dim: '2',
  good: '32',
  bad: '31',
  open: '33',
};

const NARROWEST = 10;

const WIDEST_WORD = 24;

/** Renders the report. None of its lines can be a GitHub workflow command. */
export function renderTerminal(result: Result, reports: Reports, options: TerminalOptions): string {
  const blocks = sectionBlocks(result, DETAIL, reports, SHOWN);
  if (options.folded !== true || !blocks.some(({ kind }) => kind === 'group'))
    return `${renderBlocks(blocks, options)}\n`;
  const titles = blocks.map((block) =>
    block.kind === 'group' ? paragraph([FOLD, ...block.summary]) : block,
  );
  return `${renderBlocks([...titles, paragraph(UNFOLD, 'small')], options)}\n`;
}

const FOLD = '▸ ';

const UNFOLD =
  '▸ collapsed here. To see everything, pipe the output (| less) or open report.html (--report).';

export function renderBlocks(blocks: readonly Block[], { width, colour }: TerminalOptions): string {
  const rows = blocks.flatMap((block) => [...blockRows(block, Math.max(20, width)), []]);
  const lines = rows.map((row) =>
    joinedRuns(row)
      .map((run) =>
        colour && run.style !== 'plain'
          ? `\u001b[${ANSI[run.style]}m${run.text}\u001b[0m`
          : run.text,
      )
      .join(''),
  );
  return lines.filter((line, index) => line !== '' || (lines[index + 1] ?? '') !== '').join('\n');
}

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

function blockRows(block: Block, width: number): Row[] {
  switch (block.kind) {
    case 'paragraph':
      return wrapRuns(runs(block.line, PARAGRAPHS[block.tone]), width);
    case 'list':
      return block.items.flatMap((item) => hanging('- ', runs(item), width));
    case 'diff':
      return block.lines.map(({ sign, text }) => [
        {
          text: shorten(logLine(`${DIFF_SIGNS[sign]} ${text}`), width),
          style: sign === 'added' ? 'good' : sign === 'removed' ? 'bad' : 'dim',
        },
      ]);
    case 'table':
      return tableRows(block, width);
    case 'facts':
      return [
        ...wrapRuns(runs(block.title, 'bold'), width),
        ...pairRows(
          block.rows.map(({ name, value }) => [runs(name, 'dim'), runs(value)]),
          width,
        ),
        [],
      ];
    case 'group':
      return [
        ...wrapRuns(runs(block.summary, 'bold'), width),
        ...block.blocks.flatMap((inner) => indentRows(blockRows(inner, width - GAP))),
      ];
  }
}

function runs(line: Line, style: Style = 'plain'): Run[] {
  return line.flatMap((part) => styledRuns(part, style));
}

function styledRuns(part: Inline, style: Style): Run[] {
  const run = (text: string, own: Style = style) => ({
    text: text === lineBreak ? text : logLine(text),
    style: own,
  });
  if (typeof part === 'string') return [run(part)];
  switch (part.kind) {
    case 'strong':
      return [run(part.text, 'bold')];
    case 'code': {
      const { text, left } = cut(part.text, part.limit);
      const blank = blankWords([part.text]);
      return [run(blank === null ? `${onOneLine(text)}${cutNote(left)}` : `(${blank})`)];
    }
    case 'pieces':
      return piecesRuns(part.pieces, style);
    case 'place':
      return placeRuns(part, style);
    case 'sign':
      return [run(part.sign, TONE_STYLES[part.tone])];
    case 'verdict': {
      const { sign, word, tone } = part;
      return [run(`${sign} ${word}`, tone === 'neutral' ? style : TONE_STYLES[tone])];
    }
    case 'link':
      return [run(`${part.text} ${part.url}`)];
  }
}

function piecesRuns(pieces: readonly Piece[], style: Style): Run[] {
  const blank = blankWords(pieces.map(({ text }) => text));
  if (blank !== null) return [{ text: `(${blank})`, style: 'dim' }];
  return pieces.map(({ kind, text }) => ({
    text: logLine(kind === 'gap' ? ` ${text} ` : onOneLine(text)),
    style: kind === 'changed' ? 'bold' : kind === 'gap' ? 'dim' : style,
  }));
}

function placeRuns(part: Extract<Inline, { kind: 'place' }>, style: Style): Run[] {
  const where = placeText(part);
  if (part.name === undefined) return styledRuns(where, style);
  return [
    ...styledRuns({ kind: 'code', ...part.name }, style),
    ...styledRuns(` (${where})`, style),
  ];
}

function onOneLine(text: string): string {
  return text.replace(/\s*\r?\n\s*/g, ' ↵ ');
}

const PARAGRAPHS = { verdict: 'bold', normal: 'plain', small: 'dim' } as const;

const TONE_STYLES: Readonly<Record<Tone, Style>> = {
  bad: 'bad',
  good: 'good',
  open: 'open',
  neutral: 'plain',
};

/** If the columns do not fit, moves the last one below its row, or turns each row into a list. */
function tableRows(table: Extract<Block, { kind: 'table' }>, width: number): Row[] {
  const head = table.head.map((cell) => runs(cell, 'bold'));
  const rows = table.rows.map((row) => row.map((cell) => runs(cell)));
  const columns = head.map((title, index): ColumnWidth => {
    const cells = rows.flatMap((row) => row.slice(index, index + 1));
    const rigid = table.rows.every((row) => row.slice(index, index + 1).every(isOurs));
    return {
      natural: Math.max(widest(title), widestOf(cells)),
      least: Math.max(
        longestWord(title),
        rigid
          ? widestOf(cells)
          : Math.min(
              WIDEST_WORD,
              cells.reduce((most, cell) => Math.max(most, longestWord(cell)), NARROWEST),
            ),
      ),
    };
  });
  for (const shown of [columns.length, columns.length - 1]) {
    const widths = shown < 2 ? null : shrunk(columns.slice(0, shown), width - GAP * (shown - 1));
    if (widths === null) continue;
    const rule = widths.map((size): Run[] => [{ text: '─'.repeat(size), style: 'dim' }]);
    const fitted = (row: readonly Run[][]): TextCell[] =>
      widths.map((cellWidth, at) => ({ content: row[at] ?? [], width: cellWidth }));
    const below = (row: Run[][]) =>
      shown === columns.length
        ? []
        : indentRows(
            hanging(
              '',
              [...(head.at(-1) ?? []), { text: ': ', style: 'plain' }, ...(row.at(-1) ?? [])],
              width - GAP,
            ),
          );
    return [
      ...sideBySide(fitted(head)),
      ...sideBySide(fitted(rule)),
      ...rows.flatMap((row) => [...sideBySide(fitted(row)), ...below(row)]),
    ];
  }
  return rows.flatMap((row) => [
    ...pairRows(
      row.map((cell, column) => [head[column] ?? [], cell]),
      width,
    ),
    [],
  ]);
}

interface ColumnWidth {
  natural: number;
  least: number;
}

function shrunk(columns: readonly ColumnWidth[], room: number): number[] | null {
  const fitted = columns.map(({ natural, least }) => ({ width: natural, least }));
  for (let over = fitted.reduce((sum, { width }) => sum + width, 0) - room; over > 0; over -= 1) {
    const [first, ...others] = fitted.filter(({ width, least }) => width > least);
    if (first === undefined) return null;
    const widest = others.reduce((most, each) => (each.width > most.width ? each : most), first);
    widest.width -= 1;
  }
  return fitted.map(({ width }) => width);
}
