// Control characters other than tab, line feed and carriage return; U+0085 (next line) is YAML's
// own.
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]/;

// Tables that once were Windows-1252 are full of U+0080 to U+009F; every surface shows them escaped.
const CONTROL_OF_DATA = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFE\uFFFF]/;

/** What a text is part of: files that people write, or data that programs wrote. */
type Origin = 'file' | 'data';

const controlsIn = (origin: Origin): RegExp => (origin === 'file' ? CONTROL : CONTROL_OF_DATA);

/** Characters that make text read in another order than it is written. */
const BIDIRECTIONAL = /[\u202A-\u202E\u2066-\u2069]/;

/** Keys that mean something to JavaScript objects. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
]);

const BROKEN = 'has a broken surrogate; write the whole character';

interface Flaw {
  index: number;
  message: string;
}

/** What a file may not hold as raw characters, or null. `index` counts UTF-16 units. */
export function fileFlaw(text: string, origin: Origin = 'file'): Flaw | null {
  const control = text.search(controlsIn(origin));
  if (control !== -1) {
    // Nearly always a file in UTF-16.
    const isNul = text.charCodeAt(control) === 0;
    const fix = `take it out${isNul ? ', or save the file as UTF-8' : ''}`;
    const message = `has the control character ${codePoint(text, control)}; ${fix}`;
    return { index: control, message };
  }
  const bidi = text.search(BIDIRECTIONAL);
  if (bidi !== -1) {
    return {
      index: bidi,
      message: `has the bidirectional control ${codePoint(text, bidi)}; write it as an escape in a double-quoted string`,
    };
  }
  return text.isWellFormed() ? null : { index: 0, message: BROKEN };
}

/** What a value may not hold even when it is written as an escape, or null. */
export function valueFlaw(text: string, origin: Origin = 'file'): string | null {
  const control = text.search(controlsIn(origin));
  if (control !== -1) return `has the control character ${codePoint(text, control)}; take it out`;
  return text.isWellFormed() ? null : BROKEN;
}

/** What looks like a space and is a letter to YAML, before a text or after its dash or its key. */
const FOREIGN_SPACE = /^[ ?-]*(?:\w[\w.-]{0,40}:)?([^\P{Zs} ]|\u200B|\uFEFF)/u;

/** Why a line of YAML, or a key of it, does not stand as it seems to, or null. */
export function foreignSpace(written: string): string | null {
  const [all, space] = FOREIGN_SPACE.exec(written) ?? [];
  return all === undefined || space === undefined
    ? null
    : `has ${codePoint(all, all.length - space.length)} in place of a space, which YAML takes for a letter; write a plain space`;
}

/** JSON in which characters that a file may not hold as they are, and those of `more`, are escapes. */
export function speltOut(json: string, more: RegExp | null = null): string {
  const escape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const safe = json.replace(new RegExp(BIDIRECTIONAL, 'g'), escape);
  return more === null ? safe : safe.replace(more, escape);
}

function codePoint(text: string, index: number): string {
  return `U+${text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * How much of a repository is read. The defaults fit hand-written files; the workflow may raise
 * them.
 */
export interface Limits {
  /** Of one YAML file. */
  yamlBytes: number;
  /** Levels of nesting in any file. */
  depth: number;
  /** Values in one YAML file after aliases are written out. */
  values: number;
  /** Letters of one YAML file's values after aliases are written out. */
  characters: number;
  /** References written in one YAML file. */
  references: number;
  /** Tries of one reference. */
  tries: number;
  /** Of one JSONL or CSV file. */
  dataBytes: number;
  /** Rows of one JSONL or CSV file. */
  dataRows: number;
  /** Variants of a sweep. */
  combinations: number;
}

/**
 * `make` once for each set of limits: a schema takes far longer to make than a value takes to
 * check.
 */
export function perLimits<T>(make: (limits: Limits) => T): (limits: Limits) => T {
  const made = new WeakMap<Limits, { value: T }>();
  return (limits) => {
    const found = made.get(limits) ?? { value: make(limits) };
    made.set(limits, found);
    return found.value;
  };
}

export const DEFAULT_LIMITS: Limits = {
  yamlBytes: 1 << 20,
  depth: 40,
  values: 200_000,
  characters: 4 << 20,
  references: 5_000,
  tries: 50,
  dataBytes: 32 << 20,
  dataRows: 100_000,
  combinations: 200,
};

/** More comparisons than anyone pays for in one measurement. */
export const MOST_RUNS = 1000;

/** Parts of a sweep at most; as many jobs as a matrix of GitHub Actions may have. */
export const MOST_SHARDS = 256;
