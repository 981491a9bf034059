import type { FormatTools } from '../../config/formats.ts';
import { UNNAMED_MODEL } from '../../config/model-names.ts';
import { columnValue, READ_ROWS, recogniseRows } from '../../config/row-formats.ts';
import { isField } from '../../config/rows.ts';
import { readRows, type DataRow } from '../../documents/dataset.ts';
import { problem } from '../../errors.ts';
import type { Columns } from '../../kernel/suite/suite.ts';
import { isMap, type Json, type JsonMap, type Problem } from '../../types/plain.ts';
import { READ_FORMATS } from './formats.ts';
import { judgeTheRest, lastSteps, nothingImported, type Imported } from './shared/draft.ts';
import { leafNode, lose } from './shared/node.ts';

/** Makes a prompt whose tests read the rows from their file. */
export async function importRows(
  file: string,
  { files, hasGrader }: FormatTools,
  problems: Problem[],
): Promise<Imported> {
  const imported = nothingImported();
  const isRows = /\.(?:jsonl|ndjson|json|csv|tsv)$/i.test(file);
  const loaded = isRows ? await files.data(file, null, problems) : null;
  const read = loaded === null ? [] : readRows(file, loaded.content, problems);
  const { name, columns, rows, lost } = recogniseRows(file, read, {}, [], problems);
  const [first] = rows;
  const formats = [...Object.keys(READ_FORMATS), READ_ROWS].join(', ');
  if (first === undefined && problems.length === 0)
    problems.push(problem(file, `is in no format that evaldiff reads: ${formats}`));
  if (first === undefined || problems.length > 0) return imported;
  for (const { what, line, times } of lost)
    lose(imported.left, { file, line }, `${what} of ${times}`, 'evaldiff has no equivalent');
  const place = { file, line: 0 };
  const { input, answer, ...map } = splitRow(first.value, columns);
  const metrics = haveAll(rows, map.expected ?? answer) ? { metrics: ['contains'] } : {};
  const from = { file, ...(map.expected !== undefined && { map }) };
  const tests = { value: { ...metrics, references_from: from }, place };
  const node = leafNode(null, place, imported);
  if (name !== undefined) node.remark(`the rows are read as those of ${name}`);
  judgeTheRest(tests, node, hasGrader, rows.length);
  const prompt = {
    name: lastSteps(file).name.replace(/\.\w+$/, ''),
    model: UNNAMED_MODEL,
    prompt: promptText(input, answer),
  };
  imported.prompts.push({ prompt: { value: prompt, place }, tests });
  imported.carried = [{ unit: 'row', of: rows.length, carried: rows.length }];
  return imported;
}

function haveAll(rows: readonly DataRow[], column = 'expected'): boolean {
  return rows.every(({ value }) => (columnValue(value, column) ?? '') !== '');
}

/** Usual names of the expected answer. */
const ANSWERS =
  'answer label output response expected correct ideal gold target solution reference ground_truth'.split(
    ' ',
  );

const isAnswer = (key: string): boolean =>
  ANSWERS.includes(key.toLowerCase().replace(/^(?:correct|expected)_/, ''));

/** A prompt that contained the expected answer would give it away. `expected`: its unusual column. */
function splitRow(
  row: JsonMap,
  { input: named, expected }: Columns,
): { input: Json; answer: string | undefined; expected?: string } {
  const column = typeof named === 'string' ? named : 'input';
  const found = columnValue(row, column);
  const input = found ?? row;
  if (expected !== undefined || !isMap(input)) return { input, answer: expected };
  const answer = Object.keys(input).find((key) => isAnswer(key));
  if (answer === undefined || isField(answer)) return { input, answer };
  return { input, answer, expected: found === undefined ? answer : `${column}.${answer}` };
}

/** All variables of an input without the answer, which recorded dialogues replace. */
function promptText(input: Json, answer: string | undefined): string {
  if (Array.isArray(isMap(input) ? input['messages'] : input))
    return 'The dialogue of each reference replaces this message.';
  const keys = isMap(input)
    ? Object.keys(input).filter((key) => !isField(key) && key !== answer && !isAnswer(key))
    : ['input'];
  return keys.map((key) => `{${key}}`).join('\n\n');
}
