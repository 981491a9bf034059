import type { Result } from '../types.ts';
import { shorten } from '../text/cut.ts';
import { visibleLine } from '../text/visible.ts';
import { bytes, COMMENT_LEVELS, fit, SUMMARY_LEVELS } from './sections/detail.ts';
import { headline } from './sections/headline.ts';
import { markdownOf, NO_LINKS, type Links } from './markdown.ts';
import { sectionBlocks } from './sections/sections.ts';

/** GitHub refuses a longer title of a check run. */
export const CHECK_TITLE_LIMIT = 255;
/**
 * GitHub's limit for a check run's summary. Counted in bytes, which satisfies the reading in
 * characters too.
 */
export const CHECK_SUMMARY_LIMIT = 65_535;
/** A step's summary may have 1 MiB; what other parts of the step write is left room for. */
export const JOB_SUMMARY_LIMIT = 1_000_000;

/** The check run's title: the result's own line, on one line. UTF-16 units. */
export function checkTitle(result: Result, limit: number = CHECK_TITLE_LIMIT): string {
  const title = visibleLine(result.title.trim());
  return shorten(title === '' ? headline(result).outcome : title, limit);
}

/** The check run's summary in at most `limit` bytes. */
export function checkSummary(
  result: Result,
  limit: number = CHECK_SUMMARY_LIMIT,
  links: Links = NO_LINKS,
): string {
  return summaryOf(
    result,
    COMMENT_LEVELS.map((level) => ({
      ...level,
      said: level.said?.replace('a comment', 'a check') ?? null,
    })),
    limit,
    links,
  );
}

/** The job summary in at most `limit` bytes. */
export function renderSummary(
  result: Result,
  limit: number = JOB_SUMMARY_LIMIT,
  links: Links = NO_LINKS,
): string {
  return summaryOf(result, SUMMARY_LEVELS, limit, links);
}

function summaryOf(
  result: Result,
  levels: Parameters<typeof fit>[0],
  limit: number,
  links: Links,
): string {
  const fitting = fit(
    levels,
    limit,
    bytes,
    (detail) => `${markdownOf(sectionBlocks(result, detail), links)}\n`,
  );
  // Three bytes are the most that one UTF-16 unit needs.
  return (
    fitting ??
    shorten(`${headline(result).sign} ${headline(result).outcome}\n`, Math.floor(limit / 3))
  );
}
