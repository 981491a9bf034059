import type { SideResult } from '../../result/reference-result.ts';
import type { Result } from '../../result/result.ts';
import { dollars } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import type { Message } from '../../types/model.ts';
import { NAME_LIMIT, NO_LINKS } from '../sections/document.ts';
import { emphasise } from '../sections/emphasis.ts';
import { faceOf } from '../sections/faces.ts';
import { notices } from '../sections/notices.ts';
import { variantWords } from '../sections/phrases.ts';
import type { SentPrompts } from '../sections/reference-view.ts';
import { chip, htmlOf, lineHtml, piecesHtml } from './blocks.ts';
import { choicesHtml, frequentTags, kindsHtml, ROW_WORDS, type RowStatus } from './filter.ts';
import { pageIndex } from './page-index.ts';
import { dots, referenceBody, STATUS_TONES } from './references.ts';
import { EVERYTHING, verdictHtml } from './verdict.ts';
import {
  attributesIn,
  cellIn,
  columnKey,
  matricesOf,
  rankOf,
  statusOf,
  tagsOf,
  type Cell,
  type MatrixColumn,
  type Matrix,
  type MatrixRow,
} from './workbench-rows.ts';

/** Metrics of a cell that are named. */
const MOST_METRICS = 3;

/** Characters of an answer in the open detail. */
const LONGEST = 200_000;

/** What is spent, and how much may be. */
export interface Spend {
  calls: number;
  maxCalls: number;
  cost: number;
  maxCost: number;
  /** Some of the calls had no price that is known. */
  unpriced: boolean;
}

export interface BoardInput {
  result: Result;
  all: Result | null;
  /** Answers are missing yet: there is no verdict. */
  missing: boolean;
  /** Sentences about the state: no base, say. */
  notes: readonly string[];
  /** Prompts without a reference: their keys, names and variables. */
  empty: readonly { key: string; name: string; variables: readonly string[] }[];
}

export function spendWords({ calls, maxCalls, cost, maxCost, unpriced }: Spend): string {
  return `${dollars(cost)} of ${dollars(maxCost)} spent${unpriced ? ', besides what has no known price' : ''} · ${String(calls)} of ${String(maxCalls)} calls`;
}

/** What the page's script reads of a row to filter by it. */
interface RowFacts {
  status: RowStatus;
  suite: string[];
  tags: readonly string[];
  kinds: string[];
}

/** The board as the page's script takes it; every text in its HTML is escaped. */
export interface Board {
  /** The verdict and the matrices. */
  html: string;
  /** What it can be filtered by. */
  choices: string;
  /** Of each row, in their order. */
  rows: RowFacts[];
}

/** What stands in the verdict's place while answers are missing. */
const PENDING =
  '<section class="verdict open"><h1>… No verdict yet</h1><p>Answers are missing; those that are there stand below.</p></section>';

export function boardOf({ result, all, missing, notes, empty }: BoardInput): Board {
  const matrices = matricesOf(result, all).map((matrix) => ({
    ...matrix,
    rows: [...matrix.rows].sort((one, other) => rankOf(one) - rankOf(other)),
  }));
  const rows = matrices.flatMap((matrix) => matrix.rows);
  const found = attributesIn(result, all);
  const index = pageIndex(found, new Set());
  return {
    html: [
      missing ? PENDING : verdictHtml({ result, links: NO_LINKS }),
      ...notes.map((note) => `<p class="note">${escapeMarkup(note)}</p>`),
      noticesHtml(result),
      ...matrices.map((matrix, at) => matrixHtml(matrix, at, result.mode === 'diff')),
      ...empty.map(emptyHtml),
    ].join('\n'),
    choices: choicesHtml({
      statuses: rows.map(statusOf),
      suites: matrices.map(({ name }) => ({ value: name, words: name })),
      tags: frequentTags(rows.map(tagsOf)).map((tag) => ({ value: tag, words: tag })),
      kinds: kindsHtml(found, index),
    }),
    rows: matrices.flatMap(({ name, rows: own }) =>
      own.map((row) => ({
        status: statusOf(row),
        suite: [name],
        tags: tagsOf(row),
        kinds: row.cells.flatMap(({ suite, reference }) => index.kinds(suite, reference.id)),
      })),
    ),
  };
}

/** What a reader must know that changes no verdict by itself, folded. */
function noticesHtml(result: Result): string {
  return notices(result, EVERYTHING)
    .map((block) =>
      block.kind === 'group'
        ? `<details id="notices"><summary>${lineHtml(block.summary, NO_LINKS)}</summary>${htmlOf(block.blocks, NO_LINKS)}</details>`
        : htmlOf([block], NO_LINKS),
    )
    .join('');
}

