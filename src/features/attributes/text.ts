import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { cut } from '../../text/visible.ts';
import type { Json, Scalar } from '../../types/plain.ts';

export const PER_REFERENCE = 2;

/** Minimum average per attribute. With fewer references, an attribute's figures mean little. */
const REFERENCES_PER_ATTRIBUTE = 4;

export const FEWEST_REFERENCES = 8;

export function attributeLimit(references: number, most: number): number {
  return Math.max(
    1,
    Math.min(most, Math.floor((PER_REFERENCE * references) / REFERENCES_PER_ATTRIBUTE)),
  );
}

export interface ReferenceText {
  id: string;
  input: Record<string, Scalar>;
  expected: Json | undefined;
}

/** In characters, for a reference or an answer in a prompt. */
const MAX_PROMPT_TEXT = 20_000;

/** Equal references must give equal text, because duplicates are removed by text. */
export function referenceText(
  { input, expected }: Omit<ReferenceText, 'id'>,
  limit = MAX_PROMPT_TEXT,
): string {
  const answer = shownExpected(expected);
  return caseText(input, answer === null ? '' : `Expected answer: ${answer}`, limit);
}

export function ratedText({ input }: ReferenceText, output: string): string {
  return caseText(input, `Answer: ${output}`, MAX_PROMPT_TEXT);
}

export function shownExpected(expected: Json | undefined): string | null {
  if (expected === undefined || expected === null) return null;
  return typeof expected === 'string' ? expected : canonicalJson(expected);
}

/** The question and the answer each get at least half of the limit. */
function caseText(input: Record<string, Scalar>, answer: string, limit: number): string {
  const question = `Input:\n${inputText(input)}`;
  if (answer === '') return clipText(question, limit);
  const clip = (text: string, other: string) =>
    clipText(text, Math.max(Math.floor(limit / 2), limit - other.length));
  return `${clip(question, answer)}\n${clip(answer, question)}`;
}

function inputText(input: Record<string, Scalar>): string {
  return Object.keys(input)
    .sort()
    .map((key) => `${key}: ${input[key]}`)
    .join('\n');
}

function clipText(text: string, limit: number): string {
  const { text: kept, left } = cut(text, limit);
  return left === 0 ? text : `${kept} […]`;
}

/** A domain or a sub-task (skill). Ids are unique within a suite. */
export interface Attribute {
  id: string;
  kind: 'domain' | 'subtask';
  name: string;
  explanation: string;
}

/** `words` is for people, `key` for files and models' replies. */
export const KINDS = [
  { kind: 'domain', key: 'domains', words: 'domains' },
  { kind: 'subtask', key: 'subtasks', words: 'sub-tasks' },
] as const;

/** In UTF-16 units. */
export const NAME_LENGTH = 80;

export const EXPLANATION_LENGTH = 300;

/** Keeps signs such as `+`, because `C`, `C++` and `C#` differ. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, ' ')
    .replace(/[\s_\-‐‑‒–—]+/gu, ' ')
    .trim()
    .replace(/^["'`*.:,; ]+|["'`*.:,; ]+$/gu, '');
}

/** Derives ids such as `domain-late-parcels` and numbers duplicates. */
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
      id: earlier === 0 && slug !== '' ? plain : `${plain}.${earlier + 1}`,
      ...attribute,
    };
  });
}
