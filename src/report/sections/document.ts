import type { Verdict } from '../../types.ts';

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
  | { kind: 'place'; file: string; line: number }
  | { kind: 'verdict'; verdict: Verdict }
  /** An address that we made. */
  | { kind: 'link'; text: string; url: string }
  | { kind: 'break' };

export interface Piece {
  /** `same` and `changed` are text; `gap` is our own remark about text left out. */
  kind: 'same' | 'changed' | 'gap';
  text: string;
}

export type Line = Inline[];

export type Block =
  | { kind: 'paragraph'; tone: 'verdict' | 'normal' | 'small'; line: Line }
  | { kind: 'list'; items: Line[] }
  | { kind: 'table'; head: Line[]; rows: Line[][] }
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
export const place = (file: string, line: number): Inline => ({ kind: 'place', file, line });
export const lineBreak: Inline = { kind: 'break' };

export function paragraph(line: Line, tone: 'verdict' | 'normal' | 'small' = 'normal'): Block {
  return { kind: 'paragraph', tone, line };
}

/** A group, or nothing when there is nothing in it. */
export function group(summary: Line, blocks: Block[]): Block[] {
  return blocks.length === 0 ? [] : [{ kind: 'group', summary, blocks }];
}

/** Lines joined by a separator. */
export function joined(lines: readonly Line[], separator: string): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [text(separator), ...line]));
}
