import { sha256 } from '../../app/session/cached-complete.ts';
import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import { expectedFrom } from '../../report/answers/accept.ts';
import { answerKey } from '../../report/answers/text.ts';
import { type Markup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import type { Rubric } from '../../types/metric.ts';
import { columnKey, type Cell, type MatrixColumn, type MatrixRow } from './workbench-rows.ts';
import { referenceFields } from './workbench.ts';

export interface RubricChoice {
  name: string;
  file: string;
  labels: readonly string[];
  showsExpected: boolean;
  examples: Rubric['examples'];
}

export interface AcceptableAnswer {
  /** Stays the same when the board is redrawn. */
  name: string;
  made: TryResult;
  expected: ReturnType<typeof expectedFrom>;
}

const MOST_ANSWERS = 5;

export function acceptableAnswers(
  { base, head, expected }: Pick<ReferenceResult, 'base' | 'head' | 'expected'>,
  { side }: Pick<MatrixColumn, 'side'>,
): AcceptableAnswer[] {
  const tries = (side === 'base' ? base : head)?.tries ?? [];
  const keyed = tries.flatMap((made) =>
    made.parts === null
      ? []
      : [{ made, key: answerKey(made.parts), of: expectedFrom(made.parts, expected) }],
  );
  return [...Map.groupBy(keyed, ({ key }) => key)].flatMap(([key, [first]]) =>
    first === undefined ? [] : [{ name: sha256(key), made: first.made, expected: first.of }],
  );
}

export function wordsOf({ expected }: Pick<AcceptableAnswer, 'expected'>): string | null {
  const value = 'value' in expected ? expected.value : null;
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

export function cellActsHtml(
  { variant, reference }: Cell,
  rubrics: readonly RubricChoice[],
): Markup[] {
  return (['head', 'base'] as const)
    .filter((side) => reference[side] !== null)
    .map((side) => {
      const where = reference.base === null ? '' : side === 'base' ? 'base: ' : 'working tree: ';
      const key = columnKey({ variant, side });
      const answers = acceptableAnswers(reference, { side }).slice(0, MOST_ANSWERS);
      const button = (act: Markup, words: string, answer: Markup | null = null): Markup =>
        markup`<button type="button" ${act} data-cell="${key}"${answer}>${where}${words}</button>`;
      const ofAnswer = ({ name, made, expected }: AcceptableAnswer): Markup => {
        const named = markup` data-answer="${name}"`;
        const tried = `the answer of try ${made.try + 1}`;
        const labelled = rubrics.length > 0 && wordsOf({ expected }) !== null;
        return markup`
          ${button(markup`data-kind="accept"`, `accept ${tried}`, named)}
          ${labelled ? button(markup`data-form="label"`, `label ${tried}`, named) : null}`;
      };
      const more = `more tries${side === 'base' ? ' of both sides' : ''}`;
      return markup`
        <div class="acts">
          ${answers.map(ofAnswer)}${button(markup`data-kind="more"`, more)}
        </div>`;
    });
}

export function actsHtml({ cells }: MatrixRow, rubrics: readonly RubricChoice[]): Markup | null {
  const [cell] = cells;
  if (cell === undefined) return null;
  const { input } = cell.reference;
  return markup`
    <div class="acts">
      <button type="button" data-form="tag">Tag (t)</button>
      <button type="button" data-form="skip">Skip (s)</button>
      <button type="button" data-form="add">New reference (n)</button>
      <button type="button" data-kind="close">Close (Esc)</button>
    </div>
    <form data-kind="tag" hidden>
      <label>Tag <input name="tag" required></label><button>Write</button>
    </form>
    <form data-kind="skip" hidden>
      <label>Why <input name="reason" required></label><button>Write</button>
    </form>
    <form data-kind="add" hidden>
      ${referenceFields(Object.keys(input))}<button>Add</button>
    </form>
    ${labelForm(rubrics)}`;
}

export function rubricKey({ name, file }: Pick<RubricChoice, 'name' | 'file'>): string {
  return `${file}\n${name}`;
}

function labelForm(rubrics: readonly RubricChoice[]): Markup | null {
  if (rubrics.length === 0) return null;
  const option = (value: string, words: string): Markup =>
    markup`<option value="${value}">${shorten(words, 80)}</option>`;
  const labels = rubrics.map(
    (rubric) => markup`
      <optgroup label="${shorten(rubric.name, 80)}" data-rubric="${rubricKey(rubric)}">
        ${rubric.labels.map((label) => option(label, label))}
      </optgroup>`,
  );
  return markup`
    <form data-kind="label" hidden>
      <label>Rubric${' '}
        <select name="rubric">
          ${rubrics.map((rubric) => option(rubricKey(rubric), rubric.name))}
        </select>
      </label>
      <label>Label <select name="label">${labels}</select></label>
      <input type="hidden" name="cell"><input type="hidden" name="answer">
      <span class="soft"></span><button>Write</button>
    </form>`;
}
