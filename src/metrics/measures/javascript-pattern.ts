/** What `\s` is in JavaScript, as members of a class; RE2's is ASCII alone. */
const BLANKS =
  '\\s\\v\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';

/** What `.` leaves out in JavaScript; RE2's leaves out `\n` alone. */
const ANY = '[^\\n\\r\\x{2028}\\x{2029}]';

/**
 * A JavaScript pattern without flags as one that means the same in RE2; null where RE2 has nothing
 * for it (look-around, back-references), or where it is no pattern. Where both read a pattern alike
 * it comes back as it is.
 */
export function toSafePattern(pattern: string): string | null {
  // One token after the other; each is a few characters, or a class with its escapes.
  const token =
    /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|\[\^?(?:\\[\s\S]|[^\]\\])*\]|\(\?(?:<(?![=!])[A-Za-z_$][\w$]*>|.?)|\{\d+(?:,\d*)?\}|[\s\S]/gu;
  const parts = (pattern.match(token) ?? []).map(translated);
  return parts.includes(null) ? null : parts.join('');
}

function translated(token: string): string | null {
  if (token === '.') return ANY;
  if (token.startsWith('\\')) return escape(token, false);
  if (token.startsWith('[')) return characterClass(token);
  if (token.startsWith('(?')) {
    if (token.endsWith('>')) return `(?P${token.slice(2)}`;
    return token === '(?:' ? token : null;
  }
  return token === '{' || token === '}' || token === ']' ? `\\${token}` : token;
}

function escape(token: string, inClass: boolean): string | null {
  const name = token.charAt(1);
  if (name === 's') return inClass ? BLANKS : `[${BLANKS}]`;
  if (name === 'S') return inClass ? null : `[^${BLANKS}]`;
  if (name === 'b' && inClass) return '\\x08';
  if (token.length === 6) return unicode(token.slice(2));
  if (/[1-9ckBb]/.test(name) && (inClass || /[1-9ck]/.test(name))) return null;
  if (name === '0') return '\\x00';
  if (token.length > 2 || /[dDwWbBnrtfv]/.test(name) || /[!-/:-@[-`{-~]/.test(name)) return token;
  // A letter that stands for nothing else is itself.
  return name === '\n' ? '\\n' : name;
}

/** Half of a pair of surrogates is no character to RE2. */
function unicode(digits: string): string | null {
  return /^d[89a-f]/i.test(digits) ? null : `\\x{${digits.toLowerCase()}}`;
}

function characterClass(token: string): string | null {
  if (token === '[^]') return '[\\s\\S]';
  if (token === '[]') return null;
  const open = token.startsWith('[^') ? '[^' : '[';
  const members = token
    .slice(open.length, -1)
    .match(/\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[\s\S])|[\s\S]/gu);
  // Blanks and no blanks together are everything, whatever a blank is.
  if (members?.includes('\\s') === true && members.includes('\\S'))
    return open === '[' ? '[\\s\\S]' : null;
  const parts = (members ?? []).map((member) =>
    member === '[' ? '\\[' : member.startsWith('\\') ? escape(member, true) : member,
  );
  return parts.includes(null) ? null : `${open}${parts.join('')}]`;
}
