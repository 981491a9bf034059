import { cut, cutNote, escapeMarkup, visible } from './visible.ts';

/** In code points. */
const WHOLE = { limit: Infinity };

/** In an HTML `<table>`, GitHub does not render Markdown, and a blank line would end the table. */
export function htmlCell(text: string, { limit } = WHOLE): string {
  const { text: shown, left } = cut(text, limit);
  return `<code>${htmlText(shown)}</code>${cutNote(left)}`;
}

export function htmlText(text: string): string {
  // A line feed becomes an entity, because GitHub hides `<br>` in `<code>`, and a blank line would
  // end the block.
  return escapeMarkup(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}

export function codeSpan(text: string, { limit } = WHOLE): string {
  const { text: shown, left } = cut(text, limit);
  const inner = escapeComments(visible(shown)).replace(/[\n\t]/g, ' ');
  const ticks = '`'.repeat(longestRun(inner) + 1);
  // CommonMark removes one space on both sides, and a span must not be empty.
  const padded = inner === '' || /^[ `]|[ `]$/.test(inner) ? ` ${inner} ` : inner;
  return `${ticks}${padded}${ticks}${cutNote(left)}`;
}

/** Words that GitHub could interpret, such as mentions, become code. */
export function plainMarkdown(text: string): string {
  return prose(text, codeSpan, (word) =>
    word.replace(/^[-+=]/, '\\$&').replace(/^(\d{1,9})([.)])$/, '$1\\$2'),
  );
}

export function htmlPlain(text: string): string {
  return prose(text, htmlCell, escapeMarkup);
}

function prose(
  text: string,
  code: (word: string) => string,
  ordinary: (word: string) => string,
): string {
  const words = visible(text)
    .split(/[\n\t ]+/)
    .filter((word) => word !== '');
  return words.map((word) => proseWord(word, code, ordinary)).join(' ');
}

const OPENING = new Set('("\'');

const CLOSING = new Set('.,;:?!)"\'');

const ACTIVE = /[@#:<>[\]|~*_&$!{}\\`^]|^\/|\/\/|\bGH-\d|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])/i;

const WEB = /www\./i;

/** An amount of money stays text. Other words with `$` may begin a formula. */
const AMOUNT = /^\$\d[\d,.]*$/;

/** Characters that are markup only if text follows or precedes them. */
const LONE_MARKUP: ReadonlyMap<string, string> = new Map([
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
  const sign = LONE_MARKUP.get(core);
  if (sign !== undefined) return ordinary(word.slice(0, start)) + sign + ordinary(word.slice(end));
  if (AMOUNT.test(core) || !(ACTIVE.test(core) || WEB.test(word))) return ordinary(word);
  return ordinary(word.slice(0, start)) + code(core) + ordinary(word.slice(end));
}

/** Only our own marker may be an HTML comment. */
function escapeComments(text: string): string {
  return text.replaceAll('<!--', '<\\u{21}--');
}

export const DIFF_SIGNS = { same: ' ', removed: '-', added: '+', gap: ' ' } as const;

export function fencedDiff(
  lines: readonly { sign: keyof typeof DIFF_SIGNS; text: string }[],
): string {
  const shown = lines.map(({ sign, text }) =>
    `${DIFF_SIGNS[sign]} ${escapeComments(visible(text)).replaceAll('\n', ' ')}`.trimEnd(),
  );
  return fence(shown.join('\n'), 'diff');
}

export function fence(text: string, language: 'diff' | 'suggestion'): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${marks}${language}`, ...(text === '' ? [] : [text]), marks].join('\n');
}

function longestRun(text: string): number {
  let longest = 0;
  for (const run of text.match(/`+/g) ?? []) longest = Math.max(longest, run.length);
  return longest;
}
