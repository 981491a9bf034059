import type { Limits } from '../../documents/limits.ts';
import type { Json, Place, JsonMap } from '../../types/plain.ts';
import { A_TEST, leftOut, type ImportFiles, type Loss } from './draft.ts';
import { fillInAll } from './templates.ts';

const PREFIXES: readonly (readonly [RegExp, string])[] = [
  [/^(?:javascript|fn|eval):/, 'javascript'],
  [/^(?:llm-rubric|grade):/, 'llm-rubric'],
  [/^python:/, 'python'],
  [/^file:\/\/(?=.*\.py$)/, 'python'],
  [/^file:\/\//, 'javascript'],
];

const TYPED = /^(not-)?([a-z][a-z-]*)(?:\((-?\d+(?:\.\d+)?)\))?(?::([\s\S]*))?$/;

/** Types that stand without a value in a cell. */
const BARE = new Set(['is-json', 'contains-json', 'is-refusal']);

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
  if (!TYPES.includes(type) || (value === undefined && threshold === undefined && !BARE.has(type)))
    return null;
  return {
    type: `${not}${type}`,
    ...(value === undefined ? {} : { value: value.trim() }),
    ...(threshold === undefined ? {} : { threshold: Number(threshold) }),
  };
}

const TYPES = [
  'equals',
  'contains',
  'icontains',
  'contains-any',
  'contains-all',
  'icontains-any',
  'icontains-all',
  'starts-with',
  'regex',
  'is-json',
  'contains-json',
  'levenshtein',
  'rouge-n',
  'bleu',
  'latency',
  'cost',
  'is-refusal',
  'word-count',
  'similar',
  'g-eval',
  'factuality',
  'model-graded-closedqa',
  'answer-relevance',
  'classifier',
  'webhook',
];

export interface ForeignAssertion {
  value: JsonMap;
  place: Place;
}

/** A test with everything that `defaultTest` gives it, and one value for each variable. */
export interface ForeignTest {
  description: string | null;
  vars: JsonMap;
  assertions: ForeignAssertion[];
  place: Place;
}

/** What every test of a configuration inherits. */
export interface Defaults {
  vars: JsonMap;
  assertions: ForeignAssertion[];
}

export const ROW_KEYS = ['vars', 'assert', 'description'];

export interface Reader {
  files: ImportFiles;
  limits: Limits;
  left: Loss[];
  defaults: Defaults;
}

export function readRow(
  row: JsonMap,
  place: Place,
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
  return expanded({ description, vars, assertions, place }, limits, said);
}

/**
 * A list as a variable's value means a test for each of its entries; several lists mean all
 * combinations.
 */
export function expanded(test: ForeignTest, limits: Limits, said: Loss[]): ForeignTest[] {
  let combinations: JsonMap[] = [{}];
  for (const [name, value] of Object.entries(test.vars)) {
    const values = Array.isArray(value) && value.length > 0 ? value : [value];
    if (combinations.length * values.length > limits.references) {
      said.push(
        leftOut(
          test.place,
          A_TEST,
          `its lists of values make more than ${String(limits.references)} tests`,
        ),
      );
      return [];
    }
    combinations = combinations.flatMap((vars) => values.map((one) => ({ ...vars, [name]: one })));
  }
  return combinations.map((vars) => ({
    ...test,
    vars: filledIn(vars),
    description: combinations.length > 1 ? null : test.description,
  }));
}

/** A variable may show another one. */
function filledIn(vars: JsonMap): JsonMap {
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => {
      if (typeof value !== 'string' || !value.includes('{{')) return [name, value];
      const filled = fillInAll(value, vars);
      return [name, filled.ok ? filled.value : value];
    }),
  );
}

export function left(reader: Reader, place: Place, what: string, why: string): never[] {
  reader.left.push(leftOut(place, what, why));
  return [];
}
