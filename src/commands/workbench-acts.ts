import type { MatrixRow } from '../report/page/workbench.ts';
import { escapeMarkup, shorten } from '../text/visible.ts';

/** A rubric that judges a prompt's answers, and the file it is in. */
export interface RubricChoice {
  name: string;
  file: string;
  labels: readonly string[];
}

/** Answers that have a button of their own. */
const MOST_ANSWERS = 5;

/** The buttons and forms above a reference; every text in them is escaped. */
export function actsHtml({ cells: [cell] }: MatrixRow, rubrics: readonly RubricChoice[]): string {
  if (cell === undefined) return '';
  const { head, input } = cell.reference;
  const answers = (head?.tries ?? []).filter(
    ({ actual }, index, all) =>
      actual !== null && all.findIndex((one) => one.actual === actual) === index,
  );
  const first = answers[0]?.actual ?? '';
  return [
    '<div class="acts">',
    ...answers
      .slice(0, MOST_ANSWERS)
      .map(
        (one) =>
          `<button type="button" data-kind="accept" data-try="${String(one.try)}">Accept the answer of try ${String(one.try + 1)}</button>`,
      ),
    '<button type="button" data-kind="more">More tries (m)</button>',
    '<button type="button" data-form="tag">Tag (t)</button>',
    '<button type="button" data-form="skip">Skip (s)</button>',
    '<button type="button" data-form="add">New reference (n)</button>',
    rubrics.length === 0 || first === ''
      ? ''
      : '<button type="button" data-form="label">Label</button>',
    '<button type="button" data-kind="close">Close (Esc)</button>',
    '</div>',
    '<form data-kind="tag" hidden><label>Tag <input name="tag" required></label><button>Write</button></form>',
    '<form data-kind="skip" hidden><label>Why <input name="reason" required></label><button>Write</button></form>',
    `<form data-kind="add" hidden>${Object.keys(input)
      .map(
        (name) =>
          `<label>${escapeMarkup(shorten(name, 60))} <textarea name="input:${escapeMarkup(name)}"></textarea></label>`,
      )
      .join(
        '',
      )}<label>Expected <textarea name="expected"></textarea></label><button>Add</button></form>`,
    labelForm(rubrics, first),
  ].join('');
}

function labelForm(rubrics: readonly RubricChoice[], answer: string): string {
  if (rubrics.length === 0 || answer === '') return '';
  const option = (value: string, words: string): string =>
    `<option value="${escapeMarkup(value)}">${escapeMarkup(shorten(words, 80))}</option>`;
  const labels = [...new Set(rubrics.flatMap((rubric) => rubric.labels))];
  return `<form data-kind="label" hidden><label>Rubric <select name="rubric">${rubrics.map(({ name, file }) => option(`${file}\n${name}`, name)).join('')}</select></label><label>Label <select name="label">${labels.map((label) => option(label, label)).join('')}</select></label><label>Answer <textarea name="text" readonly>\n${escapeMarkup(answer)}</textarea></label><button>Write</button></form>`;
}
