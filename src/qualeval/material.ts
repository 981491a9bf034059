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

/**
 * A reference as a model reads it: its input, and the answer that is expected where there is one.
 * Equal content gives equal text.
 */
export function referenceText(
  { input, expected }: Omit<ReferenceText, 'id'>,
  limit = MAX_TEXT,
): string {
  const answer = expectedText(expected);
  return caseText(input, answer === null ? '' : `Expected answer: ${answer}`, limit);
}

/** A reference with an answer that a model gave in place of the expected one. */
export function answerText({ input }: Omit<ReferenceText, 'id'>, output: string): string {
  return caseText(input, `Answer: ${output}`, MAX_TEXT);
}

/** The expected answer as text; null where there is none. */
export function expectedText(expected: Json | undefined): string | null {
  if (expected === undefined || expected === null) return null;
  return typeof expected === 'string' ? expected : canonicalJson(expected);
}

/**
 * Of what is too long each part keeps half the room at least, so that a long input hides no answer.
 */
function caseText(input: Record<string, Scalar>, answer: string, limit: number): string {
  const question = `Input:\n${inputText(input)}`;
  if (answer === '') return clipped(question, limit);
  const half = Math.floor(limit / 2);
  return `${clipped(question, Math.max(half, limit - answer.length))}\n${clipped(answer, Math.max(half, limit - question.length))}`;
}

function inputText(input: Record<string, Scalar>): string {
  return Object.keys(input)
    .sort()
    .map((key) => `${key}: ${String(input[key])}`)
    .join('\n');
}

function clipped(text: string, limit: number): string {
  const { text: kept, left } = cut(text, limit);
  return left === 0 ? text : `${kept} […]`;
}
