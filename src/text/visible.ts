interface Cut {
  text: string;
  /** Characters (code points) left out; 0 when nothing was. */
  left: number;
}

/**
 * The first `limit` characters (code points, so never half a surrogate pair), and how many were
 * left out. Linear.
 */
export function cut(text: string, limit: number): Cut {
  if (text.length <= limit) return { text, left: 0 };
  let end = 0;
  let kept = 0;
  while (kept < limit && end < text.length) {
    end += widthAt(text, end);
    kept += 1;
  }
  return { text: text.slice(0, end), left: characters(text.slice(end)) };
}

/** `text` in at most `length` UTF-16 units, the last of them `…` when something is missing. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  if (length < 1) return '';
  const end = length - 1;
  // A cut after a high surrogate would leave half a character.
  return `${text.slice(0, end > 0 && widthAt(text, end - 1) === 2 ? end - 1 : end)}…`;
}

/** ` (1,234 more characters)`, or nothing. */
export function cutNote(left: number): string {
  if (left === 0) return '';
  return ` (${left.toLocaleString('en-US')} more character${left === 1 ? '' : 's'})`;
}

/** What is said where these texts would leave a blank place; null: there is something to see. */
export function blankWords(texts: readonly string[]): string | null {
  if (texts.some((text) => text.trim() !== '')) return null;
  return texts.every((text) => text === '') ? 'empty' : 'only white space';
}

/** Characters (code points), counted without taking the text apart. */
export function characters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += widthAt(text, index)) count += 1;
  return count;
}

function widthAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/**
 * What a reader cannot see, or what moves the text around it: controls, lone surrogates, line and
 * paragraph separators, everything Unicode calls ignorable (zero-width, bidirectional controls, tag
 * characters, variation selectors), interlinear marks and noncharacters. Line feed, tab and the two
 * emoji presentation selectors stay.
 */
export const HIDDEN =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u{FFF9}-\u{FFFB}]--[\t\n\u{FE0E}\u{FE0F}]]/gv;

const escape = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/**
 * Shows every hidden character as `\u{..}`. A carriage return before a line feed is dropped; lines
 * and tabs stay.
 */
export function visible(text: string): string {
  // Most texts need nothing, and this is quicker to see than to replace nothing.
  return PLAIN.test(text) ? text : text.replaceAll('\r\n', '\n').replace(HIDDEN, escape);
}

/** Nothing but what every keyboard has: letters, digits, signs, spaces, lines and tabs. */
const PLAIN = /^[\t\n -~]*$/;

/**
 * Shows every hidden character as `\u{..}`, line feeds and tabs too. For file names and other
 * things that have no lines.
 */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, escape);
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text for HTML and XML content and attributes: hidden characters shown, the five special ones as
 * entities. Lines stay.
 */
export function escapeMarkup(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** {@link blankWords}, as our own remark beside foreign text. */
export function blankHtml(texts: readonly string[]): string | null {
  const words = blankWords(texts);
  return words === null ? null : `<i>${words}</i>`;
}

/** As a shell takes it for one word. */
export function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
