/** What every other type is made of. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonMap = { [key: string]: Json };

export function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Scalar = string | number | boolean;

export type Side = 'base' | 'head';

/** A place in a user's file. `line` counts from 1; 0 means the file as a whole. */
export interface Place {
  file: string;
  line: number;
}

/**
 * One thing the user has to fix. `place` is null for inputs and for the environment, which
 * `message` then names.
 */
export interface Problem {
  place: Place | null;
  message: string;
}

/** Something a reader must know that changes no verdict by itself. */
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
