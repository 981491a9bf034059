// Control characters other than tab, line feed and carriage return; U+0085 (next line) is YAML's
// own.
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]/;
/** Characters that make text read in another order than it is written. */
const BIDIRECTIONAL = /[\u202A-\u202E\u2066-\u2069]/;

/** Keys that mean something to JavaScript objects. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
]);

export interface Flaw {
  index: number;
  message: string;
}

/** What a file may not hold as raw characters, or null. `index` counts UTF-16 units. */
export function fileFlaw(text: string): Flaw | null {
  const control = text.search(CONTROL);
  if (control !== -1)
    return { index: control, message: `has the control character ${codePoint(text, control)}` };
  const bidi = text.search(BIDIRECTIONAL);
  if (bidi !== -1) {
    return {
      index: bidi,
      message: `has the bidirectional control ${codePoint(text, bidi)}; write it as an escape in a double-quoted string`,
    };
  }
  return text.isWellFormed() ? null : { index: 0, message: 'has a broken surrogate' };
}

/** What a value may not hold even when it is written as an escape, or null. */
export function valueFlaw(text: string): string | null {
  if (CONTROL.test(text)) return 'has a control character';
  return text.isWellFormed() ? null : 'has a broken surrogate';
}

function codePoint(text: string, index: number): string {
  return `U+${text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`;
}
