import { readYaml } from '../../../documents/yaml.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import { toSafePattern } from '../../../metrics/measures/pattern.ts';
import { filledText, isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
import { isScalar } from './draft.ts';
import { refuse } from './node.ts';

export interface NamedFile {
  file: string;
  text: string;
  /** Of a JavaScript file: itself and what it imports. */
  modules?(): Record<string, string>;
}

export interface AssertionContext {
  vars: JsonMap;
  /** Variables whose values differ from the input, because templates in them were filled in. */
  unlike: JsonMap;
  builtIns: BuiltInMetrics;
  structured: readonly string[];
  asData: boolean;
  /** Code that changes the answer first, in this order. */
  transforms: readonly (Json | undefined)[];
  fileAt(path: string): NamedFile | null;
}

export interface GivenAssertion {
  value: Json | undefined;
  threshold: number | null;
  negate: boolean;
  config?: Json | undefined;
  provider?: Json | undefined;
}

/** A type of assertion that corresponds to one built-in metric. */
interface AssertionRow {
  uses: string;
  with?: JsonMap;
  /** Reads the assertion's value for the parameter `value`, or for the one that `as` names. */
  value?(value: Json | undefined): Json;
  as?: string;
  /** The default. Null: only if the assertion has one. */
  threshold?: number | null;
}

type TextContext = Pick<AssertionContext, 'builtIns'>;

export type AssertionConversion<Context = AssertionContext> =
  AssertionRow | ((asked: GivenAssertion, context: Context) => JsonMap);

/** Refuses assertions without an equivalent. Negates a built-in metric, but not code. */
export function convertWith<Context extends TextContext>(
  conversion: AssertionConversion<Context>,
  asked: GivenAssertion,
  context: Context,
): JsonMap {
  const converted =
    typeof conversion === 'function' ? conversion(asked, context) : metricOf(conversion, asked);
  const { uses: name, with: given } = converted;
  if (typeof name !== 'string') return converted;
  // In promptfoo and evaldiff, an error fails the check, even with `not-`.
  const values = { ...(isMap(given) ? given : {}), ...(asked.negate ? { negate: true } : {}) };
  const problems = context.builtIns.get(name)?.problems(values) ?? [`there is no metric ${name}`];
  const [problem] = problems;
  if (problem !== undefined) refuse(problem);
  return asked.negate ? { ...converted, with: values } : converted;
}

function metricOf(row: AssertionRow, { value, threshold }: GivenAssertion): JsonMap {
  const given = row.value === undefined ? {} : { [row.as ?? 'value']: row.value(value) };
  return uses(
    row.uses,
    { ...given, ...row.with },
    row.threshold === undefined ? null : (threshold ?? row.threshold),
  );
}

export function uses(name: string, values: JsonMap = {}, threshold: number | null = null): JsonMap {
  return {
    uses: name,
    ...(Object.keys(values).length === 0 ? {} : { with: values }),
    // Scores are never below 0, so a threshold of 0 always passes. Such a metric is skipped.
    ...(threshold === null ? {} : threshold > 0 ? { threshold } : { skip: true }),
  };
}

const scalarText = (value: Json | undefined): string =>
  isScalar(value) ? String(value) : refuse(NOT_TEXT);

export const someText = (value: Json | undefined): string => filledText(value) ?? refuse(NOT_TEXT);

const anyValue = (value: Json | undefined): Json => value ?? refuse('it has no value');

const NOT_TEXT = 'its value is not text';

/** promptfoo compares text without trimming. */
const EXACTLY: JsonMap = { trim: false };
const ANY_CASE: JsonMap = { ignore_case: true, ...EXACTLY };

export const TEXT_ASSERTIONS: Readonly<Record<string, AssertionConversion<TextContext>>> = {
  equals: ({ value }) =>
    Array.isArray(value)
      ? uses('json_match', { value })
      : uses('exact_match', { value: textOfScalar(anyValue(value)), ...EXACTLY }),
  contains: { uses: 'contains', value: scalarText, with: EXACTLY },
  icontains: { uses: 'contains', value: scalarText, with: ANY_CASE },
  'contains-any': { uses: 'contains', value: jsonTexts, with: EXACTLY },
  'contains-all': { uses: 'contains', value: jsonTexts, with: { mode: 'all', ...EXACTLY } },
  'icontains-any': { uses: 'contains', value: jsonTexts, with: ANY_CASE },
  'icontains-all': { uses: 'contains', value: jsonTexts, with: { mode: 'all', ...ANY_CASE } },
  'starts-with': { uses: 'starts_with', value: scalarText, with: EXACTLY },
  regex: ({ value, negate }, { builtIns }) =>
    regex(filledText(value) ?? refuse('its value is not a pattern'), negate, builtIns),
  'is-json': ({ value }) => json(value, {}),
  'contains-json': ({ value }) => json(value, { extract: 'objects' }),
  levenshtein: ({ value, threshold }) =>
    uses('levenshtein', {
      value: scalarText(value),
      max_distance: Math.floor(threshold ?? 5),
      ...EXACTLY,
    }),
  'rouge-n': { uses: 'rouge_1', value: scalarText, threshold: 0.75 },
  bleu: {
    uses: 'bleu',
    value: anyValue,
    with: { ignore_case: true, words: 'spaces', smoothing: 'floor' },
    threshold: 0.5,
  },
  latency: ({ threshold }) => uses('latency', { max: bound(threshold) }),
  cost: ({ threshold }) => uses('cost', { max: bound(threshold) }),
  'is-refusal': { uses: 'refusal', with: { empty: true } },
  'word-count': ({ value }) => uses('word_count', wordBounds(value)),
};

const textOfScalar = (value: Json): Json => (isScalar(value) ? String(value) : value);

const bound = (threshold: number | null): number => threshold ?? refuse('it has no threshold');

function jsonTexts(value: Json | undefined): Json[] {
  const list = isScalar(value) ? fieldsOf(String(value)) : value;
  if (list === null && isScalar(value)) refuse('its value has a quote that is not closed');
  return Array.isArray(list) && list.length > 0 ? list : refuse('its value is not a list');
}

/** Splits values at commas. Null if a quote is not closed. */
export function fieldsOf(text: string): string[] | null {
  const fields: string[] = [];
  const field = /[\s,]*(?:"((?:\\["\\]|""|[^"])*)"\s*(?=,|$)|([^",][^,]*))/y;
  while (field.lastIndex < text.length && !/^[\s,]*$/.test(text.slice(field.lastIndex))) {
    const found = field.exec(text);
    if (found === null) return null;
    const [, quoted, plain = ''] = found;
    fields.push(quoted === undefined ? plain.trim() : quoted.replace(/\\(["\\])|"(")/g, '$1$2'));
  }
  return fields;
}

/** If evaldiff's safe regex engine rejects the pattern, the metric uses JavaScript code instead. */
function regex(pattern: string, negate: boolean, builtIns: BuiltInMetrics): JsonMap {
  const written = { pattern, syntax: 'javascript' };
  if (builtIns.get('regex')?.problems(written).length === 0)
    return uses('regex', toSafePattern(pattern) === pattern ? { pattern } : written);
  const found = `new RegExp(${JSON.stringify(pattern)}).test(actual)`;
  const code = `metric = ${found} ? 1 : 0;\nresult = metric === ${negate ? '0' : '1'};\n`;
  return { language: 'javascript', code };
}

function wordBounds(value: Json | undefined): JsonMap {
  const count = filledText(value)?.trim() ? Number(value) : value;
  if (typeof count === 'number' && !Number.isNaN(count)) return { min: count, max: count };
  const bounds = Object.entries(isMap(value) ? value : {}).filter(
    ([key, limit]) => ['min', 'max'].includes(key) && typeof limit === 'number',
  );
  return bounds.length === 0
    ? refuse('its value is neither a number nor a map of min and max')
    : Object.fromEntries(bounds);
}

function json(value: Json | undefined, where: JsonMap): JsonMap {
  if (value === undefined || value === null || value === '') return uses('is_json', where);
  const schema = typeof value === 'string' ? yamlValue(value) : value;
  return isMap(schema)
    ? uses('json_schema', { schema: withDraft(schema), ...where })
    : refuse('its schema is not a map');
}

/** Null if the text is neither YAML nor JSON. */
export function yamlValue(text: string): Json {
  const read = readYaml('', text);
  return read.ok ? read.value.value : null;
}

/** Keywords that changed between JSON Schema draft-07, which promptfoo uses, and 2020-12. */
const OF_ITS_TIME =
  /"(?:additionalItems|dependencies|prefixItems|dependentRequired|dependentSchemas|minContains|maxContains|unevaluatedItems|unevaluatedProperties)"\s*:|"items"\s*:\s*\[/;

function withDraft(schema: JsonMap): JsonMap {
  return '$schema' in schema || !OF_ITS_TIME.test(JSON.stringify(schema))
    ? schema
    : { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
}

export function convertText(
  type: string,
  { value, negate }: Pick<GivenAssertion, 'value' | 'negate'>,
  builtIns: BuiltInMetrics,
): JsonMap {
  const conversion = ownEntry(TEXT_ASSERTIONS, type) ?? refuse('this type is not supported');
  return convertWith(conversion, { value, negate, threshold: null }, { builtIns });
}
