import type { Result } from '../../kernel/result/result.ts';
import { DIFF_SIGNS } from '../../text/markdown.ts';
import { blankHtml, cut, cutNote, escapeMarkup } from '../../text/visible.ts';
import { EVERYTHING } from '../sections/detail.ts';
import {
  type Block,
  type DiffLine,
  type Inline,
  type Line,
  type Links,
  type Piece,
  type Tone,
  placeText,
  safeUrl,
  isOurs,
} from '../sections/document.ts';
import { type SectionName, sectionBlocks } from '../sections/index.ts';
import { headline } from '../sections/outcomes.ts';
import { SCRIPT } from './script.ts';
import { POLICY, STYLE } from './style.ts';

/** Minimum span of an axis, so that noise does not look like a landslide. */
const LEAST_SPAN = 0.2;

const STEP = 0.1;

const NEAR = 1e-9;

/** The range of an axis of shares: an even number of tenths around all values, within 0–1. */
export function shareSpan(shares: readonly number[]): { floor: number; ceiling: number } {
  if (shares.length === 0) return { floor: 0, ceiling: 1 };
  const most = shares.reduce((a, b) => Math.max(a, b));
  const least = shares.reduce((a, b) => Math.min(a, b));
  let floor = Math.floor(Math.max(0, least) / STEP + NEAR);
  let ceiling = Math.ceil(Math.min(1, most) / STEP - NEAR);
  while (ceiling - floor < LEAST_SPAN / STEP - NEAR || (ceiling - floor) % 2 !== 0) {
    if (floor > 0) floor -= 1;
    else ceiling += 1;
  }
  return { floor: floor / 10, ceiling: ceiling / 10 };
}

export function chip(words: string, tone: Tone): string {
  return `<span class="chip ${tone}">${escapeMarkup(words)}</span>`;
}

/** Renders blocks as HTML. Unlike Markdown, mentions need no escaping. */
export function htmlOf(blocks: readonly Block[], links: Links): string {
  return blocks.map((block) => blockHtml(block, links)).join('\n');
}

function blockHtml(block: Block, links: Links): string {
  const line = (parts: Line): string => lineHtml(parts, links);
  switch (block.kind) {
    case 'paragraph':
      return `<p>${line(block.line)}</p>`;
    case 'diff':
      return diffHtml(block.lines);
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${line(item)}</li>`).join('')}</ul>`;
    case 'table':
      return tableHtml(
        block.head.map(line),
        block.rows.map((row) => row.map((cell) => ({ html: line(cell), own: isOurs(cell) }))),
      );
    case 'facts':
      return [
        `<p>${line(block.title)}</p><table class="facts">`,
        ...block.rows.map(
          ({ name, value }) =>
            `<tr${sideClass(name)}><th scope="row">${line(name)}</th><td>${line(value)}</td></tr>`,
        ),
        '</table>',
      ].join('');
    case 'group':
      return `<details class="part" open><summary>${line(block.summary)}</summary>\n${htmlOf(block.blocks, links)}\n</details>`;
  }
}

/** Styles rows with base's or head's answer. */
function sideClass([name]: Line): string {
  if (name?.kind !== 'text') return '';
  return /^Base\b/.test(name.text)
    ? ' class="base"'
    : /^Head\b/.test(name.text)
      ? ' class="head"'
      : '';
}

function diffHtml(lines: readonly DiffLine[]): string {
  const rows = lines.map(
    ({ sign, text }) =>
      `<span class="${sign}">${escapeMarkup(`${DIFF_SIGNS[sign]} ${text}`)}</span>`,
  );
  return `<pre class="diff" tabindex="0">${rows.join('\n')}</pre>`;
}

/**
 * Cells are HTML; `own` ones contain our words and numbers and do not wrap. A first column without
 * a title names its rows. Other cells carry their column's title, for stacked layouts; with two
 * columns both do.
 */
