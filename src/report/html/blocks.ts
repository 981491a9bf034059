import { escapeMarkup } from '../../text/html.ts';
import { cut, cutNote } from '../../text/cut.ts';
import type { Verdict } from '../../types.ts';
import type { Block, Inline, Line, Piece } from '../sections/document.ts';
import { placeText, safeUrl, type Links } from '../markdown.ts';
import { VERDICTS } from '../sections/phrases.ts';

/** The three tones of the page; everything else is neutral. */
export type Tone = 'bad' | 'good' | 'open' | 'neutral';

const VERDICT_TONES: Readonly<Record<Verdict, Tone>> = {
  regressed: 'bad',
  improved: 'good',
  unchanged: 'good',
  inconclusive: 'open',
  new: 'neutral',
  removed: 'neutral',
  not_compared: 'neutral',
  no_data: 'neutral',
};

export function verdictTone(verdict: Verdict): Tone {
  return VERDICT_TONES[verdict];
}

export function chip(words: string, tone: Tone): string {
  return `<span class="chip ${tone}">${escapeMarkup(words)}</span>`;
}

/** Blocks as a page of our own shows them, where no Markdown is read and no mention is linked. */
export function htmlOf(blocks: readonly Block[], links: Links): string {
  return blocks.map((block) => blockHtml(block, links)).join('\n');
}

function blockHtml(block: Block, links: Links): string {
  const line = (parts: Line): string => lineHtml(parts, links);
  switch (block.kind) {
    case 'paragraph':
      return `<p>${line(block.line)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${line(item)}</li>`).join('')}</ul>`;
    case 'table':
      return tableHtml(
        block.head.map(line),
        block.rows.map((row) => row.map((cell) => ({ html: line(cell), own: isOurs(cell) }))),
      );
    case 'facts':
      return `<p>${line(block.title)}</p><table>${block.rows.map(({ name, value }) => `<tr><th scope="row">${line(name)}</th><td>${line(value)}</td></tr>`).join('')}</table>`;
    case 'group':
      return `<details class="part" open><summary>${line(block.summary)}</summary>\n${htmlOf(block.blocks, links)}\n</details>`;
  }
}

/** Cells are HTML already; `own` ones hold our words and numbers and do not wrap. */
export function tableHtml(
  head: readonly string[],
  rows: readonly { html: string; own: boolean }[][],
): string {
  const titles = head.map((cell) => `<th scope="col">${cell}</th>`).join('');
  const body = rows
    .map(
      (row) =>
        `<tr>${row.map(({ html, own }) => `<td${own ? ' class="own"' : ''}>${html}</td>`).join('')}</tr>`,
    )
    .join('\n');
  return `<div class="wide" tabindex="0"><table><thead><tr>${titles}</tr></thead><tbody>\n${body}\n</tbody></table></div>`;
}

export function isOurs(cell: Line): boolean {
  return cell.every(({ kind }) => kind === 'text' || kind === 'verdict' || kind === 'break');
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
      return part.text === '' ? '<i>empty</i>' : `<code>${cutHtml(part.text, part.limit)}</code>`;
    case 'pieces':
      return `<code>${piecesHtml(part.pieces)}</code>`;
    case 'place':
      return anchor(
        `<code>${escapeMarkup(placeText(part))}</code>`,
        links.place === null ? null : safeUrl(links.place(part.file.toWellFormed(), part.line)),
      );
    case 'verdict':
      return chip(
        `${VERDICTS[part.verdict].sign} ${VERDICTS[part.verdict].word}`,
        verdictTone(part.verdict),
      );
    case 'link':
      return anchor(escapeMarkup(part.text), safeUrl(part.url));
    case 'break':
      return '<br>';
  }
}

export function piecesHtml(pieces: readonly Piece[]): string {
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

/** A text cut after `limit` characters, with the number of those left out. */
function cutHtml(text: string, limit: number): string {
  const { text: shown, left } = cut(text, limit);
  return `${escapeMarkup(shown)}${left === 0 ? '' : `<i>${cutNote(left)}</i>`}`;
}

function anchor(shown: string, url: string | null): string {
  return url === null ? shown : `<a href="${escapeMarkup(url)}" rel="noreferrer">${shown}</a>`;
}
