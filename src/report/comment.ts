import type { Result } from '../types.ts';
import { shorten } from '../text/cut.ts';
import { COMMENT_LEVELS, fit, type Detail } from './sections/detail.ts';
import { paragraph, text, type Block } from './sections/document.ts';
import { headline } from './sections/headline.ts';
import { markdownOf, NO_LINKS, type Links } from './markdown.ts';
import { sectionBlocks } from './sections/sections.ts';

/**
 * GitHub's limit for the body of a comment. Counting UTF-16 units satisfies its readings in
 * characters and in bytes × 4.
 */
export const COMMENT_LIMIT = 65_536;

export interface CommentOptions {
  /**
   * The hidden line by which the comment is found again; it comes first, so that nothing can
   * swallow it.
   */
  marker: string;
  /** UTF-16 units. */
  limit?: number;
  links?: Links;
}

/**
 * The pull request's comment. Detail falls level by level until it fits, which the text then says;
 * a limit that not even the verdict fits leaves the marker and the outcome.
 */
export function renderComment(
  result: Result,
  { marker, limit = COMMENT_LIMIT, links = NO_LINKS }: CommentOptions,
): string {
  const render = (detail: Detail): string =>
    `${marker}\n${markdownOf(withRun(sectionBlocks(result, detail), links), links)}\n`;
  const fitting = fit(COMMENT_LEVELS, limit, (body) => body.length, render);
  if (fitting !== null) return fitting;
  const { sign, outcome } = headline(result);
  return shorten(`${marker}\n${sign} ${outcome}\n`, limit);
}

/** The run's page beside the footer. */
function withRun(blocks: Block[], { run }: Links): Block[] {
  const last = blocks.at(-1);
  if (run === null || last?.kind !== 'paragraph') return blocks;
  return [
    ...blocks.slice(0, -1),
    paragraph([...last.line, text(' · '), { kind: 'link', text: 'run', url: run }], last.tone),
  ];
}
