import { DIFF_SIGNS } from '../text/markdown.ts';
import { type Markup, type MarkupPart, joinMarkup, markup } from '../text/markup.ts';
import { blankWords, cut, cutNote } from '../text/visible.ts';
import type { Tone } from '../wording/outcomes.ts';
import {
  type Block,
  type DiffLine,
  type Inline,
  type Line,
  type Links,
  type Piece,
  placeText,
  safeUrl,
  isOurs,
  lineWords,
} from './sections/document.ts';

export function chip(words: string, tone: Tone): Markup {
  return markup`<span class="chip ${tone}">${words}</span>`;
}

export function noteHtml(words: string): Markup {
  return markup`<p class="soft">${words}</p>`;
}

export function htmlOf(blocks: readonly Block[], links: Links): Markup {
  return markup`${blocks.map((block) => blockHtml(block, links))}`;
}

function blockHtml(block: Block, links: Links): Markup {
  const line = (parts: Line) => lineHtml(parts, links);
  switch (block.kind) {
    case 'paragraph':
      return block.tone === 'verdict'
        ? markup`<h1>${line(block.line)}</h1>`
        : markup`<p>${line(block.line)}</p>`;
    case 'diff':
      return diffHtml(block.lines);
    case 'list':
      return markup`<ul>${block.items.map((item) => markup`<li>${line(item)}</li>`)}</ul>`;
    case 'table':
      return tableHtml(
        block.head.map(lineWords),
        block.rows.map((row) => row.map((cell) => ({ html: line(cell), own: isOurs(cell) }))),
      );
    case 'facts': {
      const rows = block.rows.map(
        ({ name, value }) => markup`
          <tr${sideClass(name)}><th scope="row">${line(name)}</th><td>${line(value)}</td></tr>`,
      );
      return markup`<p>${line(block.title)}</p><table class="facts">${rows}</table>`;
    }
    case 'group':
      return markup`
        <details class="part" open><summary>${line(block.summary)}</summary>
          ${htmlOf(block.blocks, links)}
        </details>`;
  }
}

function sideClass([name]: Line): Markup | null {
  const side = name?.kind === 'text' ? /^(?:Base|Head)\b/.exec(name.text)?.[0] : undefined;
  return side === undefined ? null : markup` class="${side.toLowerCase()}"`;
}

function diffHtml(lines: readonly DiffLine[]): Markup {
  const rows = lines.map(
    ({ sign, text }) => markup`<span class="${sign}">${DIFF_SIGNS[sign]} ${text}</span>`,
  );
  return markup`<pre class="diff" tabindex="0">${joinMarkup(rows, '\n')}</pre>`;
}

/** If `own`, the cell has no text from users, so its lines are not wrapped. */
interface TableCell {
  html: MarkupPart;
  own: boolean;
}

export function ownCell(html: MarkupPart): TableCell {
  return { html, own: true };
}

/** On a phone, the cells of a row are stacked and show the titles of their columns. */
export function tableHtml(titles: readonly string[], rows: readonly TableCell[][]): Markup {
  const cellHtml = ({ html, own }: TableCell, at: number, { length }: readonly TableCell[]) => {
    if (at === 0 && titles[0] === '') return markup`<th scope="row">${html}</th>`;
    const title = at === 0 && length !== 2 ? null : markup` data-title="${titles[at] ?? ''}"`;
    return markup`<td${own ? markup` class="own"` : null}${title}>${html}</td>`;
  };
  const columns = titles.map((title) =>
    title === '' ? markup`<td></td>` : markup`<th scope="col">${title}</th>`,
  );
  return markup`
    <div class="wide" tabindex="0"><table>
      <thead><tr>${columns}</tr></thead>
      <tbody>${rows.map((row) => markup`<tr>${row.map(cellHtml)}</tr>`)}</tbody>
    </table></div>`;
}

export function lineHtml(line: Line, links: Links): Markup {
  return markup`${line.map((part) => inlineHtml(part, links))}`;
}

function inlineHtml(part: Inline, links: Links): Markup {
  switch (part.kind) {
    case 'text':
      return markup`${part.text}`;
    case 'strong':
      return markup`<b>${part.text}</b>`;
    case 'code':
      return blankHtml([part.text]) ?? markup`<code>${cutHtml(part.text, part.limit)}</code>`;
    case 'pieces':
      return markup`<code>${piecesHtml(part.pieces)}</code>`;
    case 'place':
      return placeHtml(part, links);
    case 'sign':
      return markup`${part.sign}`;
    case 'verdict':
      return chip(`${part.sign} ${part.word}`, part.tone);
    case 'link':
      return linkMarkup(markup`${part.text}`, safeUrl(part.url));
    case 'break':
      return markup`<br>`;
  }
}

function placeHtml(part: Extract<Inline, { kind: 'place' }>, { place }: Links): Markup {
  const url =
    place === null ? null : safeUrl(place(part.file.toWellFormed(), part.line, part.side));
  const where = markup`<code>${placeText(part)}</code>`;
  if (part.name === undefined) return linkMarkup(where, url);
  const name = markup`<code>${cutHtml(part.name.text, part.name.limit)}</code>`;
  return url === null ? markup`${name} (${where})` : linkMarkup(name, url);
}

export function piecesHtml(pieces: readonly Piece[]): Markup {
  const marked = ({ kind, text }: Piece) => {
    if (kind === 'changed') return markup`<mark>${text}</mark>`;
    return kind === 'gap' ? markup` <i>${text}</i> ` : markup`${text}`;
  };
  return blankHtml(pieces.map(({ text }) => text)) ?? markup`${pieces.map(marked)}`;
}

function blankHtml(texts: readonly string[]): Markup | null {
  const words = blankWords(texts);
  return words === null ? null : markup`<i>${words}</i>`;
}

function cutHtml(text: string, limit: number): Markup {
  const { text: shown, left } = cut(text, limit);
  return markup`${shown}${left === 0 ? null : markup`<i>${cutNote(left)}</i>`}`;
}

function linkMarkup(shown: Markup, url: string | null): Markup {
  return url === null ? shown : markup`<a href="${url}" rel="noreferrer">${shown}</a>`;
}
