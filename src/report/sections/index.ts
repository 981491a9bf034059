import type { Result } from '../../kernel/result/result.ts';
import { changedLines } from './changes.ts';
import type { Detail } from './detail.ts';
import {
  joinLines,
  list,
  NO_LINKS,
  paragraph,
  strong,
  type Block,
  type Links,
} from './document.ts';
import { errorCauses, opensErrors } from './errors.ts';
import type { Reports, Slot } from './feature-report.ts';
import { flippedReferences } from './flipped-references.ts';
import { footer } from './footer.ts';
import { metricValues } from './metrics.ts';
import { deletedTests, newFailures, otherNew } from './new-references.ts';
import { notices, problems, reasons } from './notices.ts';
import { headline } from './outcomes.ts';
import { brokenReferences, movedReferences } from './references.ts';
import { scorings } from './scoring.ts';
import { suitesTable } from './suites.ts';
import { sureness } from './sureness.ts';
import { preferences, ranking } from './tables.ts';
import { worstReference } from './worst-reference.ts';

type Section = (result: Result, detail: Detail, reports: Reports, links: Links) => Block[];

const SECTIONS = {
  verdict,
  problems,
  errors: (result, detail) => (opensErrors(result) ? errorCauses(result, detail) : []),
  why: inSlot('why'),
  changedLines,
  worstReference: (result, detail, reports) => {
    const worst = worstReference(result, detail, reports);
    return worst.length > 0 ? worst : flippedReferences(result, detail);
  },
  newFailures,
  reasons,
  sizeNote,
  next: inSlot('next'),
  handoff: inSlot('handoff'),
  suites: suitesTable,
  ranking,
  brokenReferences,
  otherNew,
  deletedTests,
  belowReferences: inSlot('belowReferences'),
  metrics: (result, detail, reports, links) =>
    oneFold([
      ...metricValues(result, detail),
      ...preferences(result, detail),
      ...inSlot('metrics')(result, detail, reports, links),
    ]),
  scoringChange: (result, detail, reports, links) =>
    oneFold([
      ...scorings(result, detail),
      ...inSlot('scoringChange')(result, detail, reports, links),
    ]),
  movedReferences,
  sureness,
  notices,
  footer,
} satisfies Record<string, Section>;

export type SectionName = keyof typeof SECTIONS;

export const SECTION_NAMES = Object.keys(SECTIONS) as SectionName[];

export function sectionBlocks(
  result: Result,
  detail: Detail,
  reports: Reports,
  names: readonly SectionName[] = SECTION_NAMES,
  links: Links = NO_LINKS,
): Block[] {
  return names.flatMap((name) => SECTIONS[name](result, detail, reports, links));
}

function inSlot(slot: Slot): Section {
  return (result, detail, reports, links) =>
    reports.flatMap(({ sections }) =>
      oneFold(sections?.[slot]?.(result, detail, { reports, links }) ?? []),
    );
}

function verdict(result: Result, _detail: Detail, reports: Reports): Block[] {
  const { sign, tone, outcome, subject, rows, note } = headline(result, reports);
  const [only] = rows;
  return [
    paragraph(
      [{ kind: 'sign', sign, tone }, ` ${outcome}${subject.length === 0 ? '' : ': '}`, ...subject],
      'verdict',
    ),
    ...(rows.length === 1 && only !== undefined ? [paragraph(only)] : list(rows)),
    ...(note.length === 0 ? [] : [paragraph(note)]),
  ];
}

function oneFold(blocks: readonly Block[]): Block[] {
  const folds = blocks.filter((block) => block.kind === 'group');
  if (folds.length < 2) return [...blocks];
  return [
    {
      kind: 'group',
      summary: joinLines(
        folds.map(({ summary }) => summary),
        ' · ',
      ),
      blocks: folds.flatMap(({ summary, blocks: own }) => [
        paragraph(summary.map((part) => (typeof part === 'string' ? strong(part) : part))),
        ...own,
      ]),
    },
  ];
}

function sizeNote(_result: Result, detail: Detail): Block[] {
  return detail.sizeNote === null ? [] : [paragraph(detail.sizeNote)];
}
