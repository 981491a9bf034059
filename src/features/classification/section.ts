import type { Result } from '../../kernel/result/result.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  lineBreak,
  paragraph,
  table,
  type Block,
  type Cell,
  type Line,
} from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { suiteGroup, suiteName } from '../../report/sections/phrases.ts';
import { percent } from '../../text/amounts.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import type { BothSides, ClassificationSummary } from './result.ts';

/** In the table, "Right when given" is precision and "Found when expected" is recall. */
export function classes({ suites }: Result, { collapsedItems: items }: Detail): Block[] {
  return suiteGroup('Labels', suites, items, ({ classification }, name) =>
    classification ? classesOf(name, classification, items) : [],
  );
}

function classesOf(name: Line, { labels }: ClassificationSummary, items: number): Block[] {
  return [
    paragraph(name),
    ...table(
      ['Label', 'Right when given', 'Found when expected'],
      labels.map(({ label, references, precision, recall }) => [
        [code(label), ` (${references})`],
        rateCell(precision),
        rateCell(recall),
      ]),
      items,
    ),
  ];
}

function rateCell({ base, head }: BothSides): Cell {
  return base === null ? percent(head) : [`${percent(base)} →`, lineBreak, percent(head)];
}

export function classFigures({ suites }: Result): Line[] {
  return suitesWorstFirst(suites).flatMap((suite): Line[] => {
    if (!suite.classification) return [];
    const { accuracy, macro_f1, other } = suite.classification;
    const words =
      `: accuracy ${rateSides(accuracy, percent)}, macro-F1 ${rateSides(macro_f1, decimal)}, ` +
      `answers that are not a label ${rateSides(other, percent)}`;
    return [[...suiteName(suite, suites), words]];
  });
}

function rateSides({ base, head }: BothSides, word: (value: number | null) => string): string {
  return base === null ? word(head) : `${word(base)} → ${word(head)}`;
}

function decimal(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}

export const classificationReport: FeatureReport = {
  sections: { metrics: classes },
  sureness: classFigures,
};
