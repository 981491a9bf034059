import type { Json } from '../../types.ts';
import type { JsonMap } from '../document.ts';

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
export function cellAssertion(cell: string, metric: string, bound: Json | undefined): JsonMap {
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
