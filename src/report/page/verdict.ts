import type { Result } from '../../result/result.ts';
import { escapeMarkup } from '../../text/visible.ts';
import type { Detail, Links } from '../sections/document.ts';
import { sectionBlocks, type SectionName } from '../sections/index.ts';
import { headline } from '../sections/outcomes.ts';
import { htmlOf, lineHtml } from './blocks.ts';

/** A page of our own has room for all of it. */
export const EVERYTHING: Detail = {
  suites: Infinity,
  answers: 0,
  lines: 400,
  counts: 0,
  characters: 2_000,
  collapsedItems: 1_000,
  problems: Infinity,
  showsUnmovedMetrics: true,
  sizeNote: null,
};

/** The headline, and what stands below it: problems, errors, and reasons where nothing else is shown. */
export function verdictHtml(
  { result, links }: { result: Result; links: Links },
  below: readonly SectionName[] = ['problems', 'errors', 'reasons'],
): string {
  const { sign, tone, outcome, subject, line } = headline(result);
  const more = htmlOf(sectionBlocks(result, EVERYTHING, below), links);
  return [
    `<section class="verdict ${tone}"><h1>${sign} ${escapeMarkup(outcome)}`,
    subject.length === 0 ? '' : `: ${lineHtml(subject, links)}`,
    `</h1><p>${lineHtml(line, links)}</p>${more}</section>`,
  ].join('');
}