/** A prompt whose first reference is yet to be written. */
function emptyHtml({ key, name, variables }: BoardInput['empty'][number]): string {
  return `<section class="matrix"><h2>${escapeMarkup(shorten(name, NAME_LIMIT))}</h2><p class="soft">It has no references yet.</p><form data-kind="first" data-prompt="${escapeMarkup(key)}">${referenceFields(variables)}<button>Add the first reference</button></form></section>`;
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

function matrixHtml(
  { name, variants, verdict, apart, rows }: Matrix,
  at: number,
  diff: boolean,
): string {
  const columns = variants.flatMap((variant, index) => {
    const model = shorten(variant, NAME_LIMIT);
    const head = {
      key: columnKey({ variant, side: 'head' }),
      variant,
      side: 'head' as const,
      title: index === 0 ? 'working tree' : model,
    };
    const base = {
      key: columnKey({ variant, side: 'base' }),
      variant,
      side: 'base' as const,
      title: index === 0 ? 'base' : `base, ${model}`,
    };
    return diff ? [base, head] : [head];
  });
  return [
    `<section class="matrix"><h2>${escapeMarkup(shorten(name, NAME_LIMIT))} <span class="soft">${escapeMarkup(shorten(variants[0] ?? '', NAME_LIMIT))}</span></h2>`,
    verdict === null ? '' : `<p class="soft">${escapeMarkup(verdict.summary)}</p>`,
    ...apart.map((words) => `<p class="soft">${escapeMarkup(words)}</p>`),
    `<div role="table" aria-label="${escapeMarkup(shorten(name, NAME_LIMIT))}" class="grid c${String(Math.min(columns.length, 8))}">`,
    `<div role="row" class="top"><span role="columnheader">reference</span>${columns.map(({ title }) => `<span role="columnheader">${escapeMarkup(title)}</span>`).join('')}</div>`,
    ...rows.map((row, index) => rowHtml(row, `m${String(at)}-${String(index)}`, columns)),
    '</div></section>',
  ].join('\n');
}

function rowHtml(
  row: MatrixRow,
  id: string,
  columns: readonly (MatrixColumn & { key: string })[],
): string {
  const [first] = row.cells;
  if (first === undefined) return '';
  const status = statusOf(row);
  const { reference } = first;
  return [
    `<div role="row" class="ref" tabindex="-1" id="${id}" data-key="${escapeMarkup(row.key)}">`,
    `<span role="cell" class="name">${chip(ROW_WORDS[status], status === 'not-asked' ? 'neutral' : STATUS_TONES[status])} <span class="face">${lineHtml(faceOf(reference), NO_LINKS)}</span>${reference.tags.map((tag) => ` ${chip(tag, 'neutral')}`).join('')}</span>`,
    ...columns.map((column) =>
      cellHtml(cellIn(row, column)?.reference[column.side] ?? null, column.key),
    ),
    '</div>',
  ].join('');
}

function cellHtml(side: SideResult | null, column: string): string {
  const start = `<span role="cell" data-cell="${escapeMarkup(column)}"`;
  if (side === null || side.tries.length === 0) return `${start} class="soft">–</span>`;
  return `${start}><span class="dots">${dots(side, '')}</span> <span class="soft">${escapeMarkup(scoresOf(side))}</span></span>`;
}

/** `has 2/2 · polite 0.80`: each metric's mean number, else its passes. */
function scoresOf({ tries }: SideResult): string {
  const names = [...new Set(tries.flatMap(({ scores }) => scores.map(({ metric }) => metric)))];
  const shown = names.slice(0, MOST_METRICS).map((name) => {
    const scores = tries.flatMap((one) => one.scores.filter(({ metric }) => metric === name));
    const numbers = scores.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
    const passes = scores.filter(({ status }) => status === 'pass').length;
    const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
    return `${shorten(name, 24)} ${numbers.length === 0 ? `${String(passes)}/${String(scores.length)}` : String(Number(mean.toPrecision(3)))}`;
  });
  return [...shown, ...(names.length > shown.length ? ['…'] : [])].join(' · ');
}

/** Everything about a row: of each variant its buttons, the prompt as sent, all answers, scores and reasons. */
export function detailHtml(
  { cells }: MatrixRow,
  sentOf: (cell: Cell) => SentPrompts | null,
  actsOf: (cell: Cell) => string,
): string {
  return cells
    .map((cell) => {
      const { suite, reference } = cell;
      const sent = sentOf(cell);
      return [
        `<h2>${lineHtml(faceOf(reference), NO_LINKS)} <span class="soft">${escapeMarkup(shorten(`${suite.name}, ${variantWords(suite.variant)}`, NAME_LIMIT))}</span></h2>`,
        actsOf(cell),
        sent === null ? '' : promptsHtml(sent),
        referenceBody(reference, LONGEST, NO_LINKS),
      ].join('\n');
    })
    .join('\n');
}

/** Both prompts, with what differs marked. */
function promptsHtml({ base, head }: SentPrompts): string {
  const [before, after] = [
    base === null ? null : promptText(base),
    head === null ? null : promptText(head),
  ];
  if (before !== null && after !== null && before !== after) {
    const pieces = emphasise(before, after, { characters: LONGEST, gaps: false });
    return `<details class="prompt" open><summary>Prompt as sent</summary><div class="sides"><div class="base"><h3>Base</h3><pre>${piecesHtml(pieces.base)}</pre></div><div class="head"><h3>Working tree</h3><pre>${piecesHtml(pieces.head)}</pre></div></div></details>`;
  }
  const text = after ?? before;
  return text === null
    ? ''
    : `<details class="prompt"><summary>Prompt as sent</summary><pre>${escapeMarkup(text)}</pre></details>`;
}

function promptText(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n');
}
