import type { FormatTools } from '../../../config/formats.ts';
import { UNNAMED_MODEL } from '../../../config/model-names.ts';
import { columnValue, READ_ROWS, recogniseRows } from '../../../config/row-formats.ts';
import { readRows } from '../../../documents/dataset.ts';
import { problem } from '../../../errors.ts';
import { isMap, type Json, type JsonMap, type Problem } from '../../../types/plain.ts';
import {
  judgeTheRest,
  lastSteps,
  nothingImported,
  variablesEntry,
  type Imported,
} from '../shared/draft.ts';
import { leafNode, lose } from '../shared/node.ts';

/** Makes a prompt whose tests read the rows from their file. */
export async function importRows(
  file: string,
  { files, hasGrader }: FormatTools,
  problems: Problem[],
): Promise<Imported> {
  const imported = nothingImported();
  const loaded = await files.data(file, null, problems);
  if (loaded === null) return imported;
  const read = readRows(file, loaded.content, problems);
  const { name, columns, tests, lost } = recogniseRows(file, read, {}, [], problems);
  const isOneMap = name === null && read.length === 1 && /\.json$/i.test(file);
  if (problems.length === 0 && (tests.length === 0 || isOneMap))
    problems.push(problem(file, `has no rows that evaldiff reads: ${READ_ROWS}`));
  if (problems.length > 0) return imported;
  for (const { what, line, rows } of lost)
    lose(imported.left, { file, line }, `${what} of ${rows}`, 'evaldiff has no equivalent');
  const place = { file, line: 0 };
  const node = leafNode(null, place, imported);
  const [input, expected] = [columns.input, columns.expected ?? 'expected'].map(String);
  const inputs = tests.map(({ value }) => columnValue(value, input ?? '') ?? value);
  const isKnown = tests.every(({ value }) => (columnValue(value, expected ?? '') ?? '') !== '');
  const metric = hasGrader
    ? { uses: 'factuality' }
    : { uses: 'contains', with: { ignore_case: true } };
  const draft = {
    value: {
      ...(isKnown ? { metrics: [{ name: 'expected', ...metric }] } : {}),
      references_from: { file },
    },
    place,
  };
  node.remark(
    `${name ?? 'the file'} has rows without a prompt and a model: write your prompt, define ` +
      `models: { ${UNNAMED_MODEL}: … } in the settings, and check how answers are judged (metrics)`,
  );
  judgeTheRest(draft, node, hasGrader, tests.length);
  const stem = lastSteps(file).name.replace(/\.\w+$/, '');
  const prompt: JsonMap = { name: stem, model: UNNAMED_MODEL, ...messagesOf(inputs) };
  imported.prompts.push({ prompt: { value: prompt, place }, tests: draft });
  imported.carried = [{ unit: 'row', of: tests.length, carried: tests.length }];
  return imported;
}

/** One message with all values of the inputs, or one that recorded dialogues replace. */
function messagesOf(inputs: readonly Json[]): JsonMap {
  const [first = null] = inputs;
  const isDialogue = Array.isArray(isMap(first) ? first['messages'] : first);
  const keys = inputs.flatMap((input) => (isMap(input) ? Object.keys(input) : ['input']));
  const names = new Set(isDialogue ? [] : keys.filter((key) => /^[A-Za-z_]\w*$/.test(key)));
  const content = [...names].map((key) => `{${key}}`).join('\n\n');
  const messages = [{ role: 'user', content: isDialogue ? DIALOGUE : content }];
  return { ...variablesEntry(names), messages };
}

const DIALOGUE = 'The dialogue of each reference replaces this message.';
