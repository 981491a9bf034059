import {
  columnKey,
  type Cell,
  type MatrixColumn,
  type MatrixRow,
} from '../report/page/workbench-rows.ts';
import { referenceFields } from '../report/page/workbench.ts';
import type { ReferenceResult, TryResult } from '../result/reference-result.ts';
import { sha256 } from '../session/cached-complete.ts';
import { escapeMarkup, shorten } from '../text/visible.ts';
import type { Rubric } from '../types/metric.ts';

/** A rubric that judges a prompt's answers, and the file it is in. */
export interface RubricChoice {
  name: string;
  file: string;
  labels: readonly string[];
  /** It shows the grader what is expected, so its examples say so too. */
  showsExpected: boolean;
  examples: Rubric['examples'];
}

/** Answers of a cell that have a button of their own. */
const MOST_ANSWERS = 5;

/** What of a cell's answers can be accepted: each text once, by what names it. */
export function acceptable(
  { base, head }: Pick<ReferenceResult, 'base' | 'head'>,
  { side }: Pick<MatrixColumn, 'side'>,
): { name: string; answer: string; made: TryResult }[] {
  const tries = (side === 'base' ? base : head)?.tries ?? [];
  return tries.flatMap((made, index) =>
    made.actual === null || tries.findIndex(({ actual }) => actual === made.actual) < index
      ? []
      : [{ name: sha256(made.actual), answer: made.actual, made }],
  );
}

/** The buttons of one variant's cells: what their answers are taken for, and more of them. */
export function cellActsHtml(
  { variant, reference }: Cell,
  rubrics: readonly RubricChoice[],
): string {
  return (['head', 'base'] as const)
    .filter((side) => reference[side] !== null)
    .map((side) => {
      const where = reference.base === null ? '' : side === 'base' ? 'base: ' : 'working tree: ';
      const key = escapeMarkup(columnKey({ variant, side }));
      const answers = acceptable(reference, { side }).slice(0, MOST_ANSWERS);
      const label = ({ name, answer, made }: (typeof answers)[number]): string =>
        rubrics.length === 0 || answer.trim() === ''
          ? ''
          : `<button type="button" data-form="label" data-cell="${key}" data-answer="${name}">${where}label the answer of try ${String(made.try + 1)}</button>`;
      return [
        '<div class="acts">',
        ...answers.map((answer) =>
          [
            '<button type="button" data-kind="accept"',
            ` data-cell="${key}" data-answer="${answer.name}">`,
            `${where}accept the answer of try ${String(answer.made.try + 1)}</button>`,
            label(answer),
          ].join(''),
        ),
        `<button type="button" data-kind="more" data-cell="${key}">${where}more tries${side === 'base' ? ' of both sides' : ''}</button>`,
        '</div>',
      ].join('');
    })
    .join('');
}

/** The buttons and forms above a reference; every text in them is escaped. */
export function actsHtml({ cells }: MatrixRow, rubrics: readonly RubricChoice[]): string {
  const [cell] = cells;
  if (cell === undefined) return '';
  const { input } = cell.reference;
  return [
    '<div class="acts">',
    '<button type="button" data-form="tag">Tag (t)</button>',
    '<button type="button" data-form="skip">Skip (s)</button>',
    '<button type="button" data-form="add">New reference (n)</button>',
    '<button type="button" data-kind="close">Close (Esc)</button>',
    '</div>',
    '<form data-kind="tag" hidden><label>Tag <input name="tag" required></label><button>Write</button></form>',
    '<form data-kind="skip" hidden><label>Why <input name="reason" required></label><button>Write</button></form>',
    `<form data-kind="add" hidden>${referenceFields(Object.keys(input))}<button>Add</button></form>`,
    labelForm(rubrics),
  ].join('');
}

/** What names a rubric in the page. */
export function rubricKey({ name, file }: Pick<RubricChoice, 'name' | 'file'>): string {
  return `${file}\n${name}`;
}

function labelForm(rubrics: readonly RubricChoice[]): string {
  if (rubrics.length === 0) return '';
  const option = (value: string, words: string): string =>
    `<option value="${escapeMarkup(value)}">${escapeMarkup(shorten(words, 80))}</option>`;
  // The page leaves those of the rubric that is chosen.
  const labels = rubrics.map((rubric) =>
    [
      `<optgroup label="${escapeMarkup(shorten(rubric.name, 80))}"`,
      ` data-rubric="${escapeMarkup(rubricKey(rubric))}">`,
      `${rubric.labels.map((label) => option(label, label)).join('')}</optgroup>`,
    ].join(''),
  );
  return [
    '<form data-kind="label" hidden><label>Rubric <select name="rubric">',
    rubrics.map((rubric) => option(rubricKey(rubric), rubric.name)).join(''),
    `</select></label><label>Label <select name="label">${labels.join('')}</select>`,
    '</label><input type="hidden" name="cell"><input type="hidden" name="answer">',
    '<span class="soft"></span><button>Write</button></form>',
  ].join('');
}
