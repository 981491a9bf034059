import {
  cellIn,
  matricesOf,
  promptKey,
  type Cell,
  type MatrixColumn,
  type MatrixRow,
} from '../report/page/workbench-rows.ts';
import { boardOf, detailHtml, spendWords, type Board } from '../report/page/workbench.ts';
import type { SentPrompts } from '../report/sections/reference-view.ts';
import type { ReferenceResult, SideResult } from '../result/reference-result.ts';
import type { Result } from '../result/result.ts';
import type { SuiteResult } from '../result/suite-result.ts';
import { sentKey } from '../session/sent-prompts.ts';
import { actsHtml, cellActsHtml } from './workbench-acts.ts';
import type { WrittenPrompt } from './workbench-engine.ts';
import type { State } from './workbench-looking.ts';
import type { Action } from './workbench-server.ts';

/** The results with the further tries of single cells in their places. */
function withMore({ look: found, more }: State): { result: Result; all: Result | null } | null {
  if (found === null) return null;
  const further = new Map<string, ReferenceResult[]>();
  for (const { suites } of more.values())
    for (const suite of suites)
      for (const one of suite.references) {
        const key = sentKey(suite, one.id);
        further.set(key, [...(further.get(key) ?? []), one]);
      }
  const withFurther = (suite: SuiteResult, one: ReferenceResult): ReferenceResult =>
    (further.get(sentKey(suite, one.id)) ?? []).reduce(
      (all, { base, head }) => ({
        ...all,
        base: longer(all.base, base),
        head: longer(all.head, head),
      }),
      one,
    );
  const merged = (result: Result): Result =>
    further.size === 0
      ? result
      : {
          ...result,
          suites: result.suites.map((suite) => ({
            ...suite,
            references: suite.references.map((one) => withFurther(suite, one)),
          })),
        };
  return { result: merged(found.result), all: found.all === null ? null : merged(found.all) };
}

function longer(one: SideResult | null, other: SideResult | null): SideResult | null {
  return (other?.tries.length ?? 0) > (one?.tries.length ?? 0) ? other : one;
}

export function shownBoard(state: State): object {
  const { note, bad, old, spend, look: found } = state;
  const shown = withMore(state);
  const common = { note, bad, old, spend: spendWords(spend), undo: state.written.length > 0 };
  if (shown === null || found === null)
    return { ...common, html: '', choices: '', rows: [] } satisfies Board & object;
  const { alone, missing } = found;
  const notes =
    alone === null
      ? []
      : [`Only the files as they are, with nothing to compare them with: ${alone}`];
  const empty = [...found.prompts].flatMap(([key, { name, variables, references, tool }]) =>
    references === 0 && tool === null ? [{ key, name, variables }] : [],
  );
  return { ...common, ...boardOf({ ...shown, missing, notes, empty }) };
}

function rowOf(state: State, key: string): MatrixRow | null {
  const shown = withMore(state);
  if (shown === null) return null;
  const rows = matricesOf(shown.result, shown.all).flatMap((matrix) => matrix.rows);
  return rows.find((row) => row.key === key) ?? null;
}

export function detailOf(state: State, key: string): string | null {
  const row = rowOf(state, key);
  if (row === null) return null;
  const sentOf = ({ suite, reference }: Cell): SentPrompts | null =>
    state.look?.sent.get(sentKey(suite, reference.id)) ?? null;
  const rubrics = promptOf(state, row)?.rubrics ?? [];
  return `${actsHtml(row, rubrics)}${detailHtml(row, sentOf, (cell) => cellActsHtml(cell, rubrics))}`;
}

function promptOf({ look: found }: State, { cells: [cell] }: MatrixRow): WrittenPrompt | null {
  return cell === undefined ? null : (found?.prompts.get(promptKey(cell.suite)) ?? null);
}

/** What an action is about: a cell of a row, and how its prompt is written. */
export interface Chosen {
  row: MatrixRow;
  cell: Cell;
  side: MatrixColumn['side'];
  prompt: WrittenPrompt;
}

/** What an action names by row and column; without a column, the working tree's first. Null: it is gone. */
export function chosenBy({ key, cell: named }: Action, state: State): Chosen | null {
  const row = typeof key === 'string' ? rowOf(state, key) : null;
  if (row === null) return null;
  const [, side, variant = ''] = /^(base|head) (.*)$/s.exec(String(named)) ?? [];
  const cell = side === undefined ? row.cells[0] : cellIn(row, { variant });
  const prompt = promptOf(state, row);
  return cell === undefined || prompt === null
    ? null
    : { row, cell, side: side === 'base' ? 'base' : 'head', prompt };
}
