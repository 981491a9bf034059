import { emptyMap } from '../documents/document.ts';
import type { Columns } from '../kernel/suite/suite.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import {
  filledText,
  isMap,
  jsonText,
  type Json,
  type JsonMap,
  type Place,
  type Problem,
} from '../types/plain.ts';
import { columnValue } from './row-formats.ts';
import { SCRIPT_KEYS } from './script.ts';

export type LoadData = (
  path: string,
  from: Place,
  problems: Problem[],
) => Promise<{ file: string; content: Uint8Array } | null>;

interface RowRules {
  map: Columns;
  /** The columns that a row must have. Default: all of `map`. */
  needed?: Columns;
  variables: readonly string[];
  table: boolean;
  isLed?: boolean;
}

const REFERENCE_FIELDS = ['id', 'expected', 'tags', 'skip', 'n_tries', 'cluster'] as const;

type ReferenceField = (typeof REFERENCE_FIELDS)[number];

export const isField = (key: string): boolean =>
  (REFERENCE_FIELDS as readonly string[]).includes(key);

/**
 * Reads each field from the column that `map` names, or else from the one with the field's name.
 * Without `input`, all other columns are the input.
 */
export function rowAsReference(row: JsonMap, rules: RowRules): JsonMap | string {
  const reference = emptyMap();
  const lacking = absent(row, rules);
  if (lacking !== null) return lacking;
  for (const part of REFERENCE_FIELDS) {
    const asked = part === 'n_tries' ? undefined : rules.map[part];
    const value = columnValue(row, asked ?? part);
    if (value !== undefined && !rules.table) reference[part] = value;
    else if (value !== undefined && value !== '') reference[part] = cell(part, String(value));
  }
  Object.assign(reference, scriptOf(row, rules));
  const input = rowInput(row, rules);
  if (typeof input === 'string') return input;
  reference['input'] = input.value;
  const metadata = Array.isArray(input.value) ? metadataOf(row, rules) : emptyMap();
  if (Object.keys(metadata).length > 0) reference['metadata'] = metadata;
  return reference;
}

/** Misspelt names of fields. Such a field is missing without an error, for example `tags`. */
export function misspeltFields(row: JsonMap, { map, variables }: RowRules): string[] {
  const read = [...variables, ...Object.values(map)];
  const unread = Object.keys(row).filter((name) => !read.includes(name));
  return REFERENCE_FIELDS.flatMap((field) => {
    const near = unread.includes(field) || field in map ? null : nearest(field, unread, 'strict');
    return near === null ? [] : `"${near}" is not read; did you mean "${field}"?`;
  });
}

function scriptOf(row: JsonMap, { variables, isLed }: RowRules): JsonMap {
  const keys = isLed === true ? SCRIPT_KEYS.filter((key) => !variables.includes(key)) : [];
  return Object.fromEntries(
    keys.flatMap((key) => (row[key] === undefined ? [] : [[key, row[key]]])),
  );
}

function metadataOf(row: JsonMap, { map }: RowRules): JsonMap {
  const read = new Set<string>([
    ...REFERENCE_FIELDS,
    ...Object.values(map).filter((column) => typeof column === 'string'),
    'input',
    ...DIALOGUE_KEYS,
  ]);
  return Object.fromEntries(Object.entries(row).filter(([key]) => !read.has(key)));
}

/** OpenAI's and ShareGPT's names for a dialogue. */
const DIALOGUE_KEYS = ['messages', 'conversations'] as const;

function rowInput(row: JsonMap, rules: RowRules): { value: Json } | string {
  const { map, variables } = rules;
  if (typeof map.input === 'object')
    return {
      value: Object.fromEntries(
        Object.entries(map.input).map(([variable, column]) => [
          variable,
          variableText(columnValue(row, column) ?? null),
        ]),
      ),
    };
  if (map.input !== undefined) return wholeInput(row, map.input, variables);
  if (
    Object.hasOwn(row, 'input') &&
    (!variables.includes('input') || typeof row['input'] === 'object')
  )
    return wholeInput(row, 'input', variables);
  const dialogue = DIALOGUE_KEYS.find(
    (key) => Array.isArray(row[key]) && !variables.includes(key) && !rules.table,
  );
  if (dialogue !== undefined) return { value: row[dialogue] ?? null };
  const picked = emptyMap();
  for (const [key, value] of Object.entries(row)) {
    if (variables.includes(key) || (rules.table && !isField(key)))
      picked[key] = variableText(value);
  }
  return { value: picked };
}

function wholeInput(
  row: JsonMap,
  column: string,
  variables: readonly string[],
): { value: Json } | string {
  const value = columnValue(row, column) ?? null;
  if (Array.isArray(value)) return { value };
  if (isMap(value)) {
    const { messages } = value;
    if (Array.isArray(messages) && !variables.includes('messages')) return { value: messages };
    const given = Object.entries(value).filter(([, member]) => member !== null);
    return {
      value: Object.fromEntries(given.map(([name, member]) => [name, variableText(member)])),
    };
  }
  const [only, ...others] = variables;
  if (only === undefined || others.length > 0) {
    return (
      `"${column}" is one value, but the prompt has ${variables.length} variables; name a ` +
      'column for each: input: { variable: column }'
    );
  }
  const picked = emptyMap();
  picked[only] = value;
  return { value: picked };
}

/** Messages become a transcript, other lists and maps JSON. */
function variableText(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  const messages = Array.isArray(value) ? value.filter(isMap) : [];
  const isTranscript = messages.length > 0 && messages.every(({ role }) => filledText(role));
  return isTranscript
    ? messages.map(({ role, content }) => `${role}: ${jsonText(content ?? '')}`).join('\n')
    : JSON.stringify(value);
}

function absent(row: JsonMap, { map, needed = map, table }: RowRules): string | null {
  const { input, ...parts } = needed;
  const asked = [
    ...Object.values(typeof input === 'object' ? input : { input }),
    ...Object.values(parts),
  ];
  const lacking = [...new Set(asked)].filter(
    (column) => column !== undefined && columnValue(row, column) === undefined,
  );
  const [first] = lacking;
  if (first === undefined) return null;
  const named = lacking.map((column) => `"${column}"`).join(' or ');
  return `has no ${table ? 'column' : 'member'} ${named}${didYouMean(first, Object.keys(row))}`;
}

function cell(part: ReferenceField, value: string): Json {
  if (part === 'tags')
    return value
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
  if (part === 'n_tries') return Number(value);
  const truth = part === 'skip' ? value.toLowerCase() : '';
  return truth === 'true' || truth === 'false' ? truth === 'true' : value;
}
