import type { ReferenceResult } from '../../result/reference-result.ts';
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
 * How much a report shows. Rows and items are upper bounds; what they leave out is counted in the
 * text. A section reads the fields that say how much it may show, `collapsedItems` if no other one
 * fits, and shows no more at a lower level than at a higher one: a comment takes the first level
 * that fits.
 */
export interface Detail {
  /** Rows of the table of suites, and of the ranking of variants. */
  suites: number;
  /** Regressed references shown with their answers, all sections together; 0: none is opened. */
  answers: number;
  /** Regressed references after them, as a row with counts only. */
  counts: number;
  /** References of one failure shown with their answers; absent: as many as there is room. */
  answersPerFailure?: number;
  /** Changed lines shown, of all files together. */
  lines: number;
  /** Characters of one answer or input. */
  characters: number;
  /** Rows and items of every other list, which is collapsed; 0: the text only says how many. */
  collapsedItems: number;
  /** Problems with file and line. */
  problems: number;
  /** Whether values of metrics are shown that did not move: false, only those that did. */
  showsUnmovedMetrics: boolean;
  /** What the section `sizeNote` alone tells the reader about it; null at full detail. */
  sizeNote: string | null;
}

const REST = 'The rest is in report.html and result.json.';

/** From everything to the verdict alone. A comment takes the first that fits. */
export const COMMENT_LEVELS: readonly Detail[] = [
  {
    suites: 100,
    answers: 50,
    answersPerFailure: 10,
    lines: 24,
    counts: 100,
    characters: 500,
    collapsedItems: 50,
    problems: 100,
    showsUnmovedMetrics: false,
    sizeNote: null,
  },
  {
    suites: 100,
    answers: 15,
    answersPerFailure: 5,
    lines: 20,
    counts: 100,
    characters: 300,
    collapsedItems: 30,
    problems: 100,
    showsUnmovedMetrics: false,
    sizeNote: `Fewer answers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 50,
    answers: 5,
    lines: 16,
    counts: 100,
    characters: 200,
    collapsedItems: 15,
    problems: 50,
    showsUnmovedMetrics: false,
    sizeNote: `Fewer answers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 50,
    answers: 1,
    lines: 12,
    counts: 100,
    characters: 120,
    collapsedItems: 10,
    problems: 50,
    showsUnmovedMetrics: false,
    sizeNote: `Answers are shown of one reference, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 15,
    answers: 1,
    lines: 8,
    counts: 0,
    characters: 120,
    collapsedItems: 0,
    problems: 15,
    showsUnmovedMetrics: false,
    sizeNote: `Beside one reference only numbers are shown, to fit the size of a comment. ${REST}`,
  },
  {
    suites: 0,
    answers: 0,
    lines: 0,
    counts: 0,
    characters: 120,
    collapsedItems: 0,
    problems: 3,
    showsUnmovedMetrics: false,
    sizeNote: `Only the verdict is shown, to fit the size of a comment. ${REST}`,
  },
];

/** The job summary has sixteen times the room. */
export const SUMMARY_LEVELS: readonly Detail[] = [
  {
    suites: 500,
    answers: 200,
    lines: 200,
    counts: 1000,
    characters: 2000,
    collapsedItems: 500,
    problems: 1000,
    showsUnmovedMetrics: true,
    sizeNote: null,
  },
  ...COMMENT_LEVELS.map((level) => ({
    ...level,
    sizeNote: (
      level.sizeNote ?? `Fewer answers are shown, to fit the size of a summary. ${REST}`
    ).replace('a comment', 'a summary'),
  })),
];

/**
 * Renders at falling detail until the size is within the limit; null when not even the last level
 * fits.
 */
export function fit(
  levels: readonly Detail[],
  limit: number,
  size: (text: string) => number,
  render: (detail: Detail) => string,
): string | null {
  for (const detail of levels) {
    const text = render(detail);
    if (size(text) <= limit) return text;
  }
  return null;
}

/** The size of a text in UTF-8 bytes. */
export function bytes(text: string): number {
  // Counted rather than encoded: a report of 30 MB would be in memory a second time.
  let size = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const pair = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (pair) at += 1;
    size += unit < 0x80 ? 1 : unit < 0x800 ? 2 : pair ? 4 : 3;
  }
  return size;
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
