import { sha256 } from '../../app/session/cached-complete.ts';
import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import { escapeMarkup, shorten } from '../../text/visible.ts';
import type { Rubric } from '../../types/metric.ts';
import { columnKey, type Cell, type MatrixColumn, type MatrixRow } from './workbench-rows.ts';
import { referenceFields } from './workbench.ts';

/** A rubric that scores a prompt's answers, and its file. */
export interface RubricChoice {
  name: string;
  file: string;
  labels: readonly string[];
  /** Its template includes `expected`, so labelled examples do too. */
  showsExpected: boolean;
  examples: Rubric['examples'];
}

/** Answers per cell with their own button. */
const MOST_ANSWERS = 5;

/** The distinct answers of a cell that can be accepted. */
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

/** The buttons of one variant's cells. */
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

/** The buttons and forms above a reference, escaped. */
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

export function rubricKey({ name, file }: Pick<RubricChoice, 'name' | 'file'>): string {
  return `${file}\n${name}`;
}

function labelForm(rubrics: readonly RubricChoice[]): string {
  if (rubrics.length === 0) return '';
  const option = (value: string, words: string): string =>
    `<option value="${escapeMarkup(value)}">${escapeMarkup(shorten(words, 80))}</option>`;
  // The page's script shows only the chosen rubric's labels.
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
