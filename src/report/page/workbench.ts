import { pairing, TOLD_APART } from '../../judge/pairing.ts';
import type { ReferenceResult, SideResult } from '../../result/reference-result.ts';
import type { Result } from '../../result/result.ts';
import type { SuiteResult } from '../../result/suite-result.ts';
import { dollars } from '../../text/amounts.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import type { Message } from '../../types/model.ts';
import { NAME_LIMIT, NO_LINKS } from '../sections/document.ts';
import { emphasise } from '../sections/emphasis.ts';
import { headline } from '../sections/outcomes.ts';
import { STATUS_WORDS, variantWords } from '../sections/phrases.ts';
import type { SentPrompts } from '../sections/reference-view.ts';
import { faceOf } from '../sections/references.ts';
import { chip, lineHtml, piecesHtml } from './blocks.ts';
import { dots, referenceBody, STATUS_ORDER, STATUS_TONES } from './references.ts';

/** One answer sheet: a reference of one prompt, in one column. */
export interface Cell {
  suite: SuiteResult;
  reference: ReferenceResult;
}

/** One reference of one prompt in all columns. */
export interface MatrixRow {
  /** Stable from one look to the next. */
  key: string;
  cells: Cell[];
}

/** One prompt's matrix. A column is a variant; where there is a base, it has base's answers too. */
export interface Matrix {
  name: string;
  variants: string[];
  verdict: SuiteResult | null;
  apart: string[];
  rows: MatrixRow[];
}

/** Metrics of a cell that are named. */
const MOST_METRICS = 3;

/** Characters of an answer in the open detail. */
const LONGEST = 200_000;

export function rowKey({ path, name }: SuiteResult, { id }: ReferenceResult): string {
  return JSON.stringify([path, name, id]);
}

/**
 * References × variants of each prompt: what was compared, and of what was not, the answers that are
 * stored.
 */
export function matricesOf(result: Result, all: Result | null): Matrix[] {
  const prompts = new Map<string, { compared: SuiteResult[]; stored: SuiteResult[] }>();
  const entry = ({ path, name }: SuiteResult) => {
    const key = JSON.stringify([path, name]);
    const found = prompts.get(key) ?? { compared: [], stored: [] };
    prompts.set(key, found);
    return found;
  };
  for (const suite of all?.suites ?? []) entry(suite).stored.push(suite);
  for (const suite of result.suites) entry(suite).compared.push(suite);
  return [...prompts.values()]
    .map(({ compared, stored }) => matrixOf(compared, stored))
    .sort((one, other) => worstOf(one) - worstOf(other));
}

/** Place of its worst row in the order of statuses. */
function worstOf({ rows }: Matrix): number {
  return Math.min(...rows.map((row) => STATUS_ORDER.indexOf(statusOf(row))));
}

function matrixOf(compared: readonly SuiteResult[], stored: readonly SuiteResult[]): Matrix {
  const variants = [
    ...new Set([...compared, ...stored].map(({ variant }) => variantWords(variant))),
  ];
  const rows = new Map<string, Map<string, Cell>>();
  for (const suite of [...stored, ...compared])
    for (const reference of suite.references) {
      const key = rowKey(suite, reference);
      const row = rows.get(key) ?? new Map<string, Cell>();
      row.set(variantWords(suite.variant), { suite, reference });
      rows.set(key, row);
    }
  return {
    name: (compared[0] ?? stored[0])?.name ?? '',
    variants,
    verdict: compared[0] ?? null,
    apart: apartWords(compared.length > 1 ? compared : stored),
    rows: [...rows].map(([key, cells]) => ({
      key,
      cells: variants.flatMap((variant) => cells.get(variant) ?? []),
    })),
  };
}

/** Further variants against the first, on the same references. */
function apartWords([first, ...others]: readonly SuiteResult[]): string[] {
  if (first === undefined) return [];
  return others.flatMap((other) => {
    const paired = pairing(first, other);
    if (paired === null) return [];
    const word =
      paired.p >= TOLD_APART
        ? 'is not told apart from'
        : paired.difference < 0
          ? 'is worse than'
          : 'is better than';
    return `${variantWords(other.variant)} ${word} ${variantWords(first.variant)} on the same ${String(paired.references)} references`;
  });
}

/** What is spent, and how much may be. */
export interface Spend {
  calls: number;
  maxCalls: number;
  cost: number;
  maxCost: number;
}

export interface BoardInput {
  result: Result;
  all: Result | null;
  /** Sentences about the state: running, no base, limit reached. */
  notes: readonly string[];
}

export function spendWords({ calls, maxCalls, cost, maxCost }: Spend): string {
  return `${dollars(cost)} of ${dollars(maxCost)} spent · ${String(calls)} of ${String(maxCalls)} calls`;
}