export function tableHtml(
  head: readonly string[],
  rows: readonly { html: string; own: boolean }[][],
): string {
  const titles = head
    .map((cell) => (cell === '' ? '<td></td>' : `<th scope="col">${cell}</th>`))
    .join('');
  const body = rows
    .map(
      (row) =>
        `<tr>${row.map(({ html, own }, at) => (at === 0 && head[0] === '' ? `<th scope="row">${html}</th>` : `<td${own ? ' class="own"' : ''}${at === 0 && row.length !== 2 ? '' : titleAttribute(head[at])}>${html}</td>`)).join('')}</tr>`,
    )
    .join('\n');
  return `<div class="wide" tabindex="0"><table><thead><tr>${titles}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

/** The text of a column's title, which is HTML. */
function titleAttribute(title = ''): string {
  return ` data-title="${title.replaceAll('<br>', ': ').replace(/<[^>]*>/g, '')}"`;
}

export function lineHtml(line: Line, links: Links): string {
  return line.map((part) => inlineHtml(part, links)).join('');
}

function inlineHtml(part: Inline, links: Links): string {
  switch (part.kind) {
    case 'text':
      return escapeMarkup(part.text);
    case 'strong':
      return `<b>${escapeMarkup(part.text)}</b>`;
    case 'code':
      return blankHtml([part.text]) ?? `<code>${cutHtml(part.text, part.limit)}</code>`;
    case 'pieces':
      return `<code>${piecesHtml(part.pieces)}</code>`;
    case 'place':
      return placeHtml(part, links);
    case 'sign':
      return escapeMarkup(part.sign);
    case 'verdict':
      return chip(`${part.sign} ${part.word}`, part.tone);
    case 'link':
      return anchor(escapeMarkup(part.text), safeUrl(part.url));
    case 'break':
      return '<br>';
  }
}

/** A place or a name linked to it; without a link, the place after the name. */
function placeHtml(part: Extract<Inline, { kind: 'place' }>, { place }: Links): string {
  const url =
    place === null ? null : safeUrl(place(part.file.toWellFormed(), part.line, part.side));
  const where = `<code>${escapeMarkup(placeText(part))}</code>`;
  if (part.name === undefined) return anchor(where, url);
  const name = `<code>${cutHtml(part.name.text, part.name.limit)}</code>`;
  return url === null ? `${name} (${where})` : anchor(name, url);
}

export function piecesHtml(pieces: readonly Piece[]): string {
  const blank = blankHtml(pieces.map(({ text }) => text));
  if (blank !== null) return blank;
  return pieces
    .map(({ kind, text }) => {
      const shown = escapeMarkup(text);
      return kind === 'changed'
        ? `<mark>${shown}</mark>`
        : kind === 'gap'
          ? ` <i>${shown}</i> `
          : shown;
    })
    .join('');
}

/** A text cut after `limit` characters, with the number omitted. */
function cutHtml(text: string, limit: number): string {
  const { text: shown, left } = cut(text, limit);
  return `${escapeMarkup(shown)}${left === 0 ? '' : `<i>${cutNote(left)}</i>`}`;
}

function anchor(shown: string, url: string | null): string {
  return url === null ? shown : `<a href="${escapeMarkup(url)}" rel="noreferrer">${shown}</a>`;
}

/** `top` is text, the others are HTML. */
interface PageParts {
  title: string;
  /** What the page is, and its subject. */
  top: [string, string];
  main: readonly string[];
  footer: string;
}

/** A page as one file that makes no requests; its policy only allows its own style and script. */
export function pageHtml({ title, top: [what, of], main, footer }: PageParts): string {
  return lines([
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    `<header><span><b>evaldiff</b> ${escapeMarkup(what)}</span><span>${escapeMarkup(of)}</span></header>`,
    '<main>',
    ...main,
    '</main>',
    `<footer>${footer}</footer>`,
    `<script>${SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ]);
}

/** Concatenates lines; joining would copy large strings once more. */
export function lines(parts: readonly string[]): string {
  return parts.reduce((text, part) => `${text}\n${part}`);
}

interface Card {
  title: string;
  /** How to read the drawing. HTML. */
  note: string;
  svg: string;
  /** A table with the numbers of the drawing. HTML. */
  table: string;
}

/** A chart with its title and its numbers, folded. */
export function cardHtml({ title, note, svg, table }: Card): string {
  return [
    `<figure class="card"><figcaption><b>${escapeMarkup(title)}</b>`,
    note === '' ? '' : `<span class="soft">${note}</span>`,
    `</figcaption>${svg}<details class="numbers"><summary>The numbers</summary>`,
    `${table}</details></figure>`,
  ].join('');
}

/** The headline, then problems, errors, and reasons if nothing else is shown. */
export function verdictHtml(
  { result, links }: { result: Result; links: Links },
  below: readonly SectionName[] = ['problems', 'errors', 'reasons'],
): string {
  const { sign, tone, outcome, subject, line } = headline(result);
  const more = htmlOf(sectionBlocks(result, EVERYTHING, below), links);
  return [
    `<section class="verdict ${tone}"><h1>${sign} ${escapeMarkup(outcome)}`,
    subject.length === 0 ? '' : `: ${lineHtml(subject, links)}`,
    `</h1><p>${lineHtml(line, links)}</p>${more}</section>`,
  ].join('');
}
