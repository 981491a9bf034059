import {
  DIFF_SIGNS,
  codeSpan,
  fencedDiff,
  htmlCell,
  htmlPlain,
  htmlText,
  plainMarkdown,
} from '../text/markdown.ts';
import { blankWords, escapeMarkup } from '../text/visible.ts';
import type { Tone } from '../wording/outcomes.ts';
import {
  NAME_LIMIT,
  lineBreak,
  placeText,
  safeUrl,
  type Block,
  type Inline,
  type Line,
  type Links,
  type Piece,
} from './sections/document.ts';

/** Writes blocks for GitHub. The top level is Markdown, so that GitHub's e-mails are readable. */
export function markdownOf(blocks: readonly Block[], links: Links): string {
  return blocks.map((block) => topBlock(block, links)).join('\n\n');
}

function topBlock(block: Block, links: Links): string {
  switch (block.kind) {
    case 'paragraph':
      return paragraphOf(block.tone, block.line, links);
    case 'list':
      return block.items.map((item) => `- ${markdownLine(item, links)}`).join('\n');
    case 'diff':
      return fencedDiff(block.lines);
    case 'group':
      return block.plain === true ? plainFold(block, links) : htmlBlock(block, links);
    case 'table':
    case 'facts':
      return htmlBlock(block, links);
  }
}

/** The blocks that Markdown alone can show. Folded ones are in the report. */
export function withoutHtml(block: Block): Block[] {
  switch (block.kind) {
    case 'paragraph':
      return [{ ...block, tone: block.tone === 'small' ? 'normal' : block.tone }];
    case 'facts': {
      const rows = block.rows.map(({ name, value }) => [...name, ': ', ...value]);
      return [
        { kind: 'paragraph', tone: 'normal', line: block.title },
        { kind: 'list', items: rows },
      ];
    }
    case 'table':
    case 'group':
      return [];
    case 'list':
    case 'diff':
      return [block];
  }
}

/** In `<details>`, GitHub reads Markdown only after a blank line. */
function plainFold({ summary, blocks }: Extract<Block, { kind: 'group' }>, links: Links): string {
  const open = `<details>\n<summary>${htmlLine(summary, links)}</summary>`;
  return [open, markdownOf(blocks, links), '</details>'].join('\n\n');
}

function paragraphOf(tone: 'verdict' | 'normal' | 'small', line: Line, links: Links): string {
  const shown = markdownLine(line, links);
  return tone === 'small' ? `<sub>${shown}</sub>` : tone === 'verdict' ? `### ${shown}` : shown;
}

function markdownLine(line: Line, links: Links): string {
  return line
    .map((part) => inlineText(part, links, MARKDOWN))
    .reduce(
      (whole, part) =>
        // Without a space, two code spans would be read as one.
        whole.endsWith('`') && part.startsWith('`') ? `${whole} ${part}` : whole + part,
      '',
    );
}

/** How Markdown and HTML write the parts of a line. */
interface Dialect {
  plain(text: string): string;
  strong(text: string): string;
  code(text: string, options: { limit: number }): string;
  path(path: string, options: { limit: number }): string;
  pieces(pieces: readonly Piece[]): string;
  blank(words: string): string;
  link(shown: string, url: string): string;
  lineBreak: string;
}

const MARKDOWN: Dialect = {
  plain: plainMarkdown,
  strong: (words) => `**${plainMarkdown(words)}**`,
  code: codeSpan,
  path: codeSpan,
  pieces: (pieces) => codeSpan(pieces.map(({ text }) => text).join('')),
  blank: (words) => `*${words}*`,
  link: (shown, url) => `[${shown}](<${url}>)`,
  lineBreak: ' ',
};

