import { folderOf } from '../../../documents/paths.ts';
import { filledText, type Json, type JsonMap, type Place, isMap } from '../../../types/plain.ts';
import { isAmong, isScalar, lose } from '../shared/draft.ts';
import { nodeOf, readEach, type Node } from '../shared/node.ts';
import { fieldsOf } from '../shared/text-assertions.ts';
import {
  type ForeignTest,
  type ValueReader,
  type Variable,
  type Variables,
  expandVariables,
} from './promptfoo-values.ts';

type VariableReader = Pick<ValueReader, 'files' | 'shown'>;

export async function readVariables(written: Node, reader: VariableReader): Promise<Variables> {
  const { value, place } = written;
  if (isMap(value)) return new Map(await variablesIn(written, reader));
  const named = [value].flat().filter((name) => typeof name === 'string');
  const found = await readEach(named, (name) =>
    reader.files.documents(name, place, folderOf(place.file)),
  );
  return new Map(await readEach(found, (file) => variablesIn(nodeOf(file), reader)));
}

export async function variablesOfRow(
  row: Readonly<Record<string, Json>>,
  place: Place,
  reader: VariableReader,
): Promise<Variables> {
  const cells = Object.entries(row).filter(([column]) => !column.startsWith('__'));
  const node = nodeOf({ value: Object.fromEntries(cells), placeOf: () => place });
  return new Map(await variablesIn(node, reader));
}

function variablesIn({ map, at }: Node, reader: VariableReader): Promise<[string, Variable][]> {
  return readEach(Object.keys(map), async (name) => [
    [name, await readVariable(name, at(name), reader)],
  ]);
}

/** A list of texts gives the variable several values. Any other list is one value. */
async function readVariable(
  name: string,
  { value, place, items }: Node,
  reader: VariableReader,
): Promise<Variable> {
  const isList = Array.isArray(value) && typeof value[0] === 'string';
  if (!isList) return ofValue(value, { name, place }, reader);
  const each = await Promise.all(
    items().map((member) => ofValue(member.value, { name, place }, reader)),
  );
  const values = each.flatMap((variable) => ('why' in variable ? [] : variable.each));
  return each.find((variable) => 'why' in variable) ?? { each: values, whole: value };
}

const VARIABLE_CODE_PATH = /\.(?:[cm]?[jt]s|py)(?::\w+)?$/i;

/** Types of files that promptfoo does not read as text. */
const NO_TEXT =
  /\.(?:pdf|png|jpe?g|gif|webp|bmp|tiff?|ico|avif|hei[cf]|svg|mp3|wav|m4a|aac|ogg|flac|opus|aiff?|wma|mp4|m4v|mov|avi|webm|mkv|mpe?g|wmv|flv|docx?|xlsx?|pptx?)$/i;

async function ofValue(
  value: Json,
  { name, place }: { name: string; place: Place },
  { files, shown }: VariableReader,
): Promise<Variable> {
  if (typeof value !== 'string' || !value.startsWith('file://'))
    return { each: [{ value, file: null }], whole: isScalar(value) ? null : value };
  if (VARIABLE_CODE_PATH.test(value)) return { why: 'comes from code, which does not run' };
  if (shown.has(name)) {
    const found = files.paths(value, place);
    return { each: found.map((file) => ({ value: file, file: null })), whole: null };
  }
  if (NO_TEXT.test(value)) return { why: `is the file ${value}, which is not plain text` };
  if (/\.ya?ml$/i.test(value)) {
    const found = await files.documents(value, place);
    return {
      each: found.map(({ file, value: data }) => ({ value: JSON.stringify(data), file })),
      whole: null,
    };
  }
  const found = await files.texts(value, place);
  const binary = found.find(({ text }) => text.includes('\0'));
  if (binary !== undefined) return { why: `is the file ${binary.file}, which is not plain text` };
  return { each: found.map(({ file, text }) => ({ value: text.trim(), file })), whole: null };
}

const PREFIXES: readonly (readonly [RegExp, string])[] = [
  [/^(?:javascript|fn|eval):/, 'javascript'],
  [/^(?:llm-rubric|grade):/, 'llm-rubric'],
  [/^python:/, 'python'],
  [/^file:\/\/(?=.*\.py(?::\w+)?$)/, 'python'],
  [/^file:\/\/(?=.*\.[cm]?[jt]s(?::\w+)?$)/, 'javascript'],
];

