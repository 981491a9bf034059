// Allows tab, line feed, carriage return and YAML's U+0085 (next line).
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]/;

// Also allows U+0080 to U+009F, because they are common in text converted from Windows-1252.
const CONTROL_OF_DATA = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\uFFFE\uFFFF]/;

type Origin = 'file' | 'data';

const controlsIn = (origin: Origin): RegExp => (origin === 'file' ? CONTROL : CONTROL_OF_DATA);

const BIDIRECTIONAL = /[\u202A-\u202E\u2066-\u2069]/;

export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
]);

const BROKEN = 'has half of a character (a lone UTF-16 surrogate); write the whole character';

/** Null if the bytes are not UTF-8. `ignoreBOM`: keeps a byte order mark. */
export function decodeUtf8(bytes: Uint8Array, options: { ignoreBOM?: true } = {}): string | null {
  try {
    return new TextDecoder('utf-8', { ...options, fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

interface Flaw {
  index: number;
  message: string;
}

export function fileFlaw(text: string, origin: Origin = 'file'): Flaw | null {
  const control = text.search(controlsIn(origin));
  if (control !== -1) {
    // A file with NUL is almost always in UTF-16.
    const isNul = text.charCodeAt(control) === 0;
    const fix = `remove it${isNul ? ', or save the file as UTF-8' : ''}`;
    const message = `has the control character ${codePoint(text, control)}; ${fix}`;
    return { index: control, message };
  }
  const bidi = text.search(BIDIRECTIONAL);
  if (bidi !== -1) {
    return {
      index: bidi,
      message:
        `has the bidirectional control ${codePoint(text, bidi)}; write it as an escape in a ` +
        'double-quoted string',
    };
  }
  return text.isWellFormed() ? null : { index: 0, message: BROKEN };
}

export function valueFlaw(text: string, origin: Origin = 'file'): string | null {
  const control = text.search(controlsIn(origin));
  if (control !== -1) return `has the control character ${codePoint(text, control)}; remove it`;
  return text.isWellFormed() ? null : BROKEN;
}

/** Matches an unusual space at the start of a value. YAML reads it as a letter. */
const FOREIGN_SPACE = /^[ ?-]*(?:\w[\w.-]{0,40}:)?([^\P{Zs} ]|\u200B|\uFEFF)/u;

export function foreignSpace(written: string): string | null {
  const [all, space] = FOREIGN_SPACE.exec(written) ?? [];
  return all === undefined || space === undefined
    ? null
    : `has ${codePoint(all, all.length - space.length)} instead of a space, and YAML does not ` +
        'treat it as one; write a plain space';
}

export function escapeCodePoints(json: string, more: RegExp | null = null): string {
  const escape = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const safe = json.replace(new RegExp(BIDIRECTIONAL, 'g'), escape);
  return more === null ? safe : safe.replace(more, escape);
}

function codePoint(text: string, index: number): string {
  return `U+${text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0')}`;
}
