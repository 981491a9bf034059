import type { Result } from '../kernel/result/result.ts';
import { shorten, visibleLine } from '../text/visible.ts';
import { outcomeLook } from '../wording/outcomes.ts';
import { markdownOf, withoutHtml } from './markdown.ts';
import { COMMENT_LEVELS, fit, type Detail } from './sections/detail.ts';
import {
  type Block,
  type Line,
  type Links,
  NO_LINKS,
  code,
  paragraph,
  placeLinks,
} from './sections/document.ts';
import type { Reports } from './sections/feature-report.ts';
import { SECTION_NAMES, sectionBlocks } from './sections/index.ts';

/** GitHub's limit for a comment, in UTF-16 units. */
export const COMMENT_LIMIT = 65_536;

interface CommentOptions {
  /** A hidden first line by which a later run recognizes the comment. */
  marker: string;
  reports: Reports;
  limit?: number;
  links?: Links;
  /** False for services that show Markdown only: without folds and tables. */
  html?: boolean;
}

export function renderComment(
  result: Result,
  {
    marker,
    reports,
    limit = COMMENT_LIMIT,
    links = placeLinks(result),
    html = true,
  }: CommentOptions,
): string {
  const render = (detail: Detail) => {
    const blocks = withRun(result, detail, reports, links);
    return `${marker}\n${markdownOf(html ? blocks : blocks.flatMap(withoutHtml), links)}\n`;
  };
  const fitting = fit(COMMENT_LEVELS, limit, (body) => body.length, render);
  if (fitting !== null) return fitting;
  const { sign, outcome } = outcomeLook(result);
  return shorten(`${marker}\n${sign} ${outcome}\n`, limit);
}

function withRun(result: Result, detail: Detail, reports: Reports, links: Links): Block[] {
  const blocks = sectionBlocks(result, detail, reports, SECTION_NAMES, links);
  const shown = blocks.map((block) => withAbout(block, links));
  const last = shown.at(-1);
  if (last?.kind !== 'paragraph') return shown;
  const { run, report, reportFile, forks, base } = links;
  const first: Line =
    report !== null
      ? [{ kind: 'link', text: 'Full report', url: report }, ' · ']
      : reportFile !== undefined
        ? ['report: ', code(reportFile), ' · ']
        : [];
  const how: Line =
    forks === undefined || result.outcome.kind !== 'without-keys'
      ? []
      : [{ kind: 'link', text: 'How to get it judged', url: forks }, ' · '];
  const end: Line = [
    ...(!base ? [] : [' · base ', code(base)]),
    ...(run === null ? [] : [' · ', { kind: 'link' as const, text: 'run', url: run }]),
  ];
  return [...shown.slice(0, -1), paragraph([...how, ...first, ...last.line, ...end], last.tone)];
}

function withAbout(block: Block, { about = '' }: Links): Block {
  if (about === '' || block.kind !== 'paragraph' || block.tone !== 'verdict') return block;
  return { ...block, line: [...block.line, ' – ', code(about)] };
}

/** GitHub's limit, in UTF-16 units. */
export const CHECK_TITLE_LIMIT = 255;

/** GitHub's limit, in bytes. */
export const CHECK_SUMMARY_LIMIT = 65_535;

/** GitHub allows 1 MiB per step. The rest is for the step's other output. */
export const JOB_SUMMARY_LIMIT = 1_000_000;

export function checkTitle(result: Result, limit: number = CHECK_TITLE_LIMIT): string {
  const title = visibleLine(result.title.trim());
  return shorten(title === '' ? outcomeLook(result).outcome : title, limit);
}

/** For the check and the job's summary. `limit` is in bytes. */
export function renderSummary(
  result: Result,
  reports: Reports,
  limit: number,
  links: Links = NO_LINKS,
): string {
  const render = (detail: Detail) =>
    `${markdownOf(withRun(result, detail, reports, { ...links, run: null }), links)}\n`;
  const { sign, outcome } = outcomeLook(result);
  return (
    fit(COMMENT_LEVELS, limit, Buffer.byteLength, render) ??
    shorten(`${sign} ${outcome}\n`, Math.floor(limit / 3))
  );
}
