import { readYaml } from '../../documents/yaml.ts';
import { toSafePattern } from '../../metrics/measures/javascript-pattern.ts';
import type { BuiltInMetrics } from '../../suite/metrics.ts';
import { suggestion } from '../../text/suggest.ts';
import { isMap, type Json, type JsonMap } from '../../types/plain.ts';
import { javascriptMetric, javascriptProblem, pythonMetric, type CodeCheck } from './code.ts';
import { ownEntry, isScalar } from './draft.ts';
import { EMBEDDINGS, embeddingModel, isConfigured } from './models.ts';
import { fillIn, fillInAll } from './templates.ts';

/** One metric of ours (without its name), or why there is none for an assertion. */
type Converted = { metric: JsonMap } | { why: string };

/** What an assertion is read with. */
interface AssertionContext {
  vars: JsonMap;
  builtIns: BuiltInMetrics;
  /** Variables that are maps or lists. */
  structured: readonly string[];
  /** Text of a file that an assertion names; null when it is not there. */
  textOf(path: string): string | null;
}

/** An assertion's parts once its templates are filled in. */
interface Asked {
  value: Json | undefined;
  threshold: number | null;
  negate: boolean;
  config: Json | undefined;
  provider: Json | undefined;
}

type Convert = (asked: Asked, context: AssertionContext) => Converted;

/** The keys of an assertion that mean something here; others are said. */
export const ASSERTION_KEYS = [
  'type',
  'value',
  'threshold',
  'metric',
  'weight',
  'config',
  'description',
];

const uses = (name: string, values: JsonMap = {}, threshold: number | null = null): Converted => ({
  metric: {
    uses: name,
    ...(Object.keys(values).length === 0 ? {} : { with: values }),
    ...(threshold === null ? {} : { threshold }),
  },
});

const why = (reason: string): Converted => ({ why: reason });

/** Strings are compared as they are: there is no trimming in promptfoo. */
const exactly: JsonMap = { trim: false };

const CONVERSIONS: Readonly<Record<string, Convert>> = {
  equals: ({ value }) =>
    value === undefined
      ? why('it has no value')
      : Array.isArray(value)
        ? uses('json_match', { value })
        : uses('exact_match', { value: parsed(value), ...exactly }),
  contains: substring(false),
  icontains: substring(true),
  'contains-any': substrings('any', false),
  'contains-all': substrings('all', false),
  'icontains-any': substrings('any', true),
  'icontains-all': substrings('all', true),
  'starts-with': ({ value }) =>
    isScalar(value)
      ? uses('starts_with', { value: String(value), ...exactly })
      : why('its value is not text'),
  regex: ({ value, negate }, { builtIns }) =>
    typeof value === 'string' && value !== ''
      ? regex(value, negate, builtIns)
      : why('its value is not a pattern'),
  'is-json': json('raw'),
  'contains-json': json('objects'),
  levenshtein: ({ value, threshold }) =>
    isScalar(value)
      ? uses('levenshtein', {
          value: String(value),
          max_distance: Math.floor(threshold ?? 5),
          ...exactly,
        })
      : why('its value is not text'),
  'rouge-n': ({ value, threshold }) =>
    isScalar(value)
      ? uses('rouge_1', { value: String(value) }, threshold ?? 0.75)
      : why('its value is not text'),
  similar: ({ value, threshold, provider }) => {
    const texts = Array.isArray(value) ? value.filter(isScalar).map(String) : value;
    if (!isScalar(texts) && !(Array.isArray(texts) && texts.length > 0))
      return why('its value is not text');
    // The vendor itself must not be asked what was meant for another server.
    if (isConfigured(provider))
      return why(
        "its embeddings are asked of a server of its own; name that server's model in the settings (models, embeddings) and use embedding_similarity",
      );
    return uses('embedding_similarity', {
      value: isScalar(texts) ? String(texts) : texts,
      model: embeddingModel(provider) ?? EMBEDDINGS,
      threshold: threshold ?? 0.75,
    });
  },
  bleu: ({ value, threshold }) =>
    value === undefined
      ? why('it has no value')
      : uses(
          'bleu',
          { value, ignore_case: true, words: 'spaces', smoothing: 'floor' },
          threshold ?? 0.5,
        ),
  latency: ({ threshold }) =>
    threshold === null ? why('it has no threshold') : uses('latency', { max: threshold }),
  cost: ({ threshold }) =>
    threshold === null ? why('it has no threshold') : uses('cost', { max: threshold }),
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
      ? why('its value is neither a number nor a map of min and max')
      : uses('word_count', bounds);
  },
  javascript: code('javascript'),
  python: code('python'),
  'llm-rubric': graded('llm_rubric', 'criteria'),
  'model-graded-closedqa': graded('closed_qa', 'criteria'),
  'g-eval': ({ value, threshold }) => {
    const criteria = Array.isArray(value) ? value.map(String).join('\n') : value;
    return typeof criteria === 'string' && criteria !== ''
      ? uses('g_eval', { criteria }, threshold ?? 0.7)
      : why('its value is not text');
  },
  factuality: graded('factuality', 'value'),
  'model-graded-factuality': graded('factuality', 'value'),
  'answer-relevance': ({ threshold }) => uses('answer_relevance', {}, threshold),
};

