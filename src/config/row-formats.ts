import type { DataRow } from '../documents/dataset.ts';
import { valueAt } from '../documents/document.ts';
import { problem } from '../errors.ts';
import type { Columns } from '../kernel/suite/suite.ts';
import type { Json, JsonMap, Problem } from '../types/plain.ts';

/** Rows that another tool exports. In its texts, `a|b` is a or else b. */
interface RowFormat {
  /** Keys by which the rows are recognised. */
  marks: string;
  /** Where a reference's parts are. */
  columns: Columns;
  /** Keys whose data no test can use. */
  lost?: string;
  /** A key and its value in rows that the tool does not run. */
  omits?: readonly [string, string];
}

const LANGSMITH_OUTPUT =
  'outputs.output|outputs.answer|outputs.expected|outputs.response|outputs|reference_outputs';

const ROW_FORMATS: Readonly<Record<string, RowFormat>> = {
  "OpenAI's hosted Evals": {
    marks: 'item|datasource_item',
    columns: { input: 'item|datasource_item' },
  },
  "OpenAI's evals": { marks: 'input ideal', columns: { input: 'input', expected: 'ideal' } },
  Langfuse: {
    marks: 'input expectedOutput',
    columns: { id: 'id', input: 'input', expected: 'expectedOutput' },
    omits: ['status', 'ARCHIVED'],
  },
  LangSmith: {
    marks: 'inputs outputs|reference_outputs|dataset_id',
    columns: { id: 'id', input: 'inputs', expected: LANGSMITH_OUTPUT, tags: 'split' },
    lost: 'attachments',
  },
  Braintrust: {
    marks: 'input _xact_id|root_span_id|is_root',
    columns: { id: 'id', input: 'input', expected: 'expected', tags: 'tags' },
  },
  Inspect: {
    marks: 'input target',
    columns: { id: 'id', input: 'input', expected: 'target' },
    lost: 'choices files setup sandbox',
  },
  deepeval: {
    marks: 'input expected_output',
    columns: { input: 'input', expected: 'expected_output' },
    lost: 'expected_tools tools_called',
  },
  Ragas: {
    marks: 'user_input|question reference|ground_truth|ground_truths',
    columns: { input: 'user_input|question', expected: 'reference|ground_truth|ground_truths' },
    lost: 'rubrics reference_tool_calls reference_topics',
  },
};

export const READ_ROWS = `rows of ${Object.keys(ROW_FORMATS).join(', ')}, or maps with your own keys`;

const hasMarks = (row: JsonMap, marks: string): boolean =>
  marks.split(' ').every((mark) => mark.split('|').some((key) => Object.hasOwn(row, key)));

/** The value of a column; `a.b` is a member of a member. */
export function columnValue(row: JsonMap, column: string): Json | undefined {
  const steps = column.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  return Object.hasOwn(row, column) ? row[column] : valueAt(row, steps);
}

interface RecognisedRows {
  /** Null: rows with keys of the user's own. */
  name: string | null;
  /** The given columns, and those of the format. */
  columns: Columns;
  tests: readonly DataRow[];
  lost: { what: string; line: number; rows: number }[];
}

/** Recognises rows by their content. Columns that are variables of the prompt stay variables. */
export function recogniseRows(
  file: string,
  rows: readonly DataRow[],
  given: Columns,
  variables: readonly string[],
  problems: Problem[],
): RecognisedRows {
  const names = rows.map(({ value }) =>
    Object.keys(ROW_FORMATS).find((each) => hasMarks(value, ROW_FORMATS[each]?.marks ?? '')),
  );
  const name = names.find((each) => each !== undefined);
  const format = ROW_FORMATS[name ?? ''];
  if (name === undefined || format === undefined)
    return { name: null, columns: given, tests: rows, lost: [] };
  const column = ([part, keys]: [string, string]) => [
    part,
    keys
      .split('|')
      .filter((key) => !variables.includes(key))
      .find((key) => rows.some(({ value }) => columnValue(value, key) !== undefined)),
  ];
  const own = Object.fromEntries(Object.entries(format.columns).map(column)) as Columns;
  const other = rows.find((_, index) => ![name, undefined].includes(names[index]));
  if (other !== undefined && own.input !== undefined && given.input === undefined)
    problems.push(
      problem(
        { file, line: other.line },
        `is a row of ${names[rows.indexOf(other)]}, but the rows before it are of ${name}; put ` +
          'them into two files',
      ),
    );
  const [key, value] = format.omits ?? [];
  const tests = rows.filter((row) => key === undefined || row.value[key] !== value);
  const lost = (format.lost?.split(' ') ?? []).flatMap((what) => {
    const [first, ...others] = tests.filter(({ value }) => [value[what] ?? []].flat().length > 0);
    return first === undefined ? [] : [{ what, line: first.line, rows: others.length + 1 }];
  });
  return { name, columns: { ...own, ...given }, tests, lost };
}
