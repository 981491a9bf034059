import { RE2JS, RE2JSException } from 're2js';

interface PatternFlags {
  ignore_case: boolean;
  multiline: boolean;
  dot_all: boolean;
  syntax?: 're2' | 'javascript';
}

const unsupported =
  '(?= (?! (?<= (?<! (?> (?( (?R \\k \\Z \\1 \\2 \\3 \\4 \\5 \\6 \\7 \\8 \\9 *+ ++ ?+ }+'.split(
    ' ',
  );

export function compilePattern(written: string, flags: PatternFlags): RE2JS | string {
  // Answers are normalised to NFC, so the pattern is, too.
  const composed = written.normalize('NFC');
  const pattern = flags.syntax === 'javascript' ? toSafePattern(composed) : composed;
  if (pattern === null) {
    const feature = unsupportedFeature(written);
    return `the pattern uses ${feature ?? 'something'}, which the safe regex engine does not support`;
  }
  const bits =
    (flags.ignore_case ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.multiline ? RE2JS.MULTILINE : 0) |
    (flags.dot_all ? RE2JS.DOTALL : 0);
  try {
    return RE2JS.compile(pattern, bits);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const feature = unsupportedFeature(pattern);
    if (feature !== null)
      return `the pattern uses ${feature}, which the safe regex engine does not support`;
    return `the pattern is not valid: ${error.message.replace(/^error parsing regexp: /, '')}`;
  }
}

function unsupportedFeature(pattern: string): string | null {
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const found = inClass
      ? undefined
      : unsupported.find((feature) => pattern.startsWith(feature, i));
    if (found !== undefined) return found;
    if (pattern[i] === '\\') i++;
    else if (pattern[i] === '[') inClass = true;
    else if (pattern[i] === ']') inClass = false;
  }
  return null;
}

/** JavaScript's `\s` for use in a class, because RE2's `\s` is ASCII only. */
const BLANKS =
  '\\s\\v\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

/** What `.` matches in JavaScript. RE2's `.` excludes only `\n`. */
const ANY = '[^\\n\\r\\x{2028}\\x{2029}]';

/**
 * Converts a JavaScript pattern to RE2. Null if it is invalid, or needs look-around or
 * back-references.
 */
export function toSafePattern(pattern: string): string | null {
  const token =
    /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|\[\^?(?:\\[\s\S]|[^\]\\])*\]|\(\?(?:<(?![=!])[A-Za-z_$][\w$]*>|.?)|\{\d+(?:,\d*)?\}|[\s\S]/gu;
  const parts = (pattern.match(token) ?? []).map(translate);
  return parts.includes(null) ? null : parts.join('');
}

function translate(token: string): string | null {
  if (token === '.') return ANY;
  if (token.startsWith('\\')) return escape(token, false);
  if (token.startsWith('[')) return characterClass(token);
  if (token.startsWith('(?')) {
    if (token.endsWith('>')) return `(?P${token.slice(2)}`;
    return token === '(?:' ? token : null;
  }
  return token === '{' || token === '}' || token === ']' ? `\\${token}` : token;
}

const SHARED_ESCAPE = /^\\(?:x..|[dDwWnrtfv]|[!-/:-@[-`{-~])$/;

/**
 * Escapes that RE2 reads differently: their replacements outside and inside a character class. Null
 * if there is none.
 */
const OTHERWISE: Readonly<Record<string, readonly [string | null, string | null]>> = {
  s: [`[${BLANKS}]`, BLANKS],
  S: [`[^${BLANKS}]`, null],
  b: ['\\b', '\\x08'],
  B: ['\\B', null],
  c: [null, null],
  k: [null, null],
  '0': ['\\x00', '\\x00'],
  '\n': ['\\n', '\\n'],
};

function escape(token: string, inClass: boolean): string | null {
  if (SHARED_ESCAPE.test(token)) return token;
  if (token.length === 6) {
    const digits = token.slice(2);
    // RE2 does not match half a surrogate pair.
    return /^d[89a-f]/i.test(digits) ? null : `\\x{${digits.toLowerCase()}}`;
  }
  const name = token.charAt(1);
  const otherwise = Object.hasOwn(OTHERWISE, name) ? OTHERWISE[name] : undefined;
  if (otherwise !== undefined) return otherwise[inClass ? 1 : 0];
  return /[1-9]/.test(name) ? null : name;
}

function characterClass(token: string): string | null {
  if (token === '[^]') return '[\\s\\S]';
  if (token === '[]') return null;
  const open = token.startsWith('[^') ? '[^' : '[';
  const members = token
    .slice(open.length, -1)
    .match(/\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|[\s\S]/gu);
  if (members?.includes('\\s') === true && members.includes('\\S'))
    return open === '[' ? '[\\s\\S]' : null;
  const parts = (members ?? []).map((member) =>
    member === '[' ? '\\[' : member.startsWith('\\') ? escape(member, true) : member,
  );
  return parts.includes(null) ? null : `${open}${parts.join('')}]`;
}