/** Types that are known and have no counterpart, with what to do instead. */
const WITHOUT: Readonly<Record<string, string>> = {
  classifier: 'classifiers are not called',
  moderation: 'moderation is not called',
  webhook: 'a check that calls an address is not run',
  ruby: 'code is Python or JavaScript',
  human: 'people do not judge during a run',
  'select-best': 'outputs are compared between base and head',
  'assert-set': 'sets with a threshold have no counterpart',
};

/**
 * An assertion as a metric of ours. Templates in it are filled in with the test's variables, as
 * promptfoo does.
 */
export function convertAssertion(assertion: JsonMap, context: AssertionContext): Converted {
  const written = assertion['type'];
  if (typeof written !== 'string') return why('it has no type');
  const negate = written.startsWith('not-');
  const type = negate ? written.slice('not-'.length) : written;
  const convert = ownEntry(CONVERSIONS, type);
  if (convert === undefined)
    return why(
      ownEntry(WITHOUT, type) ??
        `this type is not read here${suggestion(type, Object.keys(CONVERSIONS))}`,
    );
  const isCode = type === 'javascript' || type === 'python';
  const value = valueFor(assertion['value'], isCode, context);
  const threshold = assertion['threshold'] ?? null;
  if (!value.ok) return why(value.why);
  if (threshold !== null && typeof threshold !== 'number')
    return why('its threshold is not a number');
  const asked: Asked = {
    value: value.value,
    threshold,
    negate,
    config: assertion['config'],
    provider: assertion['provider'],
  };
  return checked(turned(convert(asked, context), negate && !isCode), context.builtIns);
}

/** The path in `file://…`, without the function behind it; null for other text. */
export function pathIn(text: string): string | null {
  return /^file:\/\/(.+?)(?::[A-Za-z_$][\w$]*)?$/.exec(text.trim())?.[1] ?? null;
}

const CODE = /\.(?:[cm]?[jt]s|py|rb)(?::\w+)?$/i;

type Value = { ok: true; value: Json | undefined } | { ok: false; why: string };

/**
 * What an assertion compares with: files read, templates filled in. Code keeps its own files and
 * braces; what a file holds is taken as it is.
 */
function valueFor(
  written: Json | undefined,
  isCode: boolean,
  context: Pick<AssertionContext, 'vars' | 'textOf'>,
): Value {
  if (written === undefined || written === null) return { ok: true, value: undefined };
  if (isCode) return { ok: true, value: codeFilledIn(written, context.vars) };
  if (typeof written === 'string') return textValue(written, context);
  if (!Array.isArray(written)) return { ok: true, value: written };
  const values: Json[] = [];
  for (const member of written) {
    const read = valueFor(member, false, context);
    if (!read.ok) return read;
    values.push(read.value ?? member);
  }
  return { ok: true, value: values };
}

function textValue(
  text: string,
  { vars, textOf }: Pick<AssertionContext, 'vars' | 'textOf'>,
): Value {
  const path = pathIn(text);
  if (path === null) return fillInAll(text, vars, 'empty');
  if (CODE.test(path)) return { ok: false, why: 'values made by code are not run' };
  const content = textOf(path);
  if (content === null) return { ok: false, why: `${path} cannot be read` };
  if (!/\.(?:json|ya?ml)$/i.test(path)) return { ok: true, value: content.trim() };
  const read = readYaml(path, content);
  return read.ok
    ? { ok: true, value: read.value.value }
    : { ok: false, why: `${path} is neither JSON nor YAML` };
}

/** Braces are code's own; only those around a variable that has a value are another tool's. */
function codeFilledIn(code: Json, vars: JsonMap): Json {
  if (typeof code !== 'string') return code;
  return code.replace(/\{\{\s*[A-Za-z_][\w.]*\s*\}\}/g, (written) => {
    const filled = fillIn(written, vars);
    return filled.ok ? filled.text : written;
  });
}

/** `not-`: errors are not turned into passes, there and here. */
function turned(converted: Converted, negate: boolean): Converted {
  if (!negate || 'why' in converted) return converted;
  const { with: values, ...rest } = converted.metric;
  // Code turns itself round.
  if (!('uses' in rest)) return converted;
  return { metric: { ...rest, with: { ...(isMap(values) ? values : {}), negate: true } } };
}

/**
 * What our metric would refuse (a pattern with look-around, say) is not carried over, rather than a
 * mistake of the user's.
 */
function checked(converted: Converted, builtIns: BuiltInMetrics): Converted {
  if ('why' in converted || typeof converted.metric['uses'] !== 'string') return converted;
  const { uses: name, with: values } = converted.metric;
  const [problem] = builtIns.get(name)?.problems(isMap(values) ? values : {}) ?? [
    `there is no metric ${name}`,
  ];
  return problem === undefined ? converted : why(problem);
}

