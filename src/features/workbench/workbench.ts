import type { SideResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { chip, htmlOf, lineHtml, noteHtml, piecesHtml } from '../../report/blocks-html.ts';
import { EVERYTHING } from '../../report/sections/detail.ts';
import { NAME_LIMIT, NO_LINKS } from '../../report/sections/document.ts';
import { emphasise } from '../../report/sections/emphasis.ts';
import { evidence } from '../../report/sections/evidence.ts';
import { referenceLabel } from '../../report/sections/faces.ts';
import {
  filterOf,
  type ReferenceFilter,
  type Reports,
} from '../../report/sections/feature-report.ts';
import { sectionBlocks } from '../../report/sections/index.ts';
import { notices } from '../../report/sections/notices.ts';
import { STATUS_TONES, lacksPasses, passWords } from '../../report/sections/phrases.ts';
import { referenceBlocks, type SentPrompts } from '../../report/sections/reference-view.ts';
import { count, formatDollars } from '../../text/amounts.ts';
import { type Markup, type MarkupPart, joinMarkup, markup, markupText } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import type { Message } from '../../types/model.ts';
import { outcomeLook } from '../../wording/outcomes.ts';
import { suiteSentence } from '../../wording/verdicts.ts';
import { plainWords } from '../../wording/words.ts';
import { choicesHtml, frequentTags, ROW_WORDS } from './filter.ts';
import {
  cellIn,
  columnKey,
  tagsOf,
  type Cell,
  type MatrixColumn,
  type Matrix,
  type MatrixRow,
} from './workbench-rows.ts';

const MOST_METRICS = 3;

const MAX_DETAIL_CHARS = 200_000;

const WHOLE_ANSWERS = { ...EVERYTHING, characters: MAX_DETAIL_CHARS };

export interface Spend {
  calls: number;
  maxCalls: number;
  cost: number;
  maxCost: number;
  unpriced: boolean;
}

export interface BoardInput {
  result: Result;
  all: Result | null;
  reports: Reports;
  matrices: readonly Matrix[];
  /** Whether answers are missing. The workbench then shows no verdict. */
  missing: boolean;
  notes: readonly string[];
  empty: readonly { key: string; name: string; variables: readonly string[] }[];
}

export function spendWords({ calls, maxCalls, cost, maxCost, unpriced }: Spend): string {
  const besides = unpriced ? ', plus calls without a known price' : '';
  return (
    `${formatDollars(cost)} of ${formatDollars(maxCost)} spent${besides} · ` +
    `${calls} of ${maxCalls} calls`
  );
}

export type Board = ReturnType<typeof boardOf>;

const PENDING = markup`
  <section class="verdict open">
    <h1>… No verdict yet</h1><p>Some answers are missing. The others are below.</p>
  </section>`;

export function boardOf(input: BoardInput) {
  const { result, all, reports, matrices, missing, notes, empty } = input;
  const rows = matrices.flatMap((matrix) => matrix.rows);
  const own = filterOf(reports, all === null ? [result] : [all, result]);
  return {
    head: markupText(markup`
      ${missing ? PENDING : verdictHtml(result, reports)}
      ${notes.map((note) => markup`<p class="note">${note}</p>`)}
      ${noticesHtml(result)}`),
    matrices: matrices.map((matrix) => boardMatrix(matrix, result.mode === 'diff', own)),
    firsts: markupText(markup`${empty.map(emptyHtml)}`),
    choices: markupText(
      choicesHtml({
        statuses: rows.map(({ status }) => status),
        suites: matrices.map(({ name }) => ({ value: name, words: name })),
        tags: frequentTags(rows.map(tagsOf)).map((tag) => ({ value: tag, words: tag })),
        own,
      }),
    ),
  };
}

function verdictHtml(result: Result, reports: Reports): Markup {
  const names = ['verdict', 'problems', 'errors', 'reasons'] as const;
  const blocks = sectionBlocks(result, EVERYTHING, reports, names);
  return markup`
    <section class="verdict ${outcomeLook(result).tone}">${htmlOf(blocks, NO_LINKS)}</section>`;
}

function noticesHtml(result: Result): Markup[] {
  return notices(result, EVERYTHING).map((block) =>
    block.kind === 'group'
      ? markup`
          <details id="notices"><summary>${lineHtml(block.summary, NO_LINKS)}</summary>
            ${htmlOf(block.blocks, NO_LINKS)}
          </details>`
      : htmlOf([block], NO_LINKS),
  );
}

function emptyHtml({ key, name, variables }: BoardInput['empty'][number]): Markup {
  return markup`
    <section class="matrix"><h2>${shorten(name, NAME_LIMIT)}</h2>
      <p class="soft">It has no references yet.</p>
      <form data-kind="first" data-prompt="${key}">
        ${referenceFields(variables)}<button>Add the first reference</button>
      </form>
    </section>`;
}

export function referenceFields(variables: readonly string[]): Markup {
  const field = (label: string, name: string): Markup =>
    markup`<label>${label} <textarea name="${name}"></textarea></label>`;
  return markup`
    ${variables.map((name) => field(shorten(name, 60), `input:${name}`))}
    ${field('Expected', 'expected')}`;
}

function boardMatrix(
  { key, name, variants, verdict, apart, rows }: Matrix,
  diff: boolean,
  own: ReferenceFilter | null,
) {
  const label = shorten(name, NAME_LIMIT);
  const columns = variants.flatMap((variant, at) => {
    const model = shorten(variant, NAME_LIMIT);
    const head: DrawnColumn = { variant, side: 'head', title: at === 0 ? 'working tree' : model };
    const base: DrawnColumn = {
      variant,
      side: 'base',
      title: at === 0 ? 'base' : `base, ${model}`,
    };
    return diff ? [base, head] : [head];
  });
  return {
    key,
    suite: name,
    label,
    head: markupText(markup`
      <h2>${label} <span class="soft">${shorten(variants[0] ?? '', NAME_LIMIT)}</span></h2>
      ${[...(verdict === null ? [] : [plainWords(suiteSentence(verdict, { isOnly: true }))]), ...apart].map(noteHtml)}`),
    top: markupText(
      markup`${['reference', ...columns.map(({ title }) => title)].map(
        (title) => markup`<span role="columnheader">${title}</span>`,
      )}`,
    ),
    columns: columns.length,
    rows: rows.map((row) => ({
      key: row.key,
      html: markupText(rowHtml(row, columns)),
      status: row.status,
      tags: tagsOf(row),
      kinds: row.cells.flatMap(({ suite, reference }) => own?.valuesOf(suite, reference.id) ?? []),
    })),
  };
}

interface DrawnColumn extends MatrixColumn {
  title: string;
}

function rowHtml(row: MatrixRow, columns: readonly DrawnColumn[]): Markup {
  const [first] = row.cells;
  if (first === undefined) return markup``;
  const { status } = row;
  const { reference } = first;
  const tone = status === 'not-asked' ? 'neutral' : STATUS_TONES[status];
  const name = [
    chip(ROW_WORDS[status], tone),
    markup`<span class="face">${lineHtml(referenceLabel(reference), NO_LINKS)}</span>`,
    ...reference.tags.map((tag) => chip(tag, 'neutral')),
  ];
  return markup`
    <div role="row" class="ref" tabindex="-1">
      <span role="cell" class="name">${joinMarkup(name, ' ')}</span>
      ${columns.map((column) => cellHtml(cellIn(row, column), column))}
    </div>`;
}

function cellHtml(cell: Cell | undefined, column: MatrixColumn): Markup {
  const side = cell?.reference[column.side] ?? null;
  const hasTries = side !== null && side.tries.length > 0;
  const shown = hasTries
    ? markup`${dots(side, '')} <span class="soft">${scoreSummary(side)}</span>`
    : '–';
  return markup`
    <span role="cell" data-cell="${columnKey(column)}" class="${hasTries ? 'dots' : 'soft'}">
      ${shown}
    </span>`;
}

function dots(side: SideResult, sign: string): Markup {
  if (lacksPasses(side)) return markup`<span>${sign} ${passWords(side)}</span>`;
  const runs =
    side.tries
      .map(({ outcome }) => (outcome === 'pass' ? 'p✓' : outcome === 'fail' ? 'f✗' : 'o?'))
      .join('')
      .match(/(?:p✓)+|(?:f✗)+|(?:o\?)+/g) ?? [];
  const marks = runs.map(
    (run) => markup`<b class="${run.charAt(0)}">${run.replace(/[pfo]/g, '')}</b>`,
  );
  return markup`<span>${sign} ${marks} ${count(side.passes)}/${count(side.tries_judged)}</span>`;
}

/** For example `has 2/2 · polite 0.80`. */
function scoreSummary({ tries }: SideResult): string {
  const metrics = Map.groupBy(
    tries.flatMap(({ scores }) => scores),
    ({ metric }) => metric,
  );
  const shown = [...metrics].slice(0, MOST_METRICS).map(([name, scores]) => {
    const numbers = scores.flatMap(({ value }) => (typeof value === 'number' ? [value] : []));
    const passes = scores.filter(({ status }) => status === 'pass').length;
    const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
    const score =
      numbers.length === 0 ? `${passes}/${scores.length}` : String(Number(mean.toPrecision(3)));
    return `${shorten(name, 24)} ${score}`;
  });
  return [...shown, ...(metrics.size > shown.length ? ['…'] : [])].join(' · ');
}

export function detailHtml(
  { cells }: MatrixRow,
  sentOf: (cell: Cell) => SentPrompts | null,
  actsOf: (cell: Cell) => MarkupPart,
  reports: Reports,
): Markup[] {
  return cells.map((cell) => {
    const { variant, suite, reference } = cell;
    const sent = sentOf(cell);
    const of = shorten(`${suite.name}, ${variant}`, NAME_LIMIT);
    return markup`
      <h2>${lineHtml(referenceLabel(reference), NO_LINKS)} <span class="soft">${of}</span></h2>
      ${actsOf(cell)}
      ${htmlOf(evidence([], reference, WHOLE_ANSWERS, reports), NO_LINKS)}
      ${sent === null ? null : promptsHtml(sent)}
      <details class="part"><summary>Every try</summary>
        ${htmlOf(referenceBlocks(suite, reference, null, [], reports).slice(1), NO_LINKS)}
      </details>`;
  });
}

function promptsHtml({ base, head }: SentPrompts): Markup | null {
  const [before, after] = [
    base === null ? null : promptText(base),
    head === null ? null : promptText(head),
  ];
  if (before !== null && after !== null && before !== after) {
    const pieces = emphasise(before, after, { characters: MAX_DETAIL_CHARS, gaps: false });
    return markup`
      <details class="prompt" open><summary>Prompt as sent</summary>
        <div class="sides">
          <div class="base"><h3>Base</h3><pre>${piecesHtml(pieces.base)}</pre></div>
          <div class="head"><h3>Working tree</h3><pre>${piecesHtml(pieces.head)}</pre></div>
        </div>
      </details>`;
  }
  const text = after ?? before;
  return text === null
    ? null
    : markup`
        <details class="prompt"><summary>Prompt as sent</summary><pre>${text}</pre></details>`;
}

function promptText(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `${role}:\n${content}`).join('\n\n');
}
