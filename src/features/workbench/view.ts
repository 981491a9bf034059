import type { ReferenceResult, SideResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import { promptKey } from '../../report/sections/order.ts';
import { type SentPrompts, sentKey } from '../../report/sections/reference-view.ts';
import { markup, markupText } from '../../text/markup.ts';
import { actsHtml, cellActsHtml } from './buttons.ts';
import type { WorkLook, WrittenPrompt } from './evaluate.ts';
import type { WorkbenchState } from './refresh.ts';
import type { Action } from './server.ts';
import {
  cellIn,
  matricesOf,
  type Cell,
  type MatrixColumn,
  type MatrixRow,
} from './workbench-rows.ts';
import { boardOf, detailHtml, spendWords, type Board } from './workbench.ts';

interface View {
  more: readonly Result[];
  board: Board;
  rows: ReadonlyMap<string, MatrixRow>;
}

const views = new WeakMap<WorkLook, View>();

function viewOf({ look: found, more }: WorkbenchState): View | null {
  if (found === null) return null;
  const further = [...more.values()];
  const known = views.get(found);
  if (
    known?.more.length === further.length &&
    known.more.every((result, at) => result === further[at])
  )
    return known;
  const view = { more: further, ...viewWith(found, further) };
  views.set(found, view);
  return view;
}

function viewWith(found: WorkLook, more: readonly Result[]): Omit<View, 'more'> {
  const { alone, missing, reports } = found;
  const shown = withFurtherTries(found, more);
  const matrices = matricesOf(shown.result, shown.all);
  const notes = alone === null ? [] : [`Only the working tree, without a comparison: ${alone}`];
  const empty = [...found.prompts].flatMap(([key, { name, variables, references, tool }]) =>
    references === 0 && tool === null ? [{ key, name, variables }] : [],
  );
  return {
    board: boardOf({ ...shown, reports, matrices, missing, notes, empty }),
    rows: new Map(matrices.flatMap(({ rows }) => rows.map((row) => [row.key, row]))),
  };
}

function withFurtherTries(
  { result, all: stored }: WorkLook,
  more: readonly Result[],
): Pick<WorkLook, 'result' | 'all'> {
  if (more.length === 0) return { result, all: stored };
  const further = new Map<string, ReferenceResult[]>();
  for (const { suites } of more)
    for (const suite of suites)
      for (const reference of suite.references) {
        const key = sentKey(suite, reference.id);
        further.set(key, [...(further.get(key) ?? []), reference]);
      }
  const withFurther = (suite: SuiteResult, reference: ReferenceResult): ReferenceResult =>
    (further.get(sentKey(suite, reference.id)) ?? []).reduce(
      (all, { base, head }) => ({
        ...all,
        base: longer(all.base, base),
        head: longer(all.head, head),
      }),
      reference,
    );
  const merged = (into: Result): Result => ({
    ...into,
    suites: into.suites.map((suite) => ({
      ...suite,
      references: suite.references.map((reference) => withFurther(suite, reference)),
    })),
  });
  return { result: merged(result), all: stored === null ? null : merged(stored) };
}

function longer(left: SideResult | null, right: SideResult | null): SideResult | null {
  return (right?.tries.length ?? 0) > (left?.tries.length ?? 0) ? right : left;
}

const EMPTY_BOARD: Board = { head: '', matrices: [], firsts: '', choices: '' };

export function boardData(state: WorkbenchState): object {
  const { note, bad, old, spend } = state;
  const board = viewOf(state)?.board ?? EMPTY_BOARD;
  return { note, bad, old, spend: spendWords(spend), undo: state.written.length > 0, ...board };
}

function findRow(state: WorkbenchState, key: string): MatrixRow | null {
  return viewOf(state)?.rows.get(key) ?? null;
}

export function detailOf(state: WorkbenchState, key: string): string | null {
  const row = findRow(state, key);
  if (row === null) return null;
  const sentOf = ({ suite, reference }: Cell): SentPrompts | null =>
    state.look?.sent.get(sentKey(suite, reference.id)) ?? null;
  const rubrics = promptOf(state, row)?.rubrics ?? [];
  const cells = detailHtml(
    row,
    sentOf,
    (cell) => cellActsHtml(cell, rubrics),
    state.look?.reports ?? [],
  );
  return markupText(markup`${actsHtml(row, rubrics)}${cells}`);
}

function promptOf(
  { look: found }: WorkbenchState,
  { cells: [cell] }: MatrixRow,
): WrittenPrompt | null {
  return cell === undefined ? null : (found?.prompts.get(promptKey(cell.suite)) ?? null);
}

export interface ChosenCell {
  row: MatrixRow;
  cell: Cell;
  side: MatrixColumn['side'];
  prompt: WrittenPrompt;
}

/** Without `cell`, chooses the working tree's first column. Null if the cell no longer exists. */
export function findChosen({ key, cell: named }: Action, state: WorkbenchState): ChosenCell | null {
  const row = typeof key === 'string' ? findRow(state, key) : null;
  if (row === null) return null;
  const [, side, variant = ''] = /^(base|head) (.*)$/s.exec(String(named)) ?? [];
  const cell = side === undefined ? row.cells[0] : cellIn(row, { variant });
  const prompt = promptOf(state, row);
  return cell === undefined || prompt === null
    ? null
    : { row, cell, side: side === 'base' ? 'base' : 'head', prompt };
}