const TYPED = /^(not-)?([a-z][a-z0-9-]*(?::[a-z-]+)?)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/;

const ASSERTION_TYPES =
  'agent-rubric answer-relevance bleu classifier contains contains-all contains-any ' +
  'contains-html contains-json contains-sql contains-xml context-faithfulness context-recall ' +
  'context-relevance conversation-relevance cost equals factuality finish-reason g-eval gleu ' +
  'guardrails icontains icontains-all icontains-any is-html is-json is-refusal is-sql ' +
  'is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml ' +
  'javascript latency levenshtein llm-rubric meteor model-graded-closedqa ' +
  'model-graded-factuality moderation perplexity perplexity-score pi python regex rouge-n ruby ' +
  'search-rubric similar similar:cosine similar:dot similar:euclidean skill-used starts-with ' +
  'tool-call-f1 trace-error-spans trace-span-count trace-span-duration trajectory:goal-success ' +
  'trajectory:step-count trajectory:tool-args-match trajectory:tool-sequence ' +
  'trajectory:tool-used webhook word-count';

/** Types of assertions that may have a threshold in brackets. */
const BOUNDED =
  'answer-relevance classifier context-faithfulness context-recall context-relevance cost ' +
  'latency levenshtein perplexity perplexity-score rouge-n similar starts-with';

const LIST_ASSERTION = /^i?contains-(?:any|all)$/;

const BOUND = 0.75;

/** Reads an assertion from a table cell: `type(threshold): value`, or else the expected answer. */
function cellAssertion(cell: string, metric: string, bound: Json | undefined): JsonMap {
  const written = cell.trim();
  const labels: JsonMap = {
    ...(metric === '' ? {} : { metric }),
    ...(bound === undefined || bound === '' ? {} : { threshold: Number(bound) }),
  };
  for (const [prefix, type] of PREFIXES) {
    if (prefix.test(written))
      return {
        type,
        value: written.startsWith('file://') ? written : written.replace(prefix, '').trim(),
        ...labels,
      };
  }
  return { ...(typedAssertion(written) ?? { type: 'equals', value: written }), ...labels };
}

function typedAssertion(written: string): JsonMap | null {
  const [, not = '', type = '', threshold, value] = TYPED.exec(written) ?? [];
  if (!isAmong(ASSERTION_TYPES, type)) return null;
  return {
    type: `${not}${type}`,
    ...(value === undefined
      ? {}
      : { value: LIST_ASSERTION.test(type) ? (fieldsOf(value) ?? value.trim()) : value.trim() }),
    ...(isAmong(BOUNDED, type)
      ? { threshold: threshold === undefined ? BOUND : Number(threshold) }
      : {}),
  };
}

export const ROW_KEYS = ['vars', 'assert', 'description'];

const SECONDARY_COLUMN = /^__(?:(?:description|metric)$|(?:metadata|config):)/;

export function readRow(
  row: JsonMap,
  place: Place,
  variables: Variables,
  { defaults, left: said }: ValueReader,
): ForeignTest[] {
  const assertions = [...defaults.assertions, ...defaults.always];
  const options = { ...defaults.options };
  for (const [column, cell] of Object.entries(row)) {
    if (cell === '' || !column.startsWith('__') || SECONDARY_COLUMN.test(column)) continue;
    if (/^__expected\d*$/.test(column)) {
      const value = cellAssertion(
        String(cell),
        typeof row['__metric'] === 'string' ? row['__metric'] : '',
        row[`__config:${column}:threshold`],
      );
      assertions.push({ value, place, file: null });
    } else if (column === '__prefix' || column === '__suffix') {
      options[column.slice(2)] = cell;
    } else {
      lose(said, place, `the column ${column}`, 'evaldiff has no equivalent');
    }
  }
  return expandVariables(
    {
      description: filledText(row['__description']),
      variables: new Map([...defaults.variables, ...variables]),
      expands: defaults.expands,
      options,
      assertions,
      place,
    },
    { left: said },
  );
}
