import { canonicalJson } from '../core/fingerprint/canonical.ts';
import { cut } from '../text/cut.ts';
import type { Json, Scalar } from '../types.ts';

/** What is known of a reference without asking anyone: the part that attributes come from. */
export interface ReferenceText {
  /** Unique among the references of a suite. */
  id: string;
  input: Record<string, Scalar>;
  expected: Json | undefined;
}

/** Longest text of one reference or answer in a question, in characters. */
const MAX_TEXT = 20_000;

/** A reference as a model reads it: its input, and the answer that is expected where there is one. Equal content gives equal text. */
export function referenceText({ input, expected }: Omit<ReferenceText, 'id'>, limit = MAX_TEXT): string {
  const answer = expected === undefined || expected === null ? '' : `\nExpected answer: ${typeof expected === 'string' ? expected : canonicalJson(expected)}`;
  return clipped(`Input:\n${inputText(input)}${answer}`, limit);
}

/** A reference with an answer that a model gave in place of the expected one. */
export function answerText({ input }: Omit<ReferenceText, 'id'>, output: string): string {
  return clipped(`Input:\n${inputText(input)}\nAnswer: ${output}`, MAX_TEXT);
}

function inputText(input: Record<string, Scalar>): string {
  return Object.keys(input).sort().map((key) => `${key}: ${String(input[key])}`).join('\n');
}

function clipped(text: string, limit: number): string {
  const { text: kept, left } = cut(text, limit);
  return left === 0 ? text : `${kept} […]`;
}
