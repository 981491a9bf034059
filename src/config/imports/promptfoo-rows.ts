import type { Json, Place, JsonMap } from '../../types/plain.ts';
import { leftOut } from './draft.ts';
import {
  expandVariables,
  type ForeignTest,
  type Reader,
  type Variables,
} from './promptfoo-values.ts';
import { fieldsOf } from './text-assertions.ts';

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
  'starts-with',
]);

/** Types whose value is a list, written between commas. */
const LISTED = /^i?contains-(?:any|all)$/;

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
    ...(value === undefined
      ? {}
      : { value: LISTED.test(type) ? (fieldsOf(value) ?? value.trim()) : value.trim() }),
    ...(BOUNDED.has(type)
      ? { threshold: threshold === undefined ? BOUND : Number(threshold) }
      : {}),
  };
}

export const ROW_KEYS = ['vars', 'assert', 'description'];

/** Columns that are read beside others, or that say nothing of a test. */
const BESIDE = /^__(?:(?:description|metric)$|(?:metadata|config):)/;

/** A row of a table as a test: its variables, and the columns that say something of it. */
export function readRow(
  row: JsonMap,
  place: Place,
  variables: Variables,
  { defaults, limits, left: said }: Reader,
): ForeignTest[] {
  const assertions = [...defaults.assertions, ...defaults.always];
  const options = { ...defaults.options };
  for (const [column, cell] of Object.entries(row)) {
    if (cell === '' || !column.startsWith('__') || BESIDE.test(column)) continue;
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
      said.push(leftOut(place, `the column ${column}`, 'it has no counterpart'));
    }
  }
  const { __description: description } = row;
  return expandVariables(
    {
      description: typeof description === 'string' && description !== '' ? description : null,
      variables: new Map([...defaults.variables, ...variables]),
      expands: defaults.expands,
      options,
      assertions,
      place,
    },
    { limits, left: said },
  );
}
