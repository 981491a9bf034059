import type { BothSides, ClassificationSummary, Result, SuiteResult } from '../../types.ts';
import { percent } from '../../text/amounts.ts';
import { code, group, paragraph, text, type Block, type Line } from './document.ts';
import type { Detail } from './detail.ts';
import { suitesWorstFirst } from './order.ts';
import { andMore, counted } from './phrases.ts';

/** Base's answers against head's, suite by suite. */
export function preferences({ suites }: Result, { items }: Detail): Block[] {
  const found = suitesWorstFirst(suites).flatMap(({ name, preference }) =>
    preference ? [{ name, preference }] : [],
  );
  const shown = found
    .slice(0, items)
    .map(({ name, preference }): Line => [
      code(name),
      text(`, ${preference.metric}: ${preference.summary}`),
    ]);
  const more = andMore(found.length, shown.length);
  return group(
    [text(`Which answers are preferred, ${counted(found.length, 'suite')}`)],
    [
      ...(shown.length === 0 ? [] : [{ kind: 'list' as const, items: shown }]),
      ...(more === null || shown.length === 0 ? [] : [paragraph([text(`${more}.`)])]),
    ],
  );
}

/** Accuracy, macro-F1, and every label's precision and recall, in suites that classify. */
export function classes({ suites }: Result, { items }: Detail): Block[] {
  const found = suitesWorstFirst(suites).filter(
    (suite): suite is SuiteResult & { classification: ClassificationSummary } =>
      Boolean(suite.classification),
  );
  const shown = found.slice(0, items);
  const more = andMore(found.length, shown.length);
  const blocks = shown.flatMap(({ name, classification }) =>
    classesOf(name, classification, items),
  );
  if (more !== null && blocks.length > 0) blocks.push(paragraph([text(`${more}.`)]));
  return group([text(`Precision and recall by label, ${counted(found.length, 'suite')}`)], blocks);
}

function classesOf(
  name: string,
  { accuracy, macro_f1, other, labels }: ClassificationSummary,
  items: number,
): Block[] {
  const rows = labels.slice(0, items);
  const more = andMore(labels.length, rows.length);
  return [
    paragraph([
      code(name),
      text(
        `: accuracy ${sides(accuracy, percent)}, macro-F1 ${sides(macro_f1, decimal)}, answers that are no label ${sides(other, percent)}.`,
      ),
    ]),
    {
      kind: 'table',
      head: ['Label', 'References', 'Precision', 'Recall'].map((title) => [text(title)]),
      rows: rows.map(({ label, references, precision, recall }) => [
        [code(label)],
        [text(String(references))],
        [text(sides(precision, percent))],
        [text(sides(recall, percent))],
      ]),
    },
    ...(more === null ? [] : [paragraph([text(`${more}.`)])]),
  ];
}

function sides({ base, head }: BothSides, word: (value: number | null) => string): string {
  return base === null ? word(head) : `${word(base)} → ${word(head)}`;
}

function decimal(value: number | null): string {
  return value === null ? '–' : value.toFixed(3);
}
