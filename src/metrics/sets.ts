import { z } from 'zod';
import { shorten } from '../text/visible.ts';
import type { ExactJson } from '../types/exact-json.ts';
import { isMap, jsonText, type Json } from '../types/plain.ts';
import type { MetricAnswer } from './answer.ts';
import { defineComparison } from './comparison.ts';
import { passOrFail, reaches, type MetricDefinition } from './definition.ts';
import { decimalText, exactly } from './measures/decimal.ts';
import { canonical, parseJson } from './measures/json.ts';
import { AS_WRITTEN, ignoreCase, normaliseText } from './measures/normalise.ts';
import { f1 } from './measures/words.ts';

const setParameters = {
  separator: z
    .string()
    .min(1)
    .optional()
    .describe(
      'What separates the entries of a plain-text answer. Default: line ends, or commas if ' +
        'there is only one line.',
    ),
  ignore_case: ignoreCase(true),
};

interface Sets {
  actual: ReadonlySet<string>;
  expected: ReadonlySet<string>;
  shared: number;
}

function setMetric(
  name: string,
  summary: string,
  source: string,
  value: number,
  of: (sets: Sets) => number,
): MetricDefinition {
  return defineComparison({
    name,
    group: 'structured',
    summary:
      `${summary} The answer is a JSON list, or text with entries separated by line ends or ` +
      'commas. Bullets and order are ignored, and duplicates count once.',
    parameters: setParameters,
    range: '0 to 1',
    passes: 'at 1',
    source,
    example: {
      output: '- red\n- green\n- blue',
      expected: ['red', 'blue', 'white', 'grey'],
      value,
      pass: false,
    },
    expects: () => ({ reads: 'value', wrong: entriesProblem }),
    measure({ answer, output, expected, options }) {
      const values = expectedSpellings(answer, expected);
      const spelled = (entries: string[]) =>
        new Set(
          entries
            .map((entry) => values.get(entry.trim()) ?? entry)
            .map((entry) =>
              normaliseText(entry, { ...AS_WRITTEN, ignore_case: options.ignore_case, trim: true }),
            )
            .filter((entry) => entry !== ''),
        );
      const wanted = spelled(
        Array.isArray(expected)
          ? expected.map(entryText)
          : answerEntries(jsonText(expected), options.separator),
      );
      const found = spelled(answerEntries(output, options.separator));
      const shared = [...found].filter((entry) => wanted.has(entry)).length;
      const score = of({ actual: found, expected: wanted, shared });
      return passOrFail(reaches(score, 1), setDifference(found, wanted), score);
    },
  });
}

function expectedSpellings(
  { expected: written = null, values }: MetricAnswer,
  expected: Json,
): Map<string, string> {
  if (values?.expected !== expected) return new Map();
  const texts = [written].flat().map(jsonText);
  return new Map([expected].flat().map((value, index) => [texts[index] ?? '', entryText(value)]));
}

function entriesProblem(expected: Json): string | null {
  if (expected === null || isMap(expected)) return 'expected must be a list of entries';
  const isBlank = (entry: Json) => typeof entry === 'string' && entry.trim() === '';
  return Array.isArray(expected) && expected.length > 0 && expected.every(isBlank)
    ? 'expected has only empty entries'
    : null;
}

function entryText(entry: ExactJson): string {
  if (typeof entry === 'object') return canonical(entry);
  // `String` would write some numbers as 1e+21 or 1e-7.
  return typeof entry === 'number' ? decimalText(exactly(entry)) : jsonText(entry);
}

function answerEntries(text: string, separator: string | undefined): string[] {
  const parsed = parseJson(text, 'fenced');
  if (parsed.ok && Array.isArray(parsed.value)) return parsed.value.map(entryText);
  const trimmed = text.trim();
  const pieces = trimmed.split(separator ?? (trimmed.includes('\n') ? '\n' : ','));
  return pieces.map((piece) => piece.trim().replace(/^(?:[-*•]|\d{1,3}[.)])\s+/, ''));
}

function setDifference(found: ReadonlySet<string>, wanted: ReadonlySet<string>): string {
  const list = (entries: string[]) =>
    entries
      .slice(0, 5)
      .map((entry) => JSON.stringify(shorten(entry, 60)))
      .join(', ');
  const missing = [...wanted].filter((entry) => !found.has(entry));
  const extra = [...found].filter((entry) => !wanted.has(entry));
  return [
    missing.length > 0 ? `lacks ${list(missing)}` : '',
    extra.length > 0 ? `has ${list(extra)} besides` : '',
  ]
    .filter((part) => part !== '')
    .join('; ');
}

const sharedPart = (shared: number, size: number, other: number): number =>
  size === 0 ? (other === 0 ? 1 : 0) : shared / size;

export const setMetrics: readonly MetricDefinition[] = [
  setMetric(
    'set_precision',
    "Share of the answer's entries that are expected.",
    'precision over sets; Phoenix, ragas',
    2 / 3,
    ({ actual, expected, shared }) => sharedPart(shared, actual.size, expected.size),
  ),
  setMetric(
    'set_recall',
    'Share of the expected entries that the answer has.',
    'recall over sets; Phoenix, ragas',
    1 / 2,
    ({ actual, expected, shared }) => sharedPart(shared, expected.size, actual.size),
  ),
  setMetric(
    'set_f1',
    'Harmonic mean of set_precision and set_recall.',
    'F1 over sets (van Rijsbergen, 1979)',
    4 / 7,
    ({ actual, expected, shared }) => f1(shared, actual.size, expected.size),
  ),
];
