import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { andMore } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';
import type { Side } from '../../types/plain.ts';
import type { Tone } from '../../wording/outcomes.ts';
import type { Words } from '../../wording/words.ts';

/** Web addresses. Null if unknown. */
export interface Links {
  run: string | null;
  report: string | null;
  reportFile?: string;
  /** Address of a page about how evaldiff judges pull requests from forks. Set only for a fork. */
  forks?: string;
  artifact?: { name: string; run: string };
  /** Whether the author is an outside contributor, even an approved one. */
  outsider?: boolean;
  about?: string;
  /** The branch that a pull request merges into. */
  base?: string | null;
  /** Returns the web address of a line. Line 0 is the whole file. `base` is for deleted files. */
  place: ((file: string, line: number, side: Side) => string) | null;
}

export const NO_LINKS: Links = { run: null, report: null, place: null };

/** In UTF-16 units. */
export const SENTENCE = 400;

export function placeText({ file, line }: { file: string; line: number }): string {
  return line > 0 ? `${visibleLine(file)}:${line}` : visibleLine(file);
}

/** Returns a web address, or null if it could break out of its HTML attribute. */
export function safeUrl(url: string): string | null {
  return /^https?:\/\//.test(url)
    ? url.replace(/[^\w\-.~:/?#[\]@!$&()*+,;=%]/gu, (sign) =>
        encodeURIComponent(sign.toWellFormed()),
      )
    : null;
}

/** A part of a line. Renderers escape every text in it. */
export type Inline =
  | string
  | { kind: 'strong'; text: string }
  /** Untrusted text, shown unchanged. `limit` is in characters. */
  | { kind: 'code'; text: string; limit: number }
  | { kind: 'pieces'; pieces: Piece[] }
  /** A line of a file. `name` replaces the path as the link's text. */
  | {
      kind: 'place';
      file: string;
      line: number;
      side: Side;
      name?: { text: string; limit: number };
    }
  | { kind: 'verdict'; sign: string; word: string; tone: Tone }
  | { kind: 'sign'; sign: string; tone: Tone }
  | { kind: 'link'; text: string; url: string };

export interface Piece {
  kind: 'same' | 'changed' | 'gap';
  text: string;
}

/** Report content, independent of the output. */
export type Line = Inline[];

/** A line. One with a single part needs no list. */
export type Cell = Inline | Line;

export interface DiffLine {
  sign: 'same' | 'removed' | 'added' | 'gap';
  text: string;
}

export interface FactRow {
  name: Line;
  value: Line;
}

export type Block =
  | { kind: 'paragraph'; tone: 'verdict' | 'normal' | 'small'; line: Line }
  | { kind: 'list'; items: Line[] }
  | { kind: 'table'; head: Line[]; rows: Line[][] }
  | { kind: 'diff'; lines: DiffLine[] }
  | { kind: 'facts'; title: Line; rows: FactRow[] }
  /** If `plain`, the group is Markdown instead of HTML, for programs that read it. */
  | { kind: 'group'; summary: Line; blocks: Block[]; plain?: true };

/** In UTF-16 units. */
export const NAME_LIMIT = 120;

export const strong = (value: string): Inline => ({ kind: 'strong', text: value });

export const code = (value: string, limit: number = NAME_LIMIT): Inline => ({
  kind: 'code',
  text: value,
  limit,
});

export function wordsLine(words: Words): Line {
  return words.flatMap((part) =>
    typeof part === 'string' ? markedLine(part) : [code(part.name, part.limit)],
  );
}

/** A sentence in which backticks mark code. */
export function markedLine(sentence: string): Line {
  return sentence
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 1 ? code(part, SENTENCE) : part))
    .filter((part) => part !== '');
}

export const place = (file: string, line: number, side: Side = 'head'): Inline => ({
  kind: 'place',
  file,
  line,
  side,
});

export function standsOn({ status }: ReferenceResult): Side {
  return status === 'removed' ? 'base' : 'head';
}

export function placeLink(
  words: string,
  reference: ReferenceResult,
  limit: number = NAME_LIMIT,
): Inline {
  const { file, line } = reference;
  return { kind: 'place', file, line, side: standsOn(reference), name: { text: words, limit } };
}

/** A part of a line that is exactly this text starts a new line. */
export const lineBreak = '\n';

function lineOfCell(line: Cell): Line {
  return Array.isArray(line) ? line : [line];
}

export function paragraph(line: Cell, tone: 'verdict' | 'normal' | 'small' = 'normal'): Block {
  return { kind: 'paragraph', tone, line: lineOfCell(line) };
}

/** Plain strings as titles must come from evaldiff, not from users. */
export function table(
  head: readonly Cell[],
  rows: readonly (readonly Cell[])[],
  most = Infinity,
): Block[] {
  const shown = rows.slice(0, most).map((row) => row.map(lineOfCell));
  return [
    ...(shown.length === 0
      ? []
      : [{ kind: 'table' as const, head: head.map(lineOfCell), rows: shown }]),
    ...moreBlock(rows.length, shown.length),
  ];
}

/** `most`: the other items are only counted, with the noun `things`. */
export function list(items: Line[], most = Infinity, things = ''): Block[] {
  const shown = items.slice(0, most);
  return [
    ...(shown.length === 0 ? [] : [{ kind: 'list' as const, items: shown }]),
    ...moreBlock(items.length, shown.length, things),
  ];
}

export function moreBlock(total: number, shown: number, things = ''): Block[] {
  const more = `${andMore(total, shown)} ${things}`.trim();
  return total > shown ? [paragraph(`${more}.`)] : [];
}

export function group(summary: Cell, blocks: Block[]): Block[] {
  return blocks.length === 0 ? [] : [{ kind: 'group', summary: lineOfCell(summary), blocks }];
}

export function joinLines(lines: readonly Cell[], separator: string): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [separator, ...lineOfCell(line)]));
}

/** Path of a project's file in the repository, for a web address. */
export function addressPath(directory: string, file: string): string {
  return [...directory.split('/'), ...file.split('/')]
    .filter((part) => part !== '' && part !== '.')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/');
}

export function placeLinks({ source, base, head }: Result): Links {
  if (source === undefined) return NO_LINKS;
  const { url, directory } = source;
  return {
    ...NO_LINKS,
    place: (file, line, side) => {
      const { sha } = side === 'base' ? (base ?? head) : head;
      const at = `${url}/blob/${sha}/${addressPath(directory, file)}`;
      return line > 0 ? `${at}#L${line}` : at;
    },
  };
}

/** True if a line contains no text from users. Such lines are not wrapped. */
export function isOurs(line: Line): boolean {
  return line.every((part) => typeof part === 'string' || part.kind === 'verdict');
}

/** A line without its marks. */
export function lineText(line: Line): string {
  return line
    .map((part) => {
      if (part === lineBreak) return ': ';
      if (typeof part === 'string') return part;
      if (part.kind === 'place') return placeText(part);
      return 'text' in part ? part.text : '';
    })
    .join('');
}

/** Removes the indentation that all lines share, to save room on narrow screens. */
export function withoutMargin(lines: readonly DiffLine[]): DiffLine[] {
  const margin = lines
    .filter(({ sign, text }) => sign !== 'gap' && text.trim() !== '')
    .reduce((least, { text }) => Math.min(least, text.length - text.trimStart().length), Infinity);
  return lines.map((line) =>
    line.sign === 'gap' ? line : { ...line, text: line.text.slice(margin) },
  );
}
