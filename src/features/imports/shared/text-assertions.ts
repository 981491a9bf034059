import { readYaml } from '../../../documents/yaml.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import { toSafePattern } from '../../../metrics/measures/pattern.ts';
import type { Ended } from '../../../types/answer.ts';
import { isMap, type Json, type JsonMap, ownEntry } from '../../../types/plain.ts';
import { isScalar } from './draft.ts';

/** The metric, or the reason if there is none. */
export type Converted = JsonMap | string;

export interface AssertionContext {
  vars: JsonMap;
  /** Variables whose values differ from the input, because templates in them were filled in. */
  unlike: JsonMap;
  builtIns: BuiltInMetrics;
  structured: readonly string[];
  asData: boolean;
  textOf(path: string): string | null;
}

interface GivenAssertion {
  value: Json | undefined;
  threshold: number | null;
  negate: boolean;
  config: Json | undefined;
  provider: Json | undefined;
}

export type Convert = (asked: GivenAssertion, context: AssertionContext) => Converted;

export const uses = (
  name: string,
  values: JsonMap = {},
  threshold: number | null = null,
): JsonMap => ({
  uses: name,
  ...(Object.keys(values).length === 0 ? {} : { with: values }),
  // Scores are never below 0, so a threshold of 0 always passes. Such a metric is skipped.
  ...(threshold === null ? {} : threshold > 0 ? { threshold } : { skip: true }),
});

/** promptfoo compares text without trimming. */
const noTrim: JsonMap = { trim: false };

export const TEXT_ASSERTIONS: Readonly<Record<string, Convert>> = {
  equals: ({ value }) =>
    value === undefined
      ? 'it has no value'
      : Array.isArray(value)
        ? uses('json_match', { value })
        : uses('exact_match', { value: isScalar(value) ? String(value) : value, ...noTrim }),
  contains: ofText((value) => uses('contains', { value, ...noTrim })),
  icontains: ofText((value) => uses('contains', { value, ignore_case: true, ...noTrim })),
  'contains-any': substrings('any', false),
  'contains-all': substrings('all', false),
  'icontains-any': substrings('any', true),
  'icontains-all': substrings('all', true),
  'starts-with': ofText((value) => uses('starts_with', { value, ...noTrim })),
  regex: ({ value, negate }, { builtIns }) =>
    typeof value === 'string' && value !== ''
      ? regex(value, negate, builtIns)
      : 'its value is not a pattern',
  'is-json': json('raw'),
  'contains-json': json('objects'),
  levenshtein: ofText((value, { threshold }) =>
    uses('levenshtein', { value, max_distance: Math.floor(threshold ?? 5), ...noTrim }),
  ),
  'rouge-n': ofText((value, { threshold }) => uses('rouge_1', { value }, threshold ?? 0.75)),
  bleu: ({ value, threshold }) =>
    value === undefined
      ? 'it has no value'
      : uses(
          'bleu',
          { value, ignore_case: true, words: 'spaces', smoothing: 'floor' },
          threshold ?? 0.5,
        ),
  latency: atMost('latency'),
  cost: atMost('cost'),
  'is-refusal': () => uses('refusal', { empty: true }),
  'finish-reason': ({ value }) => finishReason(value),
  'word-count': ({ value }) => {
    const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof count === 'number' && !Number.isNaN(count))
      return uses('word_count', { min: count, max: count });
    const { min, max } = isMap(value) ? value : {};
    const bounds: JsonMap = {
      ...(typeof min === 'number' ? { min } : {}),
      ...(typeof max === 'number' ? { max } : {}),
    };
    return Object.keys(bounds).length === 0
      ? 'its value is neither a number nor a map of min and max'
      : uses('word_count', bounds);
  },
};

function ofText(convert: (value: string, asked: GivenAssertion) => Converted): Convert {
  return (asked) =>
    isScalar(asked.value) ? convert(String(asked.value), asked) : 'its value is not text';
}

function atMost(name: string): Convert {
  return ({ threshold }) =>
    threshold === null ? 'it has no threshold' : uses(name, { max: threshold });
}

function substrings(mode: 'any' | 'all', ignoreCase: boolean): Convert {
  return ({ value }) => {
    const list = Array.isArray(value) ? value : isScalar(value) ? fieldsOf(String(value)) : [];
    if (list === null) return 'its value has a quote that is not closed';
    if (list.length === 0) return 'its value is not a list';
    return uses('contains', {
      value: list,
      ...(mode === 'all' ? { mode } : {}),
      ...(ignoreCase ? { ignore_case: true } : {}),
      ...noTrim,
    });
  };
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
function regex(pattern: string, negate: boolean, builtIns: BuiltInMetrics): Converted {
  const written = { pattern, syntax: 'javascript' };
  if (builtIns.get('regex')?.problems(written).length === 0)
    return uses('regex', toSafePattern(pattern) === pattern ? { pattern } : written);
  const found = `new RegExp(${JSON.stringify(pattern)}).test(actual)`;
  const code = `metric = ${found} ? 1 : 0;\nresult = metric === ${negate ? '0' : '1'};\n`;
  return { language: 'javascript', code };
}

const FINISH_REASONS: Readonly<Record<string, readonly Ended[]>> = {
  stop: ['stop'],
  length: ['length'],
  content_filter: ['filtered', 'refused'],
  tool_calls: ['tool_calls'],
};

function finishReason(value: Json | undefined): Converted {
  const reasons =
    typeof value === 'string' ? ownEntry(FINISH_REASONS, value.toLowerCase()) : undefined;
  return reasons === undefined
    ? `its value is none of ${Object.keys(FINISH_REASONS).join(', ')}`
    : uses('finish_reason', { one_of: [...reasons] });
}

function json(extract: 'raw' | 'objects'): Convert {
  return ({ value }) => {
    const where: JsonMap = extract === 'raw' ? {} : { extract };
    if (value === undefined || value === null || value === '') return uses('is_json', where);
    const schema = typeof value === 'string' ? yamlValue(value) : value;
    return isMap(schema)
      ? uses('json_schema', { schema: withDraft(schema), ...where })
      : 'its schema is not a map';
  };
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
): Converted {
  const convert = ownEntry(TEXT_ASSERTIONS, type);
  if (convert === undefined) return 'this type is not supported';
  const asked = { value, negate, threshold: null, config: undefined, provider: undefined };
  const nothing = { vars: {}, unlike: {}, structured: [], asData: false, textOf: () => null };
  return checkedMetric(convert(asked, { ...nothing, builtIns }), negate, builtIns);
}

/**
 * Negates a built-in metric (code metrics already contain the negation), and rejects parameters that
 * it does not accept. In promptfoo and evaldiff, an error fails the check, even with `not-`.
 */
export function checkedMetric(
  converted: Converted,
  negate: boolean,
  builtIns: BuiltInMetrics,
): Converted {
  if (typeof converted === 'string' || typeof converted['uses'] !== 'string') return converted;
  const { uses: name, with: given } = converted;
  const values = { ...(isMap(given) ? given : {}), ...(negate ? { negate } : {}) };
  const problems = builtIns.get(name)?.problems(values) ?? [`there is no metric ${name}`];
  return problems[0] ?? (negate ? { ...converted, with: values } : converted);
}
