export function cut(text: string, limit: number): { text: string; left: number } {
  if (text.length <= limit) return { text, left: 0 };
  let end = 0;
  let kept = 0;
  while (kept < limit && end < text.length) {
    end += widthAt(text, end);
    kept += 1;
  }
  return { text: text.slice(0, end), left: characters(text.slice(end)) };
}

export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length < 1) return '';
  const end = length - 1;
  // Does not cut a surrogate pair in half.
  return `${text.slice(0, end > 0 && widthAt(text, end - 1) === 2 ? end - 1 : end)}…`;
}

export function cutNote(left: number): string {
  if (left === 0) return '';
  return ` (${left.toLocaleString('en-US')} more character${left === 1 ? '' : 's'})`;
}

export function blankWords(texts: readonly string[]): string | null {
  if (texts.some((text) => text.trim() !== '')) return null;
  return texts.every((text) => text === '') ? 'empty' : 'only white space';
}

export function characters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += widthAt(text, index)) count += 1;
  return count;
}

function widthAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** Control, invisible and bidirectional characters, except line feed, tab and emoji selectors. */
export const HIDDEN =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u{FFF9}-\u{FFFB}]--[\t\n\u{FE0E}\u{FE0F}]]/gv;

const escapeCharacter = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll('\r\n', '\n').replace(HIDDEN, escapeCharacter);
}

const PLAIN = /^[\t\n -~]*$/;

/** For names and other single lines: also escapes line feeds and tabs. */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, escapeCharacter);
}

/** Equal for texts that look the same to a reader. */
export function appearance(text: string): string {
  const plain = text.replace(HIDDEN, '').replaceAll(/[\u{FE0E}\u{FE0F}]/gu, '');
  return plain.normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const SAFE = /^[\t\n !#-%(-;=?-~]*$/;

export function escapeMarkup(text: string): string {
  if (SAFE.test(text)) return text;
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

export function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
