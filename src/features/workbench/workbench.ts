import type { SideResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { chip, htmlOf, lineHtml, piecesHtml, verdictHtml } from '../../report/page/blocks.ts';
import {
  choicesHtml,
  frequentTags,
  kindsHtml,
  ROW_WORDS,
  type RowStatus,
} from '../../report/page/filter.ts';
import { pageIndex, type PageIndex } from '../../report/page/page-index.ts';
import { dots, referenceBody } from '../../report/page/references.ts';
import { EVERYTHING } from '../../report/sections/detail.ts';
import { NAME_LIMIT, NO_LINKS } from '../../report/sections/document.ts';
import { emphasise } from '../../report/sections/emphasis.ts';
import { faceOf } from '../../report/sections/faces.ts';
import { notices } from '../../report/sections/notices.ts';
import { STATUS_TONES } from '../../report/sections/phrases.ts';
import type { SentPrompts } from '../../report/sections/reference-view.ts';
import { dollars } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import type { Message } from '../../types/model.ts';
import {
  attributesIn,
  cellIn,
  columnKey,
  tagsOf,
  type Cell,
  type MatrixColumn,
  type Matrix,
  type MatrixRow,
} from './workbench-rows.ts';

/** Metrics named per cell. */
const MOST_METRICS = 3;

/** Characters of an answer in the open detail. */
const LONGEST = 200_000;

export interface Spend {
  calls: number;
  maxCalls: number;
  cost: number;
  maxCost: number;
  /** Some calls had no known price. */
  unpriced: boolean;
}

export interface BoardInput {
  result: Result;
  all: Result | null;
  /** Of these two results. */
  matrices: readonly Matrix[];
  /** Some answers are missing, so there is no verdict. */
  missing: boolean;
  /** Sentences about the state, such as a missing base. */
  notes: readonly string[];
  /** Prompts without a reference: their keys, names and variables. */
  empty: readonly { key: string; name: string; variables: readonly string[] }[];
}

export function spendWords({ calls, maxCalls, cost, maxCost, unpriced }: Spend): string {
  return `${dollars(cost)} of ${dollars(maxCost)} spent${unpriced ? ', besides what has no known price' : ''} · ${String(calls)} of ${String(maxCalls)} calls`;
}

/** The board for the page's script; all texts are escaped. */
export interface Board {
  /** The verdict and what follows it. HTML. */
  head: string;
  matrices: BoardMatrix[];
  /** Forms of prompts without references. HTML. */
  firsts: string;
  /** The filter's choices. HTML. */
  choices: string;
}

interface BoardMatrix {
  /** Stable between looks. */
  key: string;
  /** Its name in the filter and on the page. */
  suite: string;
  label: string;
  /** The content above its rows. HTML. */
  head: string;
  /** The columns' heads. HTML. */
  top: string;
  columns: number;
  rows: BoardRow[];
}

/** A row with its filter values besides the suite. */
interface BoardRow {
  /** Stable between looks. */
  key: string;
  html: string;
  status: RowStatus;
  tags: readonly string[];
  kinds: string[];
}

/** Replaces the verdict while answers are missing. */
const PENDING =
  '<section class="verdict open"><h1>… No verdict yet</h1><p>Answers are missing; those that are there stand below.</p></section>';

export function boardOf({ result, all, matrices, missing, notes, empty }: BoardInput): Board {
  const rows = matrices.flatMap((matrix) => matrix.rows);
  const found = attributesIn(result, all);
  const index = pageIndex(found, new Set());
  return {
    head: [
      missing ? PENDING : verdictHtml({ result, links: NO_LINKS }),
      ...notes.map((note) => `<p class="note">${escapeMarkup(note)}</p>`),
      noticesHtml(result),
    ].join('\n'),
    matrices: matrices.map((matrix) => boardMatrix(matrix, result.mode === 'diff', index)),
    firsts: empty.map(emptyHtml).join('\n'),
    choices: choicesHtml({
      statuses: rows.map(({ status }) => status),
      suites: matrices.map(({ name }) => ({ value: name, words: name })),
      tags: frequentTags(rows.map(tagsOf)).map((tag) => ({ value: tag, words: tag })),
      kinds: kindsHtml(found, index),
    }),
  };
}

/** Notices that do not affect the verdict, folded. */
function noticesHtml(result: Result): string {
  return notices(result, EVERYTHING)
    .map((block) =>
      block.kind === 'group'
        ? `<details id="notices"><summary>${lineHtml(block.summary, NO_LINKS)}</summary>${htmlOf(block.blocks, NO_LINKS)}</details>`
        : htmlOf([block], NO_LINKS),
    )
    .join('');
}

function emptyHtml({ key, name, variables }: BoardInput['empty'][number]): string {
  return [
    `<section class="matrix"><h2>${escapeMarkup(shorten(name, NAME_LIMIT))}</h2>`,
    '<p class="soft">It has no references yet.</p>',
    `<form data-kind="first" data-prompt="${escapeMarkup(key)}">`,
    `${referenceFields(variables)}<button>Add the first reference</button></form>`,
    '</section>',
  ].join('');
}

/** Fields for a new reference: each variable, and what is expected. */
export function referenceFields(variables: readonly string[]): string {
  return [
    ...variables.map(
      (name) =>
        `<label>${escapeMarkup(shorten(name, 60))} <textarea name="input:${escapeMarkup(name)}"></textarea></label>`,
    ),
    '<label>Expected <textarea name="expected"></textarea></label>',
  ].join('');
}

function boardMatrix(
  { key, name, variants, verdict, apart, rows }: Matrix,
  diff: boolean,
  index: PageIndex,
): BoardMatrix {
  const label = shorten(name, NAME_LIMIT);
  const columns = variants.flatMap((variant, at) => {
    const model = shorten(variant, NAME_LIMIT);
    const head = columnOf({ variant, side: 'head' }, at === 0 ? 'working tree' : model);
    const base = columnOf({ variant, side: 'base' }, at === 0 ? 'base' : `base, ${model}`);
    return diff ? [base, head] : [head];
  });
  return {
    key,
    suite: name,
    label,
    head: [
      `<h2>${escapeMarkup(label)} <span class="soft">${escapeMarkup(shorten(variants[0] ?? '', NAME_LIMIT))}</span></h2>`,
      ...[...(verdict === null ? [] : [verdict.summary]), ...apart].map(
        (words) => `<p class="soft">${escapeMarkup(words)}</p>`,
      ),
    ].join('\n'),
    top: `<span role="columnheader">reference</span>${columns.map(({ title }) => title).join('')}`,
    columns: columns.length,
    rows: rows.map((row) => ({
      key: row.key,
      html: rowHtml(row, columns),
      status: row.status,
      tags: tagsOf(row),
      kinds: row.cells.flatMap(({ suite, reference }) => index.kinds(suite, reference.id)),
    })),
  };
}

/** A column's title, and the start of each of its cells. HTML. */
interface DrawnColumn extends MatrixColumn {
  title: string;
  start: string;
}

function columnOf(column: MatrixColumn, title: string): DrawnColumn {
  return {
    ...column,
    title: `<span role="columnheader">${escapeMarkup(title)}</span>`,
    start: `<span role="cell" data-cell="${escapeMarkup(columnKey(column))}"`,
  };
}

function rowHtml(row: MatrixRow, columns: readonly DrawnColumn[]): string {
  const [first] = row.cells;
  if (first === undefined) return '';
  const { status } = row;
  const { reference } = first;
  return [
    '<div role="row" class="ref" tabindex="-1">',
    [
      '<span role="cell" class="name">',
      chip(ROW_WORDS[status], status === 'not-asked' ? 'neutral' : STATUS_TONES[status]),
      ` <span class="face">${lineHtml(faceOf(reference), NO_LINKS)}</span>`,
      ...reference.tags.map((tag) => ` ${chip(tag, 'neutral')}`),
      '</span>',
    ].join(''),
    ...columns.map((column) =>
      cellHtml(cellIn(row, column)?.reference[column.side] ?? null, column),
    ),
    '</div>',
  ].join('');
}

function cellHtml(side: SideResult | null, { start }: DrawnColumn): string {
  if (side === null || side.tries.length === 0) return `${start} class="soft">–</span>`;
  return `${start} class="dots">${dots(side, '')} <span class="soft">${escapeMarkup(scoresOf(side))}</span></span>`;
}

/** `has 2/2 · polite 0.80`: each metric's mean number, else its passes. */
function scoresOf({ tries }: SideResult): string {
  const scored = tries.flatMap(({ scores }) => scores);
  const metrics = Map.groupBy(scored, ({ metric }) => metric);
  const shown = [...metrics].slice(0, MOST_METRICS).map(([name, scores]) => {
    const numbers = scores.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
    const passes = scores.filter(({ status }) => status === 'pass').length;
    const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
    return `${shorten(name, 24)} ${numbers.length === 0 ? `${String(passes)}/${String(scores.length)}` : String(Number(mean.toPrecision(3)))}`;
  });
  return [...shown, ...(metrics.size > shown.length ? ['…'] : [])].join(' · ');
}

/** A row's details: for each variant its buttons, prompt, answers, scores and reasons. */
export function detailHtml(
  { cells }: MatrixRow,
  sentOf: (cell: Cell) => SentPrompts | null,
  actsOf: (cell: Cell) => string,
): string {
  return cells
    .map((cell) => {
      const { variant, suite, reference } = cell;
      const sent = sentOf(cell);
      return [
        `<h2>${lineHtml(faceOf(reference), NO_LINKS)} <span class="soft">${escapeMarkup(shorten(`${suite.name}, ${variant}`, NAME_LIMIT))}</span></h2>`,
        actsOf(cell),
        sent === null ? '' : promptsHtml(sent),
        referenceBody(reference, LONGEST, NO_LINKS),
      ].join('\n');
    })
    .join('\n');
}

/** Both prompts with their differences marked. */
function promptsHtml({ base, head }: SentPrompts): string {
  const [before, after] = [
    base === null ? null : promptText(base),
    head === null ? null : promptText(head),
  ];
  if (before !== null && after !== null && before !== after) {
    const pieces = emphasise(before, after, { characters: LONGEST, gaps: false });
    return [
      '<details class="prompt" open><summary>Prompt as sent</summary>',
      '<div class="sides"><div class="base"><h3>Base</h3><pre>',
      `${piecesHtml(pieces.base)}</pre></div><div class="head"><h3>Working tree</h3>`,
      `<pre>${piecesHtml(pieces.head)}</pre></div></div></details>`,
    ].join('');
  }
  const text = after ?? before;
  return text === null
    ? ''
    : `<details class="prompt"><summary>Prompt as sent</summary><pre>${escapeMarkup(text)}</pre></details>`;
}

function promptText(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n');
}
