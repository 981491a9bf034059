import { escapeMarkup } from '../../text/html.ts';
import { POLICY, SCRIPT, STYLE } from './style.ts';

/** What stands in a page; `top` is text, the others are HTML. */
export interface PageParts {
  title: string;
  /** What the page is, and what it is of, in its first line. */
  top: [string, string];
  main: readonly string[];
  footer: string;
}

/**
 * A page of ours: one file, no request leaves it, its policy lets nothing but its own style and
 * script apply.
 */
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

/** One string of several: added up rather than joined, which would copy what is large already. */
export function lines(parts: readonly string[]): string {
  return parts.reduce((text, part) => `${text}\n${part}`);
}

export interface Card {
  title: string;
  /** Under the title: what is drawn, and how it is read. HTML. */
  note: string;
  svg: string;
  /** A table with the numbers of the drawing. HTML. */
  table: string;
}

/** A chart with its title and, folded away, its numbers. */
export function cardHtml({ title, note, svg, table }: Card): string {
  return `<figure class="card"><figcaption><b>${escapeMarkup(title)}</b>${note === '' ? '' : `<span class="soft">${note}</span>`}</figcaption>${svg}<details class="numbers"><summary>The numbers</summary>${table}</details></figure>`;
}