/** The verdict and the matrices, as HTML; every text in it is escaped. */
export function boardHtml({ result, all, notes }: BoardInput): string {
  const { sign, tone, outcome, subject, line } = headline(result);
  const matrices = matricesOf(result, all);
  const problems = result.problems.map(({ place, message }) => {
    const where =
      place === null ? '' : `${place.file}${place.line > 0 ? `:${String(place.line)}` : ''}: `;
    return `<li>${escapeMarkup(`${where}${message}`)}</li>`;
  });
  return [
    `<section class="verdict ${tone}"><h1>${sign} ${escapeMarkup(outcome)}${subject.length === 0 ? '' : `: ${lineHtml(subject, NO_LINKS)}`}</h1><p>${lineHtml(line, NO_LINKS)}</p>${problems.length === 0 ? '' : `<ul>${problems.join('')}</ul>`}</section>`,
    ...notes.map((note) => `<p class="note">${escapeMarkup(note)}</p>`),
    ...matrices.map((matrix, at) => matrixHtml(matrix, at, result.mode === 'diff')),
  ].join('\n');
}

/** The statuses in the board, for its filter. */
export function statusesOf(
  matrices: readonly Matrix[],
): { value: string; words: string; count: number }[] {
  const all = matrices.flatMap(({ rows }) => rows.map(statusOf));
  return STATUS_ORDER.flatMap((status) => {
    const count = all.filter((one) => one === status).length;
    return count === 0 ? [] : [{ value: status, words: STATUS_WORDS[status], count }];
  });
}

/** The worst of a row's cells. */
function statusOf({ cells }: MatrixRow): ReferenceResult['status'] {
  const found = cells.map(({ reference }) => reference.status);
  return STATUS_ORDER.find((status) => found.includes(status)) ?? 'unchanged';
}

function matrixHtml(
  { name, variants, verdict, apart, rows }: Matrix,
  at: number,
  diff: boolean,
): string {
  const columns = variants.flatMap((variant, index) => {
    const model = shorten(variant, NAME_LIMIT);
    const own = index === 0 ? 'working tree' : model;
    return diff ? [index === 0 ? 'base' : `base, ${model}`, own] : [own];
  });
  const sorted = [...rows].sort(
    (one, other) => STATUS_ORDER.indexOf(statusOf(one)) - STATUS_ORDER.indexOf(statusOf(other)),
  );
  return [
    `<section class="matrix"><h2>${escapeMarkup(shorten(name, NAME_LIMIT))} <span class="soft">${escapeMarkup(shorten(variants[0] ?? '', NAME_LIMIT))}</span></h2>`,
    verdict === null ? '' : `<p class="soft">${escapeMarkup(verdict.summary)}</p>`,
    ...apart.map((words) => `<p class="soft">${escapeMarkup(words)}</p>`),
    `<div role="table" aria-label="${escapeMarkup(shorten(name, NAME_LIMIT))}" class="grid c${String(Math.min(columns.length, 8))}">`,
    `<div role="row" class="top"><span role="columnheader">reference</span>${columns.map((title) => `<span role="columnheader">${escapeMarkup(title)}</span>`).join('')}</div>`,
    ...sorted.map((row, index) => rowHtml(row, `m${String(at)}-${String(index)}`, diff)),
    '</div></section>',
  ].join('\n');
}

function rowHtml(row: MatrixRow, id: string, diff: boolean): string {
  const [first] = row.cells;
  if (first === undefined) return '';
  const status = statusOf(row);
  const { reference } = first;
  const cells = row.cells.flatMap(({ reference: { base, head } }) =>
    diff ? [cellHtml(base), cellHtml(head)] : [cellHtml(head)],
  );
  return [
    `<div role="row" class="ref" tabindex="-1" id="${id}" data-key="${escapeMarkup(row.key)}" data-status="${status}">`,
    `<span role="cell" class="name">${isThere(row) ? chip(STATUS_WORDS[status], STATUS_TONES[status]) : chip('not asked yet', 'neutral')} <span class="face">${lineHtml(faceOf(reference), NO_LINKS)}</span>${reference.tags.map((tag) => ` ${chip(tag, 'neutral')}`).join('')}</span>`,
    ...cells,
    '</div>',
  ].join('');
}

/** Whether any answer is there. */
function isThere({ cells }: MatrixRow): boolean {
  return cells.some(({ reference: { base, head } }) =>
    [base, head].some((side) => side !== null && side.tries.length > 0),
  );
}

function cellHtml(side: SideResult | null): string {
  if (side === null || side.tries.length === 0) return '<span role="cell" class="soft">–</span>';
  return `<span role="cell"><span class="dots">${dots(side, '')}</span> <span class="soft">${escapeMarkup(scoresOf(side))}</span></span>`;
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

/** Everything about a row: in each column the prompt as sent, all answers, scores and reasons. */
export function detailHtml(
  { cells }: MatrixRow,
  sentOf: (cell: Cell) => SentPrompts | null,
): string {
  return cells
    .map((cell) => {
      const { suite, reference } = cell;
      const sent = sentOf(cell);
      return [
        `<h2>${lineHtml(faceOf(reference), NO_LINKS)} <span class="soft">${escapeMarkup(shorten(`${suite.name}, ${variantWords(suite.variant)}`, NAME_LIMIT))}</span></h2>`,
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
