import type { z } from 'zod';
import { LongNumber, parseExactly, type ExactJson } from './exact-json.ts';
import type { noticeSchema, placeSchema, problemSchema } from './notice-schema.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonMap = { [key: string]: Json };

export function isMap(value: unknown): value is JsonMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof LongNumber)
  );
}

export function parseMap(text: string): JsonMap | null {
  try {
    const value: unknown = JSON.parse(text);
    return isMap(value) ? value : null;
  } catch {
    return null;
  }
}

export function jsonText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Null if the value is not a text, or is empty. */
export function filledText(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function ownEntry<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Values with more levels are rejected, because code that walks them could overflow the stack. */
export const MOST_LEVELS = 200;

export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Keeps all digits of numbers. Undefined if the text is invalid. */
export function parsedJson(text: string): ExactJson | undefined {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

export type Scalar = string | number | boolean;

export interface CodeValues {
  input: Record<string, Scalar>;
  expected?: Json | undefined;
}

export function codeValues({
  input,
  expected,
  values,
}: CodeValues & { values?: CodeValues | undefined }): CodeValues {
  return { input: { ...input, ...values?.input }, expected: values?.expected ?? expected };
}

export const SIDES = ['base', 'head'] as const;

export type Side = (typeof SIDES)[number];

/** `line` counts from 1; 0 means the whole file. */
export type Place = z.infer<typeof placeSchema>;

export type Problem = z.infer<typeof problemSchema>;

/** A message to the user that does not affect the verdict. */
export type Notice = z.infer<typeof noticeSchema>;

export type NoticeKind = Notice['kind'];

export type Conclusion = 'success' | 'failure' | 'neutral' | 'error';

export type TrustLevel = 'trusted' | 'member' | 'untrusted';

/** Pull requests that get neither secrets nor a token with write access from GitHub. */
export type Withheld = 'fork' | 'dependabot';

/** Of these, only `embedding` is part of the key of a stored answer. */
export const PURPOSES = [
  'prompt',
  'grader',
  'embedding',
  'moderation',
  'evaluator',
  'qualeval',
  'fix',
] as const;

export type Purpose = (typeof PURPOSES)[number];

export type CodeLanguage = 'python' | 'javascript';

export interface CodePlace extends Place {
  linewise: boolean;
}

export interface WaitingBatches {
  ids: string[];
  requests: number;
}