const HTML: Dialect = {
  plain: htmlPlain,
  strong: (words) => `<b>${htmlPlain(words)}</b>`,
  code: htmlCell,
  path: (path, options) => htmlCell(path, options).replace(/(?<!<)\//g, '/<wbr>'),
  pieces: htmlPieces,
  blank: (words) => `<i>${words}</i>`,
  link: (shown, url) => `<a href="${escapeMarkup(url)}">${shown}</a>`,
  lineBreak: '<br>',
};

function inlineText(part: Inline, links: Links, as: Dialect): string {
  if (part === lineBreak) return as.lineBreak;
  if (typeof part === 'string') return escapeWithin(part, as.plain);
  switch (part.kind) {
    case 'strong':
      return as.strong(part.text);
    case 'code': {
      const blank = blankWords([part.text]);
      return blank === null ? as.code(part.text, part) : as.blank(blank);
    }
    case 'pieces': {
      const blank = blankWords(part.pieces.map(({ text }) => text));
      return blank === null ? as.pieces(part.pieces) : as.blank(blank);
    }
    case 'place':
      return placeShown(part, links, as);
    case 'sign':
      return PICTURES[part.tone];
    case 'verdict':
      return `${PICTURES[part.tone]} ${part.word}`;
    case 'link':
      return linkWith(as.plain(part.text), safeUrl(part.url), as);
  }
}

function htmlBlock(block: Block, links: Links): string {
  const line = (parts: Line) => htmlLine(parts, links);
  switch (block.kind) {
    case 'paragraph':
      return `<p>${line(block.line)}</p>`;
    case 'diff':
      return `<pre>${block.lines
        .map(({ sign, text }) => htmlText(`${DIFF_SIGNS[sign]} ${text}`))
        .join('&#10;')}</pre>`;
    case 'list':
      return ['<ul>', ...block.items.map((item) => `<li>${line(item)}</li>`), '</ul>'].join('\n');
    case 'table': {
      const { head, rows } = withPlacesBelow(block);
      return [
        '<table>',
        `<tr>${head.map((cell) => `<th align="left">${line(cell)}</th>`).join('')}</tr>`,
        ...rows.map((row) => `<tr>${row.map((cell) => cellOf(cell, links)).join('')}</tr>`),
        '</table>',
      ].join('\n');
    }
    case 'facts':
      return [
        `<p>${line(block.title)}</p>`,
        '<table>',
        ...block.rows.map(
          ({ name, value }) =>
            `<tr><th align="left" valign="top">${line(name)}</th><td>${line(value)}</td></tr>`,
        ),
        '</table>',
      ].join('\n');
    case 'group':
      return [
        '<details>',
        `<summary>${line(block.summary)}</summary>`,
        ...block.blocks.map((inner) => htmlBlock(inner, links)),
        '</details>',
      ].join('\n');
  }
}

type TableBlock = Pick<Extract<Block, { kind: 'table' }>, 'head' | 'rows'>;

/** Moves file names from the last column into the one before, because phones are narrow. */
function withPlacesBelow({ head, rows }: TableBlock): TableBlock {
  const name = head.at(-1);
  const isPlaces = rows.some((row) =>
    row
      .at(-1)
      ?.some(
        (part) => typeof part !== 'string' && part.kind === 'place' && part.name === undefined,
      ),
  );
  if (name === undefined || head.length < 3 || !isPlaces) return { head, rows };
  return {
    head: head.slice(0, -1),
    rows: rows.map((row) => {
      const [rest, beside = [], last = []] = [row.slice(0, -2), ...row.slice(-2)];
      return [...rest, [...beside, lineBreak, ...name, ': ', ...last]];
    }),
  };
}

const MAX_NOWRAP_CHARS = 24;

function cellOf(cell: Line, links: Links): string {
  const lines = splitAtBreaks(cell);
  if (lines.every(isShort)) return `<td nowrap>${htmlLine(cell, links)}</td>`;
  return `<td>${lines
    .map((line) => {
      const html = htmlLine(line, links);
      const isOurs = line.every((part) => typeof part === 'string');
      return isOurs && isShort(line) ? html.replaceAll(' ', '&nbsp;') : html;
    })
    .join('<br>')}</td>`;
}

function splitAtBreaks(cell: Line): Line[] {
  return cell.reduce<Line[]>(
    (lines, part) =>
      part === lineBreak
        ? [...lines, []]
        : [...lines.slice(0, -1), [...(lines.at(-1) ?? []), part]],
    [[]],
  );
}

function isShort(line: Line): boolean {
  const lengths = line.map((part) => {
    if (typeof part === 'string') return part.length;
    if (part.kind === 'code') return part.text.length;
    if (part.kind === 'verdict') return part.word.length;
    return part.kind === 'place' && part.name !== undefined ? part.name.text.length : Infinity;
  });
  return lengths.reduce((sum, length) => sum + length, 0) <= MAX_NOWRAP_CHARS;
}

function htmlLine(line: Line, links: Links): string {
  return line.map((part) => inlineText(part, links, HTML)).join('');
}

/**
 * Notes about omitted text are written outside `code`, so that untrusted text cannot imitate them.
 */
function htmlPieces(pieces: readonly Piece[]): string {
  return pieces
    .map((piece, index) => {
      const opens = piece.kind !== 'gap' && (index === 0 || pieces[index - 1]?.kind === 'gap');
      const closes =
        piece.kind !== 'gap' && (index === pieces.length - 1 || pieces[index + 1]?.kind === 'gap');
      const shown =
        piece.kind === 'gap'
          ? ` <i>${htmlPlain(piece.text)}</i> `
          : piece.kind === 'changed'
            ? `<b>${htmlText(piece.text)}</b>`
            : htmlText(piece.text);
      return `${opens ? '<code>' : ''}${shown}${closes ? '</code>' : ''}`;
    })
    .join('')
    .trim();
}

const PICTURES: Readonly<Record<Tone, string>> = {
  bad: '❌',
  good: '✅',
  open: '⚪',
  neutral: '➖',
};

function escapeWithin(text: string, escape: (text: string) => string): string {
  const inner = escape(text);
  if (inner === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${inner}${/\s$/.test(text) ? ' ' : ''}`;
}

/**
 * Shows a file and line, or a name that links to them. Without a link, the file and line follow the
 * name.
 */
function placeShown(part: Extract<Inline, { kind: 'place' }>, links: Links, as: Dialect): string {
  const place = as.path(placeText(part), { limit: NAME_LIMIT });
  const url =
    links.place === null
      ? null
      : safeUrl(links.place(part.file.toWellFormed(), part.line, part.side));
  if (part.name === undefined) return linkWith(place, url, as);
  const name = as.path(part.name.text, part.name);
  return url === null ? `${name} (${place})` : as.link(name, url);
}

function linkWith(shown: string, url: string | null, as: Dialect): string {
  return url === null ? shown : as.link(shown, url);
}
