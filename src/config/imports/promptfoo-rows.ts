import type { Limits } from '../../documents/limits.ts';
import type { Json, Place, JsonMap } from '../../types/plain.ts';
import { A_TEST, leftOut, type ImportFiles, type Loss } from './draft.ts';
import type { CodeHost, HostSettings } from './host-code.ts';
import { shown as shownAs } from './templates.ts';

const PREFIXES: readonly (readonly [RegExp, string])[] = [
  [/^(?:javascript|fn|eval):/, 'javascript'],
  [/^(?:llm-rubric|grade):/, 'llm-rubric'],
  [/^python:/, 'python'],
  [/^file:\/\/(?=.*\.py(?::\w+)?$)/, 'python'],
  [/^file:\/\/(?=.*\.[cm]?[jt]s(?::\w+)?$)/, 'javascript'],
];

const TYPED = /^(not-)?([a-z][a-z0-9-]*(?::[a-z-]+)?)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/;

/** Types of assertions, with those that have no counterpart: a cell that begins with one is not text. */
const TYPES = new Set(
  'agent-rubric answer-relevance bleu classifier contains contains-all contains-any contains-html contains-json contains-sql contains-xml context-faithfulness context-recall context-relevance conversation-relevance cost equals factuality finish-reason g-eval gleu guardrails icontains icontains-all icontains-any is-html is-json is-refusal is-sql is-valid-function-call is-valid-openai-function-call is-valid-openai-tools-call is-xml javascript latency levenshtein llm-rubric meteor model-graded-closedqa model-graded-factuality moderation perplexity perplexity-score pi python regex rouge-n ruby search-rubric similar similar:cosine similar:dot similar:euclidean skill-used starts-with tool-call-f1 trace-error-spans trace-span-count trace-span-duration trajectory:goal-success trajectory:step-count trajectory:tool-args-match trajectory:tool-sequence trajectory:tool-used webhook word-count'.split(
    ' ',
  ),
);

/** Types whose bound a cell gives, in brackets or by this default. */
const BOUNDED = new Set([
  'answer-relevance',
  'classifier',
  'context-faithfulness',
  'context-recall',
  'context-relevance',
  'cost',
  'latency',
  'levenshtein',
  'perplexity',
  'perplexity-score',
  'rouge-n',
  'similar',
]);

const BOUND = 0.75;

/**
 * A cell of `__expected` as an assertion: `type(threshold): value`, a prefix of a check in code or
 * words, or the answer itself.
 */
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

/** `not-contains: x`, `rouge-n(0.6): text`, `is-json`; null for text that is none of these. */
function typedAssertion(written: string): JsonMap | null {
  const [, not = '', type = '', threshold, value] = TYPED.exec(written) ?? [];
  if (!TYPES.has(type)) return null;
  return {
    type: `${not}${type}`,
    ...(value === undefined ? {} : { value: value.trim() }),
    ...(BOUNDED.has(type)
      ? { threshold: threshold === undefined ? BOUND : Number(threshold) }
      : {}),
  };
}

export interface ForeignAssertion {
  value: JsonMap;
  place: Place;
}

/** A test with everything that `defaultTest` gives it, and one value for each variable. */
export interface ForeignTest {
  description: string | null;
  vars: JsonMap;
  /** The files that variables are the text of, by name. */
  files: Readonly<Record<string, string>>;
  assertions: ForeignAssertion[];
  place: Place;
}

/** What every test of a configuration inherits. */
export interface Defaults {
  vars: JsonMap;
  files: Readonly<Record<string, string>>;
  /** Whether lists of texts as values mean several tests. */
  expands: boolean;
  assertions: ForeignAssertion[];
}

export const ROW_KEYS = ['vars', 'assert', 'description'];

export interface Reader {
  files: ImportFiles;
  limits: Limits;
  code: CodeHost;
  host: HostSettings;
  /** The configuration's, from which paths lead. */
  folder: string;
  left: Loss[];
  defaults: Defaults;
}

export function readRow(
  row: JsonMap,
  place: Place,
  files: Readonly<Record<string, string>>,
  { defaults, limits, left: said }: Reader,
): ForeignTest[] {
  const vars: JsonMap = { ...defaults.vars };
  const assertions = [...defaults.assertions];
  for (const [column, cell] of Object.entries(row)) {
    if (!column.startsWith('__')) {
      vars[column] = cell;
      continue;
    }
    if (
      cell === '' ||
      column === '__description' ||
      column.startsWith('__metadata:') ||
      column === '__metric'
    )
      continue;
    if (/^__expected\d*$/.test(column)) {
      const value = cellAssertion(
        String(cell),
        typeof row['__metric'] === 'string' ? row['__metric'] : '',
        row[`__config:${column}:threshold`],
      );
      assertions.push({ value, place });
    } else if (!column.startsWith('__config:')) {
      said.push(leftOut(place, `the column ${column}`, 'it has no counterpart'));
    }
  }
  const description =
    typeof row['__description'] === 'string' && row['__description'] !== ''
      ? row['__description']
      : null;
  return expanded(
    { description, vars, files: { ...defaults.files, ...files }, assertions, place },
    limits,
    said,
    defaults.expands,
  );
}

/**
 * A list of texts as a variable's value means a test for each of its entries; several such lists
 * mean all combinations. Any other list is one value, and so is every list where `expands` is false.
 */
export function expanded(
  test: ForeignTest,
  limits: Limits,
  said: Loss[],
  expands = true,
): ForeignTest[] {
  const lost = (why: string): ForeignTest[] => {
    said.push(leftOut(test.place, A_TEST, why));
    return [];
  };
  let combinations: JsonMap[] = [{}];
  for (const [name, value] of Object.entries(test.vars)) {
    const [, unknown] = /\{\{\s*(env\.\w+)/.exec(typeof value === 'string' ? value : '') ?? [];
    if (unknown !== undefined)
      return lost(
        `its variable ${name} takes ${unknown} from a run's environment, which no file shows`,
      );
    const values =
      expands && Array.isArray(value) && typeof value[0] === 'string' ? value : [value];
    if (combinations.length * values.length > limits.references)
      return lost(`its lists of values make more than ${String(limits.references)} tests`);
    combinations = combinations.flatMap((vars) => values.map((one) => ({ ...vars, [name]: one })));
  }
  return combinations.map((vars) => ({
    ...test,
    vars: filledIn(vars),
    description: combinations.length > 1 ? null : test.description,
  }));
}

/**
 * A variable may show another one by its name; whatever else stands between braces in a value is
 * text there, and so it is here.
 */
function filledIn(vars: JsonMap): JsonMap {
  const shown = (text: string): string =>
    text.replace(/\{\{\s*(\w+)\s*\}\}/g, (all, name: string) => {
      const value = Object.hasOwn(vars, name) ? vars[name] : undefined;
      return value === undefined || value === null ? all : shownAs(value);
    });
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [
      name,
      typeof value === 'string' ? shown(value) : value,
    ]),
  );
}

export function left(reader: Reader, place: Place, what: string, why: string): never[] {
  reader.left.push(leftOut(place, what, why));
  return [];
}
