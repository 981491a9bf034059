/** Renders results with the reports of all features. */
import { inflateRawSync } from 'node:zlib';
import { FEATURES } from '../../src/features.ts';
import type { ReferenceStatus } from '../../src/kernel/result/reference-result.ts';
import type { Result } from '../../src/kernel/result/result.ts';
import { annotations as annotate } from '../../src/report/annotations.ts';
import * as comment from '../../src/report/comment.ts';
import { renderHtml as htmlOf } from '../../src/report/html.ts';
import { renderJunit as junitOf } from '../../src/report/junit.ts';
import type { Detail } from '../../src/report/sections/detail.ts';
import type { Links } from '../../src/report/sections/document.ts';
import { loadReports } from '../../src/report/sections/feature-report.ts';
import { sectionBlocks as blocksOf, type SectionName } from '../../src/report/sections/index.ts';
import * as order from '../../src/report/sections/order.ts';
import { headline as headlineOf } from '../../src/report/sections/outcomes.ts';
import type { SavedView, Trend } from '../../src/report/sections/saved-view.ts';
import { renderTerminal as terminalOf, type TerminalOptions } from '../../src/report/terminal.ts';
import type { ChangedFile } from '../../src/types/repository.ts';

export const REPORTS = await loadReports(FEATURES);

export const annotations = (result: Result, changed: readonly ChangedFile[], folder?: string) =>
  annotate(result, changed, REPORTS, folder);

type CommentOptions = Omit<Parameters<typeof comment.renderComment>[1], 'reports'>;

export const renderComment = (result: Result, options: CommentOptions = { marker: '<!-- m -->' }) =>
  comment.renderComment(result, { ...options, reports: REPORTS });

export const renderSummary = (
  result: Result,
  limit: number = comment.JOB_SUMMARY_LIMIT,
  links?: Links,
) => comment.renderSummary(result, REPORTS, limit, links);

export const checkSummary = (result: Result, limit: number = comment.CHECK_SUMMARY_LIMIT) =>
  comment.renderSummary(result, REPORTS, limit);

export const renderHtml = (result: Result, trend: Trend | null = null) =>
  htmlOf(result, REPORTS, trend);

/** What the page's script reads. */
export const viewIn = (html: string): SavedView => {
  const [, packed = ''] = /id="data">([^<]*)</.exec(html) ?? [];
  return JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString()) as SavedView;
};

/** What the page shows without JavaScript. */
export const unscriptedPage = async (result: Result) => {
  const html = await renderHtml(result);
  return html.slice(html.indexOf('<noscript>'), html.indexOf('</noscript>'));
};

export const renderTerminal = (result: Result, options: TerminalOptions) =>
  terminalOf(result, REPORTS, options);

/** Without colours, as wide as the default for pipes. */
export const inTerminal = (result: Result, width = 100) =>
  renderTerminal(result, { width, colour: false });

export const sectionBlocks = (result: Result, detail: Detail, names?: readonly SectionName[]) =>
  blocksOf(result, detail, REPORTS, names);

export const headline = (result: Result) => headlineOf(result, REPORTS);

export const renderJunit = (result: Result) => junitOf(result, REPORTS);

export const entriesOf = (result: Result, ...statuses: ReferenceStatus[]) =>
  order.entriesWithStatus(result, REPORTS, ...statuses);
