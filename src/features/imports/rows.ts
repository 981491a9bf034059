import type { FormatTools } from '../../config/formats.ts';
import { UNNAMED_MODEL } from '../../config/model-names.ts';
import { columnValue, READ_ROWS, recogniseRows } from '../../config/row-formats.ts';
import { isField } from '../../config/rows.ts';
import { readRows } from '../../documents/dataset.ts';
import { problem } from '../../errors.ts';
import { isMap, type Json, type Problem } from '../../types/plain.ts';
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
  const input = columnValue(first.value, String(columns.input)) ?? first.value;
  const expected = String(columns.expected ?? 'expected');
  const metrics = rows.every(({ value }) => (columnValue(value, expected) ?? '') !== '')
    ? { metrics: ['contains'] }
    : {};
  const tests = { value: { ...metrics, references_from: { file } }, place };
  const node = leafNode(null, place, imported);
  if (name !== undefined) node.remark(`the rows are read as those of ${name}`);
  judgeTheRest(tests, node, hasGrader, rows.length);
  const prompt = {
    name: lastSteps(file).name.replace(/\.\w+$/, ''),
    model: UNNAMED_MODEL,
    prompt: promptText(input),
  };
  imported.prompts.push({ prompt: { value: prompt, place }, tests });
  imported.carried = [{ unit: 'row', of: rows.length, carried: rows.length }];
  return imported;
}

/** All variables of an input, which recorded dialogues replace. */
function promptText(input: Json): string {
  if (Array.isArray(isMap(input) ? input['messages'] : input))
    return 'The dialogue of each reference replaces this message.';
  const keys = isMap(input) ? Object.keys(input).filter((key) => !isField(key)) : ['input'];
  return keys.map((key) => `{${key}}`).join('\n\n');
}
