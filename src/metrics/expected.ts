import { shorten } from '../text/visible.ts';
import { isMap, jsonText, type Json } from '../types/plain.ts';
import type { MetricAnswer } from './answer.ts';
import { compilePattern } from './measures/pattern.ts';
import { wantedCalls } from './measures/tool-calls.ts';
import { numberOf } from './measures/words.ts';

/** How a metric reads `expected`, and whether it can decide with it. */
export interface Expectation {
  /**
   * `text`: as it is written; `value`: as code sees it; `number`: as it is written where that is
   * read as a number, else as code sees it.
   */
  reads: 'text' | 'value' | 'number';
  /** Why the metric cannot decide with this value, beginning with "expected"; null: it can. */
  wrong(expected: Json): string | null;
}

export const textExpected: Expectation = { reads: 'text', wrong: textWrong };

/** One number, or with `list` any of several. */
export const numberExpected = (list: boolean): Expectation => ({
  reads: 'number',
  wrong(expected) {
    const entries = list && Array.isArray(expected) ? expected : [expected];
    const wrong = entries.find((entry) => numberOf(entry) === null);
    if (entries.length === 0) return EMPTY;
    return wrong === undefined ? null : `expected ${quote(wrong)} is not a number`;
  },
});

export const patternExpected = (flags: Parameters<typeof compilePattern>[1]): Expectation => ({
  reads: 'text',
  wrong: (expected) =>
    textWrong(expected) ??
    [expected]
      .flat()
      .map((entry) => compilePattern(jsonText(entry), flags))
      .flatMap((compiled) => (typeof compiled === 'string' ? `expected: ${compiled}` : []))[0] ??
    null,
});

export const jsonExpected: Expectation = { reads: 'value', wrong: () => null };

export const callsExpected: Expectation = {
  reads: 'value',
  wrong: (expected) =>
    wantedCalls(expected) === null
      ? 'expected must be tool names, or maps of name and arguments'
      : null,
};

export const entriesExpected: Expectation = {
  reads: 'value',
  wrong(expected) {
    if (expected === null || isMap(expected))
      return `expected is ${expected === null ? 'null' : 'a map'}; write a list of entries`;
    const isBlank = (entry: Json): boolean => typeof entry === 'string' && entry.trim() === '';
    return Array.isArray(expected) && expected.length > 0 && expected.every(isBlank)
      ? 'expected has only empty entries'
      : null;
  },
};

/** What the metric compares the answer with; undefined: the reference has nothing. */
export function readExpected(
  { reads }: Expectation,
  { expected, values }: Pick<MetricAnswer, 'expected' | 'values'>,
): Json | undefined {
  const value = values?.expected ?? expected;
  if (reads !== 'number' || value === undefined || expected === undefined)
    return reads === 'text' ? expected : value;
  const readable = (text: Json, given: Json): Json => (numberOf(text) === null ? given : text);
  return Array.isArray(expected) && Array.isArray(value)
    ? expected.map((text, index) => readable(text, value[index] ?? null))
    : readable(expected, value);
}

const EMPTY = 'expected is an empty list';

function textWrong(expected: Json): string | null {
  const texts = [expected].flat();
  if (texts.length === 0) return EMPTY;
  return texts.includes(null)
    ? 'expected is null; write the text, in quotes if it is "null"'
    : null;
}

function quote(value: Json): string {
  return JSON.stringify(shorten(jsonText(value), 80));
}
