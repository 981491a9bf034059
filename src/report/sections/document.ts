import type { ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { visibleLine } from '../../text/visible.ts';
import type { Side } from '../../types/plain.ts';

/** Addresses that the report may point to; null where there is nothing to point to. */
export interface Links {
  /** The page of this run. */
  run: string | null;
  /** The report of this run, opened by one click. */
  report: string | null;
  /** Where the report lies on the machine of the run, for want of such an address. */
  reportFile?: string;
  /**
   * How a pull request from a fork is judged; absent: it is none, or that page's address is
   * unknown.
   */
  forks?: string;
  /** Which project, settings or overrides it is about; absent: the usual ones. */
  about?: string;
  /** A line of a file at head, or at base where head has it no more; line 0 is the whole file. */
  place: ((file: string, line: number, side: Side) => string) | null;
}

export const NO_LINKS: Links = { run: null, report: null, place: null };

/** A sentence from elsewhere is cut here, in UTF-16 units. */
export const SENTENCE = 400;

export function placeText({ file, line }: { file: string; line: number }): string {
  return line > 0 ? `${visibleLine(file)}:${String(line)}` : visibleLine(file);
}

/**
 * An address that cannot end the attribute or the destination it stands in; null when it is not a
 * web address.
 */
export function safeUrl(url: string): string | null {
  return /^https?:\/\//.test(url)
    ? url.replace(/[^\w\-.~:/?#[\]@!$&()*+,;=%]/gu, (sign) =>
        encodeURIComponent(sign.toWellFormed()),
      )
    : null;
}

/**
 * What a report says, before it is known where it is shown. Sections build it; each output renders
 * it and escapes every text in it, so no section can forget to.
 */
export type Inline =
  /** A sentence or a part of one, our own or someone else's. */
  | { kind: 'text' | 'strong'; text: string }
  /** Someone's text verbatim; `limit` in characters, what is left out is counted. */
  | { kind: 'code'; text: string; limit: number }
  /** A text with parts of it emphasised or left out. */
  | { kind: 'pieces'; pieces: Piece[] }
  /**
   * A line of a file on one side; `name` is what stands there and leads to it, instead of the line
   * itself.
   */
  | {
      kind: 'place';
      file: string;
      line: number;
      side: Side;
      name?: { text: string; limit: number };
    }
  /** The outcome of a suite in a word. */
  | { kind: 'verdict'; sign: string; word: string; tone: Tone }
  /** The sign of an outcome; where there are pictures, one that has the tone's colour. */
  | { kind: 'sign'; sign: string; tone: Tone }
  /** An address that we made. */
  | { kind: 'link'; text: string; url: string }
  | { kind: 'break' };

export interface Piece {
  /** `same` and `changed` are text; `gap` is our own remark about text left out. */
  kind: 'same' | 'changed' | 'gap';
  text: string;
}

export type Line = Inline[];

/** How an outcome looks where there is colour; the words say it too. */
export type Tone = 'bad' | 'good' | 'open' | 'neutral';

/** `gap` is our own remark about lines left out. */
export interface DiffLine {
  sign: 'same' | 'removed' | 'added' | 'gap';
  text: string;
}

export type Block =
  | { kind: 'paragraph'; tone: 'verdict' | 'normal' | 'small'; line: Line }
  | { kind: 'list'; items: Line[] }
  | { kind: 'table'; head: Line[]; rows: Line[][] }
  /** Lines of a file that differ between base and head. */
  | { kind: 'diff'; lines: DiffLine[] }
  /** A table of name and value, one row each. */
  | { kind: 'facts'; title: Line; rows: { name: Line; value: Line }[] }
  /** Collapsed where the output can collapse. */
  | { kind: 'group'; summary: Line; blocks: Block[] };

/** Names and paths longer than this are cut wherever they are shown. */
export const NAME_LIMIT = 120;

export const text = (value: string): Inline => ({ kind: 'text', text: value });

export const strong = (value: string): Inline => ({ kind: 'strong', text: value });

export const code = (value: string, limit: number = NAME_LIMIT): Inline => ({
  kind: 'code',
  text: value,
  limit,
});

export const place = (file: string, line: number, side: Side = 'head'): Inline => ({
  kind: 'place',
  file,
  line,
  side,
});

/** The side on which a reference stands where its file says. */
export function standsOn({ status }: Pick<ReferenceResult, 'status'>): Side {
  return status === 'removed' ? 'base' : 'head';
}

/**
 * Someone's text that leads to its reference; where nothing can be linked the place stands behind
 * it.
 */
export function placeLink(
  words: string,
  reference: Pick<ReferenceResult, 'file' | 'line' | 'status'>,
  limit: number = NAME_LIMIT,
): Inline {
  const { file, line } = reference;
  return { kind: 'place', file, line, side: standsOn(reference), name: { text: words, limit } };
}

export const lineBreak: Inline = { kind: 'break' };

export function paragraph(line: Line, tone: 'verdict' | 'normal' | 'small' = 'normal'): Block {
  return { kind: 'paragraph', tone, line };
}

/** A group, or nothing when there is nothing in it. */
export function group(summary: Line, blocks: Block[]): Block[] {
  return blocks.length === 0 ? [] : [{ kind: 'group', summary, blocks }];
}

/** Lines joined by a separator. */
export function joinLines(lines: readonly Line[], separator: string): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [text(separator), ...line]));
}

/** Where the lines of files are shown, if the result knows it; nothing else is linked. */
export function placeLinks({
  source,
  base,
  head,
}: Pick<Result, 'source' | 'base' | 'head'>): Links {
  if (source === undefined) return NO_LINKS;
  const { url, directory } = source;
  return {
    ...NO_LINKS,
    place: (file, line, side) => {
      const { sha } = side === 'base' ? (base ?? head) : head;
      const path = [...directory.split('/'), ...file.split('/')].filter(
        (part) => part !== '' && part !== '.',
      );
      const at = [`${url}/blob/${sha}`, ...path.map(encodeURIComponent)].join('/');
      return line > 0 ? `${at}#L${String(line)}` : at;
    },
  };
}

/** Whether a line is made of our own words and numbers alone, which are not broken. */
export function isOurs(line: Line): boolean {
  return line.every(({ kind }) => kind === 'text' || kind === 'verdict' || kind === 'break');
}
