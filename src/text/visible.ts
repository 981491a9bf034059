/**
 * What a reader cannot see, or what moves the text around it: controls, lone surrogates, line and
 * paragraph separators, everything Unicode calls ignorable (zero-width, bidirectional controls, tag
 * characters, variation selectors), interlinear marks and noncharacters. Line feed, tab and the two
 * emoji presentation selectors stay.
 */
const HIDDEN =
  /[[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u{FFF9}-\u{FFFB}]--[\t\n\u{FE0E}\u{FE0F}]]/gv;

const escape = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/**
 * Shows every hidden character as `\u{..}`. A carriage return before a line feed is dropped; lines
 * and tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(HIDDEN, escape);
}

/**
 * The same on one line: line feeds and tabs are shown as escapes too. For file names and other
 * things that have no lines.
 */
export function visibleLine(text: string): string {
  return visible(text).replace(/[\n\t]/g, escape);
}
