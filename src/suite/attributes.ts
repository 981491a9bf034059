import { cut } from '../text/visible.ts';
import type { Json, Scalar } from '../types/plain.ts';
import { canonicalJson } from './canonical-json.ts';

/** Attributes of a kind that each reference gets, where there are as many. */
export const PER_REFERENCE = 2;

/** References an attribute must have on average, lest its figures say nothing. */
const REFERENCES_PER_ATTRIBUTE = 4;

/** Fewer references are not assigned at all. */
export const FEWEST_REFERENCES = 8;

/**
 * How many attributes of one kind that many references can bear: min(most, ⌊kN/4⌋) with k = 2, and
 * at least 1.
 */
export function attributeLimit(references: number, most: number): number {
  return Math.max(
    1,
    Math.min(most, Math.floor((PER_REFERENCE * references) / REFERENCES_PER_ATTRIBUTE)),
  );
}

/** What is known of a reference without a model call: the part that attributes come from. */
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
  if (answer === '') return clip(question, limit);
  const half = Math.floor(limit / 2);
  return `${clip(question, Math.max(half, limit - answer.length))}\n${clip(answer, Math.max(half, limit - question.length))}`;
}

function inputText(input: Record<string, Scalar>): string {
  return Object.keys(input)
    .sort()
    .map((key) => `${key}: ${String(input[key])}`)
    .join('\n');
}

function clip(text: string, limit: number): string {
  const { text: kept, left } = cut(text, limit);
  return left === 0 ? text : `${kept} […]`;
}

/**
 * An attribute (domain), or a skill that answering takes (sub-task). `id` is unique within its
 * suite, both kinds together.
 */
export interface Attribute {
  id: string;
  kind: 'domain' | 'subtask';
  name: string;
  explanation: string;
}

/** Longest name and explanation of an attribute, in UTF-16 units. */
export const NAME_LENGTH = 80;

export const EXPLANATION_LENGTH = 300;

/**
 * One spelling of a name: composed and lower case, without invisible characters; hyphens,
 * underscores and runs of blanks are one blank, and marks at the ends are left out. Equal spellings
 * are one attribute. `C`, `C++` and `C#` stay three.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, ' ')
    .replace(/[\s_\-‐‑‒–—]+/gu, ' ')
    .trim()
    .replace(/^["'`*.:,; ]+|["'`*.:,; ]+$/gu, '');
}

/**
 * Readable ids for names of both kinds, in their order: `domain-late-parcels`, numbered where the
 * letters are equal.
 */
export function withIds(named: readonly Omit<Attribute, 'id'>[]): Attribute[] {
  const used = new Map<string, number>();
  return named.map((attribute) => {
    const slug = foldName(attribute.name)
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40);
    const plain = slug === '' ? attribute.kind : `${attribute.kind}-${slug}`;
    const earlier = used.get(plain) ?? 0;
    used.set(plain, earlier + 1);
    return {
      id: earlier === 0 && slug !== '' ? plain : `${plain}.${String(earlier + 1)}`,
      ...attribute,
    };
  });
}
