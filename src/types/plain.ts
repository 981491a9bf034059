import { LongNumber, parseExactly, type ExactJson } from './exact-json.ts';

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

/** Null if the text is not a JSON object. */
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

/** Returns only the record's own entries, so a key such as `toString` has none. */
export function ownEntry<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** A member of a value of unknown type, such as a caught error. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/** Deeper values from outside are not read, because code that walks them could run out of stack. */
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

export type Side = 'base' | 'head';

/** A position in a user's file. `line` counts from 1. Line 0 means the whole file. */
export interface Place {
  file: string;
  line: number;
}

/** `place` is null for problems of inputs and of the environment. */
export interface Problem {
  place: Place | null;
  message: string;
}

/** A message that users should read, but that does not affect the verdict. */
export interface Notice {
  kind: NoticeKind;
  message: string;
  place: Place | null;
}

export type NoticeKind =
  | 'added'
  | 'removed'
  | 'edited'
  | 'skipped'
  | 'ungraded'
  | 'error'
  | 'ended'
  | 'served'
  | 'capped'
  | 'not-comparable'
  | 'trust'
  | 'settings'
  | 'unused'
  | 'import'
  | 'permission'
  | 'repeats'
  | 'quarantine'
  | 'qualeval'
  | 'scoring';

export type Conclusion = 'success' | 'failure' | 'neutral' | 'error';

export type TrustLevel = 'trusted' | 'member' | 'untrusted';

/** GitHub gives these pull requests no secrets, and no token with write access. */
export type Withheld = 'fork' | 'dependabot';

/** Only `embedding` is part of the request key. Its `output` is the vector as a JSON list. */
export type Purpose =
  'prompt' | 'grader' | 'embedding' | 'evaluator' | 'qualeval' | 'insight' | 'fix';

export type CodeLanguage = 'python' | 'javascript';

export interface CodePlace extends Place {
  /** Whether each line of the code is one line of the file, from that place on. */
  linewise: boolean;
}

export interface WaitingBatches {
  ids: string[];
  requests: number;
}
