import { cut, cutNote, escapeMarkup, visible } from './visible.ts';

interface CellOptions {
  /** Characters (code points) of the text that are shown; the rest is counted. */
  limit?: number;
}

/**
 * Foreign text, verbatim, for a cell of an HTML `<table>` (or another HTML block) in a comment.
 * GitHub reads no Markdown in an HTML block and no mention or issue reference in `<code>`. There is
 * no blank line in it, so the block goes on.
 */
export function htmlCell(text: string, { limit = Infinity }: CellOptions = {}): string {
  const { text: shown, left } = cut(text, limit);
  return `<code>${htmlText(shown)}</code>${cutNote(left)}`;
}

/**
 * The inside of such a cell, for callers that emphasise parts of it. Only ever inside a `<code>`
 * that the caller writes.
 */
export function htmlText(text: string): string {
  // GitHub hides `<br>` inside of `<code>`, and keeps line feeds there; as an entity one cannot end
  // the HTML block.
  return escapeMarkup(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

/**
 * Foreign text as a code span on one line of our own Markdown. `table` is for a cell of a pipe
 * table, where a bare pipe would end the cell even inside a span, and a pipe after a backslash
 * cannot be written at all: it is shown as `\u{7c}`.
 */
export function codeSpan(
  text: string,
  { limit = Infinity, table = false }: CellOptions & { table?: boolean } = {},
): string {
  const { text: shown, left } = cut(text, limit);
  const line = escapeComments(visible(shown)).replace(/[\n\t]/g, ' ');
  const inner = table ? line.replace(/(?<=\\)\|/g, 'u{7c}').replaceAll('|', '\\|') : line;
  const ticks = '`'.repeat(longestRun(inner) + 1);
  // CommonMark strips one space on both sides, and an empty span is not a span.
  const padded = inner === '' || /^[ `]|[ `]$/.test(inner) ? ` ${inner} ` : inner;
  return `${ticks}${padded}${ticks}${cutNote(left)}`;
}

/**
 * Foreign words inside a sentence of our own Markdown: folded to one line; a word on which GitHub
 * could act (a mention, an issue, a link, a tag, markup) becomes a code span, which is exact, can
 * be copied, and is skipped by every filter.
 */
export function plain(text: string, options: CellOptions = {}): string {
  return prose(text, options, codeSpan, ordinaryMarkdown);
}

/**
 * Foreign words inside a sentence of our own in an HTML block: words on which GitHub could act
 * stand in `<code>`.
 */
export function htmlPlain(text: string, options: CellOptions = {}): string {
  return prose(text, options, htmlCell, escapeMarkup);
}

function prose(
  text: string,
  { limit = Infinity }: CellOptions,
  code: (word: string) => string,
  ordinary: (word: string) => string,
): string {
  const { text: shown, left } = cut(text, limit);
  const words = visible(shown)
    .split(/[\n\t ]+/)
    .filter((word) => word !== '');
  return words.map((word) => proseWord(word, code, ordinary)).join(' ') + cutNote(left);
}

/**
 * Punctuation that may stand around an ordinary word, and ASCII that makes a word one that GitHub
 * could act on.
 */
const OPENING = new Set('("\'');

const CLOSING = new Set('.,;:?!)"\'');

const ACTIVE = /[@#:<>[\]|~*_&$!{}\\`^]|^\/|\/\/|\bGH-\d|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])/i;

/** The start of a web address to GitHub, also where nothing but punctuation follows. */
const WEB = /www\./i;

/**
 * An amount of money: its `$` opens a formula only if another word ends in one, and such a word is
 * code.
 */
const AMOUNT = /^\$\d[\d,.]*$/;

/** Signs that are markup only next to something: between blanks they are read as themselves. */
const LONE_SIGNS: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
]);

function proseWord(
  word: string,
  code: (word: string) => string,
  ordinary: (word: string) => string,
): string {
  let start = 0;
  let end = word.length;
  while (start < end && OPENING.has(word.charAt(start))) start += 1;
  while (end > start && CLOSING.has(word.charAt(end - 1))) end -= 1;
  const core = word.slice(start, end);
  const sign = LONE_SIGNS.get(core);
  if (sign !== undefined) return ordinary(word.slice(0, start)) + sign + ordinary(word.slice(end));
  if (AMOUNT.test(core) || !(ACTIVE.test(core) || WEB.test(word))) return ordinary(word);
  return ordinary(word.slice(0, start)) + code(core) + ordinary(word.slice(end));
}

/**
 * What could still begin a list, a rule or an underlined heading if the sentence stands at the
 * start of a line.
 */
function ordinaryMarkdown(word: string): string {
  return word.replace(/^[-+=]/, '\\$&').replace(/^(\d{1,9})([.)])$/, '$1\\$2');
}

/**
 * Code knows no entities, so the opening of an HTML comment is broken: our hidden marker stays the
 * only one in the source.
 */
function escapeComments(text: string): string {
  return text.replaceAll('<!--', '<\\u{21}--');
}

/** How lines of a diff begin. */
export const DIFF_SIGNS = { same: ' ', removed: '-', added: '+', gap: ' ' } as const;

/** Foreign lines as a fenced diff, which GitHub colours. Nothing in it is read as markup. */
export function fencedDiff(
  lines: readonly { sign: keyof typeof DIFF_SIGNS; text: string }[],
): string {
  const shown = lines.map(({ sign, text }) =>
    `${DIFF_SIGNS[sign]} ${escapeComments(visible(text)).replaceAll('\n', ' ')}`.trimEnd(),
  );
  return fence(shown.join('\n'), 'diff');
}

/** A text as it is, in a fence that none of its lines can end. An empty one has no line. */
export function fence(text: string, language: 'diff' | 'suggestion'): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${marks}${language}`, ...(text === '' ? [] : [text]), marks].join('\n');
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}
