import type { ComponentChildren } from 'preact';
import {
  isOurs,
  lineBreak,
  lineText,
  placeText,
  safeUrl,
  type Block,
  type Inline,
  type Line,
  type Links,
  type Piece,
} from '../report/sections/document.ts';
import { DIFF_SIGNS } from '../text/markdown.ts';
import { blankWords, cut, cutNote } from '../text/visible.ts';
import type { Tone } from '../wording/outcomes.ts';

export function Blocks({ blocks, links }: { blocks: readonly Block[]; links: Links }) {
  return (
    <>
      {blocks.map((block) => (
        <BlockView block={block} links={links} />
      ))}
    </>
  );
}

function BlockView({ block, links }: { block: Block; links: Links }) {
  const line = (parts: Line) => <LineView line={parts} links={links} />;
  switch (block.kind) {
    case 'paragraph':
      return block.tone === 'verdict' ? <h1>{line(block.line)}</h1> : <p>{line(block.line)}</p>;
    case 'list':
      return (
        <ul>
          {block.items.map((item) => (
            <li>{line(item)}</li>
          ))}
        </ul>
      );
    case 'diff':
      return (
        <pre class="diff" tabIndex={0}>
          {block.lines.map(({ sign, text }) => (
            <span class={sign}>
              {DIFF_SIGNS[sign]} {text}
              {'\n'}
            </span>
          ))}
        </pre>
      );
    case 'table':
      return (
        <DataTable
          head={block.head.map(lineText)}
          rows={block.rows.map((row) =>
            row.map((cell) => (isOurs(cell) ? line(cell) : wrapped(line(cell)))),
          )}
        />
      );
    case 'facts':
      return (
        <>
          <p>{line(block.title)}</p>
          <table class="facts">
            <tbody>
              {block.rows.map(({ name, value }) => (
                <tr class={sideIn(name)}>
                  <th scope="row">{line(name)}</th>
                  <td>{line(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      );
    case 'group':
      return (
        <details class="part" open>
          <summary>{line(block.summary)}</summary>
          <Blocks blocks={block.blocks} links={links} />
        </details>
      );
  }
}

function sideIn([name]: Line): string | undefined {
  const words = typeof name === 'string' ? /^(?:Base|Head)\b/.exec(name)?.[0] : undefined;
  return words?.toLowerCase();
}

/** A cell with text from users, which is wrapped. Others have only evaldiff's own. */
interface WrappedCell {
  wrapped: ComponentChildren;
}

type ShownCell = ComponentChildren | WrappedCell;

export const wrapped = (shown: ComponentChildren): WrappedCell => ({ wrapped: shown });

function isWrapped(cell: ShownCell): cell is WrappedCell {
  return typeof cell === 'object' && cell !== null && 'wrapped' in cell;
}

/** On a phone, the cells of a row are stacked and show the titles of their columns. */
export function DataTable({
  head,
  rows,
}: {
  head: readonly string[];
  rows: readonly ShownCell[][];
}) {
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={head.filter(Boolean).join(', ')}>
      <table>
        <thead>
          <tr>{head.map((title) => (title === '' ? <td /> : <th scope="col">{title}</th>))}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell, at) =>
                at === 0 && head[0] === '' ? (
                  <th scope="row">{isWrapped(cell) ? cell.wrapped : cell}</th>
                ) : (
                  <td
                    class={isWrapped(cell) ? undefined : 'own'}
                    data-title={at === 0 && row.length !== 2 ? undefined : head[at]}
                  >
                    {isWrapped(cell) ? cell.wrapped : cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function LineView({ line, links }: { line: Line; links: Links }) {
  return (
    <>
      {line.map((part) => (
        <InlineView part={part} links={links} />
      ))}
    </>
  );
}

function InlineView({ part, links }: { part: Inline; links: Links }) {
  if (part === lineBreak) return <br />;
  if (typeof part === 'string') return <>{part}</>;
  switch (part.kind) {
    case 'strong':
      return <b>{part.text}</b>;
    case 'code':
      return <CodeView text={part.text} limit={part.limit} />;
    case 'pieces':
      return (
        <code>
          <Pieces pieces={part.pieces} />
        </code>
      );
    case 'place':
      return <PlaceView part={part} links={links} />;
    case 'sign':
      return <>{part.sign}</>;
    case 'verdict':
      return <Chip tone={part.tone}>{`${part.sign} ${part.word}`}</Chip>;
    case 'link':
      return <LinkView url={safeUrl(part.url)}>{part.text}</LinkView>;
  }
}

function PlaceView({ part, links }: { part: Extract<Inline, { kind: 'place' }>; links: Links }) {
  const { file, line, side, name } = part;
  const url = links.place === null ? null : safeUrl(links.place(file.toWellFormed(), line, side));
  const where = <code>{placeText(part)}</code>;
  if (name === undefined) return <LinkView url={url}>{where}</LinkView>;
  const named = <CodeView text={name.text} limit={name.limit} />;
  return url === null ? (
    <>
      {named} ({where})
    </>
  ) : (
    <LinkView url={url}>{named}</LinkView>
  );
}

function LinkView({ url, children }: { url: string | null; children: ComponentChildren }) {
  return url === null ? (
    <>{children}</>
  ) : (
    <a href={url} rel="noreferrer">
      {children}
    </a>
  );
}

export function Chip({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`chip ${tone}`}>{children}</span>;
}

function CodeView({ text, limit }: { text: string; limit: number }) {
  const blank = blankWords([text]);
  if (blank !== null) return <i>{blank}</i>;
  const { text: shown, left } = cut(text, limit);
  return (
    <code>
      {shown}
      {left > 0 && <i>{cutNote(left)}</i>}
    </code>
  );
}

export function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  const blank = blankWords(pieces.map(({ text }) => text));
  if (blank !== null) return <i>{blank}</i>;
  return (
    <>
      {pieces.map(({ kind, text }) =>
        kind === 'changed' ? <mark>{text}</mark> : kind === 'gap' ? <i> {text} </i> : text,
      )}
    </>
  );
}