function substring(ignoreCase: boolean): Convert {
  return ({ value }) =>
    isScalar(value)
      ? uses('contains', { value: String(value), ...cased(ignoreCase) })
      : why('its value is not text');
}

function substrings(mode: 'any' | 'all', ignoreCase: boolean): Convert {
  return ({ value }) => {
    const list = Array.isArray(value) ? value : isScalar(value) ? fieldsOf(String(value)) : [];
    if (list === null) return why('its value has a quote that is not closed');
    if (list.length === 0) return why('its value is not a list');
    return uses('contains', {
      value: list,
      ...(mode === 'all' ? { mode } : {}),
      ...cased(ignoreCase),
    });
  };
}

/** Fields between commas; one in quotes may hold commas. Null where a quote is left open. */
function fieldsOf(text: string): string[] | null {
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

/**
 * A pattern that the safe engine cannot match is a check in confined code, whose engine is the
 * other tool's.
 */
function regex(pattern: string, negate: boolean, builtIns: BuiltInMetrics): Converted {
  const written = { pattern, syntax: 'javascript' };
  if (builtIns.get('regex')?.problems(written).length === 0)
    return uses('regex', toSafePattern(pattern) === pattern ? { pattern } : written);
  const found = `new RegExp(${JSON.stringify(pattern)}).test(actual)`;
  return {
    metric: {
      language: 'javascript',
      code: `metric = ${found} ? 1 : 0;\nresult = metric === ${negate ? '0' : '1'};\n`,
    },
  };
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'filter',
  tool_calls: 'tool',
};

function finishReason(value: Json | undefined): Converted {
  const reason =
    typeof value === 'string' ? ownEntry(FINISH_REASONS, value.toLowerCase()) : undefined;
  return reason === undefined
    ? why(`its value is none of ${Object.keys(FINISH_REASONS).join(', ')}`)
    : uses('finish_reason', { one_of: [reason] });
}

function cased(ignoreCase: boolean): JsonMap {
  return { ...(ignoreCase ? { ignore_case: true } : {}), ...exactly };
}

function json(extract: 'raw' | 'objects'): Convert {
  return ({ value }) => {
    const where: JsonMap = extract === 'raw' ? {} : { extract };
    if (value === undefined || value === null || value === '') return uses('is_json', where);
    const schema = typeof value === 'string' ? schemaIn(value) : value;
    return isMap(schema)
      ? uses('json_schema', { schema: dated(schema), ...where })
      : why('its schema is not a map');
  };
}

/** A schema in text is YAML, of which JSON is a part. */
function schemaIn(text: string): Json {
  const read = readYaml('', text);
  return read.ok ? read.value.value : null;
}

/** Keywords that draft-07, by which the other tool reads, has otherwise than its successor. */
const OF_ITS_TIME =
  /"(?:additionalItems|dependencies|prefixItems|dependentRequired|dependentSchemas|minContains|maxContains|unevaluatedItems|unevaluatedProperties)"\s*:|"items"\s*:\s*\[/;

function dated(schema: JsonMap): JsonMap {
  return '$schema' in schema || !OF_ITS_TIME.test(JSON.stringify(schema))
    ? schema
    : { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
}

function graded(name: string, key: string): Convert {
  return ({ value, threshold }) =>
    typeof value === 'string' && value !== ''
      ? uses(name, { [key]: value }, threshold)
      : why('its value is not text');
}

function code(language: 'javascript' | 'python'): Convert {
  const wrap = language === 'javascript' ? javascriptMetric : pythonMetric;
  const problemOf = language === 'javascript' ? javascriptProblem : (): null => null;
  return ({ value, threshold, negate, config }, { structured, textOf }) => {
    if (typeof value !== 'string' || value.trim() === '') return why('its value is not code');
    const file = fileOf(value, language);
    const source = file === null ? value : textOf(file.path);
    if (source === null)
      return why(
        `${value} cannot be read; only .js, .cjs, .mjs and .py files of the repository are`,
      );
    const problem = problemOf(source, file?.path ?? null);
    if (problem !== null) return why(problem);
    const check: CodeCheck = { source, threshold, negate, structured, config };
    return {
      metric: {
        language,
        code: file === null ? wrap(check, 'inline') : wrap(check, 'file', file.exported),
      },
    };
  };
}

/** `file://checks/tone.js:isKind`. */
function fileOf(
  value: string,
  language: 'javascript' | 'python',
): { path: string; exported: string | null } | null {
  if (!value.trim().startsWith('file://')) return null;
  const [, path, exported] =
    (language === 'javascript'
      ? /^file:\/\/(.+\.[cm]?js)(?::([A-Za-z_$][\w$]*))?$/
      : /^file:\/\/(.+\.py)(?::([A-Za-z_]\w*))?$/
    ).exec(value.trim()) ?? [];
  return { path: path ?? '', exported: exported ?? null };
}

/** JSON text of a map or list is compared as JSON. */
function parsed(value: Json): Json {
  return isScalar(value) ? String(value) : value;
}
