import type { DataRow } from '../documents/dataset.ts';
import { valueAt } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { Columns } from '../kernel/suite/suite.ts';
import { counted } from '../text/amounts.ts';
import type { Json, JsonMap, Problem } from '../types/plain.ts';
import { withoutUndefined } from './settings.ts';

/** Rows that another tool exports. In its texts, `a|b` is a or else b. */
interface RowFormat {
  /** Keys by which the rows are recognised. */
  marks: string;
  /** Where the input and the expected answer are, if not under our keys. */
  input?: string;
  expected?: string;
  /** Keys whose data no test can use. */
  lost?: string;
  /** A key and its value in rows that the tool does not run. */
  omits?: readonly [string, string];
}

const LANGSMITH_OUTPUT =
  'outputs.output|outputs.answer|outputs.expected|outputs.response|outputs|reference_outputs';

const ROW_FORMATS: Readonly<Record<string, RowFormat>> = {
  "OpenAI's hosted Evals": { marks: 'item|datasource_item', input: 'item|datasource_item' },
  "OpenAI's evals": { marks: 'input ideal', expected: 'ideal' },
  Langfuse: {
    marks: 'input expectedOutput',
    expected: 'expectedOutput',
    omits: ['status', 'ARCHIVED'],
  },
  LangSmith: {
    marks: 'inputs outputs|reference_outputs|dataset_id',
    input: 'inputs',
    expected: LANGSMITH_OUTPUT,
    lost: 'attachments',
  },
  Braintrust: { marks: 'input _xact_id|root_span_id|is_root' },
  Inspect: { marks: 'input target', expected: 'target', lost: 'choices files setup sandbox' },
  deepeval: {
    marks: 'input expected_output',
    expected: 'expected_output',
    lost: 'expected_tools tools_called',
  },
  Ragas: {
    marks: 'user_input|question reference|ground_truth|ground_truths',
    input: 'user_input|question',
    expected: 'reference|ground_truth|ground_truths',
    lost: 'rubrics reference_tool_calls reference_topics',
  },
};

export const READ_ROWS = `rows (.jsonl, .json, .csv, .tsv) of ${Object.keys(ROW_FORMATS).join(', ')} or your own`;

const hasMarksOf = (name: string, row: JsonMap): boolean => {
  const marks = ROW_FORMATS[name]?.marks.split(' ') ?? [];
  return marks.every((mark) => mark.split('|').some((key) => Object.hasOwn(row, key)));
};

/** The value of a column; `a.b` is a member of a member. */
export function columnValue(row: JsonMap, column: string): Json | undefined {
  const steps = column.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return Object.hasOwn(row, column) ? row[column] : valueAt(row, steps);
}

/** Recognises rows by their content. Columns that are variables of the prompt stay variables. */
export function recogniseRows(
  file: string,
  all: readonly DataRow[],
  given: Columns,
  variables: readonly string[],
  problems: Problem[],
) {
  const names = all.map(({ value }) =>
    Object.keys(ROW_FORMATS).find((each) => hasMarksOf(each, value)),
  );
  const name = names.find((each) => each !== undefined);
  const format: Partial<RowFormat> = ROW_FORMATS[name ?? ''] ?? {};
  const { lost = '', omits: [key, omitted] = [] } = format;
  const isGiven = (key: string) => all.some(({ value }) => columnValue(value, key) !== undefined);
  const columnOf = (keys = ''): string | undefined =>
    keys.split('|').find((each) => !variables.includes(each) && isGiven(each));
  const own: Columns = {
    input: columnOf(format.input),
    expected: isGiven('expected') ? undefined : columnOf(format.expected),
  };
  const at = names.findIndex((each) => each !== undefined && each !== name);
  if (at !== -1) {
    const message = `is a row of ${names[at]}, but rows before it are of ${name}; write two files`;
    problems.push(problem({ file, line: all[at]?.line ?? 0 }, message));
  }
  const rows = all.filter(({ value }) => key === undefined || value[key] !== omitted);
  return {
    /** Of the format. Undefined: rows with keys of the user's own. */
    name,
    columns: withoutUndefined({ ...own, ...given }),
    rows,
    lost: lost.split(' ').flatMap((what) => {
      const [first, ...more] = rows.filter(({ value }) => [value[what] ?? []].flat().length > 0);
      const times = counted(more.length + 1, 'row');
      return first === undefined ? [] : [{ what, line: first.line, times }];
    }),
  };
}
