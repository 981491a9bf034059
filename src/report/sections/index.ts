import type { Result } from '../../result/result.ts';
import { attributes, insights } from './attributes.ts';
import { conversations, evaluators } from './conversations.ts';
import { paragraph, strong, text, type Block, type Detail } from './document.ts';
import { metricValues } from './metrics.ts';
import { footer, notices, problems, reasons } from './notices.ts';
import { headline } from './outcomes.ts';
import { brokenCases, movedCases } from './references.ts';
import { graders, scorings } from './scoring.ts';
import { suitesTable, verdictsInWords } from './suites.ts';
import { classes, preferences, ranking } from './tables.ts';

/** A part of the report. It builds blocks and knows nothing of the output. */
export type Section = (result: Result, detail: Detail) => Block[];

/**
 * The report from the top. Comment, job summary, terminal and HTML take their sections from here,
 * in this order.
 */
export const SECTIONS = {
  verdict,
  problems,
  reasons,
  suites: suitesTable,
  ranking,
  said,
  brokenCases,
  movedCases,
  verdictsInWords,
  conversations,
  metricValues,
  preferences,
  classes,
  scorings,
  graders,
  evaluators,
  attributes,
  insights,
  notices,
  footer,
} satisfies Record<string, Section>;

export type SectionName = keyof typeof SECTIONS;

/** The blocks of all sections, or of those named, in the report's order. */
export function sectionBlocks(
  result: Result,
  detail: Detail,
  names: readonly SectionName[] = Object.keys(SECTIONS) as SectionName[],
): Block[] {
  return names.flatMap((name) => SECTIONS[name](result, detail));
}

function verdict(result: Result): Block[] {
  const { sign, outcome, line } = headline(result);
  return [paragraph([strong(`${sign} ${outcome}`), text(' – '), ...line], 'verdict')];
}

function said(_result: Result, detail: Detail): Block[] {
  return detail.said === null ? [] : [paragraph([text(detail.said)])];
}
