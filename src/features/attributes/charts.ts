import type { Result } from '../../kernel/result/result.ts';
import type { SidesRow } from '../../report/page/bar-charts.ts';
import { cardHtml, ownCell, tableHtml, wrappedCell } from '../../report/page/blocks.ts';
import { priorChart, sidesChart } from '../../report/page/line-charts.ts';
import { bytes } from '../../report/sections/detail.ts';
import { NAME_LIMIT } from '../../report/sections/document.ts';
import { change, signedInterval } from '../../report/sections/phrases.ts';
import { percent, count, counted } from '../../text/amounts.ts';
import { type Markup, markup, markupText } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import {
  attributesWorstFirst,
  attributeWords,
  explainedSuites,
  figureHead,
  KIND_WORDS,
} from './explained-suites.ts';
import { suiteKey, type AttributeResult } from './result.ts';
import {
  ALIGNMENT_WORDS,
  alignmentWords,
  VALUES_WORDS,
  valuesHead,
  valuesWords,
} from './section.ts';

interface KindCards {
  domains: readonly Markup[];
  subtasks: readonly Markup[];
}

export interface AttributeCharts {
  kinds: ReadonlyMap<string, KindCards>;
  left: number;
}

/** In bytes, for all attribute charts together. */
const ROOM = 500_000;

const MAX_CHART_ROWS = 30;

export function attributeCharts(result: Result): AttributeCharts {
  const suites = explainedSuites(result, suitesWorstFirst(result.suites)).filter(
    ({ attributes }) => attributes.length > 0,
  );
  const kinds = new Map<string, KindCards>();
  let used = 0;
  for (const { attributes } of suites) {
    const [first] = attributes;
    if (first === undefined || used > ROOM) break;
    const cards = {
      domains: cardsOf(attributes, 'domain', result.mode),
      subtasks: cardsOf(attributes, 'subtask', result.mode),
    };
    used += bytes(markupText(markup`${cards.domains}${cards.subtasks}`));
    if (used <= ROOM) kinds.set(suiteKey(first), cards);
  }
  return { kinds, left: suites.length - kinds.size };
}

function cardsOf(
  all: readonly AttributeResult[],
  kind: AttributeResult['kind'],
  mode: Result['mode'],
): Markup[] {
  const attributes = attributesWorstFirst(all.filter((attribute) => attribute.kind === kind));
  if (attributes.length === 0) return [];
  const rows = attributes.slice(0, MAX_CHART_ROWS);
  const cut =
    attributes.length > rows.length
      ? `${count(rows.length)} of ${count(attributes.length)} are drawn. `
      : '';
  return [
    priorCard(attributes, rows, kind, cut),
    proficiencyCard(attributes, rows, kind, cut, mode),
    ...(rows.some(({ alignment }) => alignment !== null)
      ? [alignmentCard(attributes, rows, cut)]
      : []),
  ];
}

function priorCard(
  all: readonly AttributeResult[],
  rows: readonly AttributeResult[],
  kind: AttributeResult['kind'],
  cut: string,
): Markup {
  return cardHtml({
    title: 'Prior',
    note: `${cut}How much of the suite each ${KIND_WORDS[kind]} makes up.`,
    svg: priorChart({
      label:
        `Prior of ${counted(rows.length, KIND_WORDS[kind])}, as a bar each; the numbers ` +
        'are in the table below.',
      rows: rows.map(({ name, prior }) => ({ name, prior })),
    }),
    table: table(all, [
      { head: 'Prior', cell: ({ prior }) => percent(prior) },
      { head: 'Mean affinity, 1–5', cell: ({ affinity_mean: mean }) => mean.toFixed(2) },
      { head: 'Assigned tests', cell: ({ assigned }) => count(assigned.length) },
    ]),
  });
}

function proficiencyCard(
  all: readonly AttributeResult[],
  rows: readonly AttributeResult[],
  kind: AttributeResult['kind'],
  cut: string,
  mode: Result['mode'],
): Markup {
  const diff = mode === 'diff';
  const valued = valuesHead(all);
  const means = valued === null ? '' : ` ${VALUES_WORDS}`;
  return cardHtml({
    title: 'Proficiency',
    note: diff
      ? `${cut}Pass rate of the tests rated 3 or more: ○ base, ● head; band: 90 % interval of the ` +
        `change. Coloured if the report names the attribute.${means}`
      : `${cut}Pass rate of the tests rated 3 or more.${means}`,
    svg: sidesChart({
      label:
        `Pass rate of ${KIND_WORDS[kind]}s${diff ? ', base and head' : ''}: ` +
        `${count(rows.length)} rows; the numbers are in the table below.`,
      rows: rows.map((attribute) => sidesRow(attribute, diff)),
    }),
    table: table(all, [
      { head: diff ? 'Tests compared' : 'Tests judged', cell: ({ n }) => count(n) },
      { head: figureHead(all), cell: attributeWords },
      ...(diff ? COMPARED_COLUMNS : []),
      ...(valued === null ? [] : [{ head: valued, cell: valuesWords }]),
    ]),
  });
}

interface Column {
  head: string;
  cell(attribute: AttributeResult): string;
}

const COMPARED_COLUMNS: readonly Column[] = [
  { head: 'Difference', cell: change },
  { head: '90 % interval', cell: ({ low, high }) => signedInterval(low, high) },
  { head: 'Verdict', cell: ({ verdict }) => verdict },
];

const UNCOMPARED = { low: null, high: null, finding: null, instead: null } as const;

function sidesRow(
  { name, n, base, head, low, high, verdict }: AttributeResult,
  diff: boolean,
): SidesRow {
  if (!diff) return { name, base, head, ...UNCOMPARED };
  const instead = verdict === 'too few' ? `${counted(n, 'test')}: too few` : null;
  return {
    name,
    base,
    head,
    low,
    high,
    finding: verdict === 'regressed' ? 'worse' : verdict === 'improved' ? 'better' : null,
    instead,
  };
}

function alignmentCard(
  all: readonly AttributeResult[],
  rows: readonly AttributeResult[],
  cut: string,
): Markup {
  return cardHtml({
    title: 'Skill alignment',
    note: `${cut}${ALIGNMENT_WORDS}`,
    svg: sidesChart({
      label:
        'Share of answers that use other skills than expected, for ' +
        `${counted(rows.length, 'sub-task')}; lower is better. The numbers are in the ` +
        'table below.',
      rows: rows.map(({ name, alignment }) => ({
        name,
        base: alignment?.base ?? null,
        head: alignment?.head ?? null,
        ...UNCOMPARED,
      })),
    }),
    table: table(all, [{ head: 'Other skills, lower is better', cell: alignmentWords }]),
  });
}

function table(attributes: readonly AttributeResult[], columns: readonly Column[]): Markup {
  return tableHtml(
    ['Attribute', ...columns.map(({ head }) => head)],
    attributes.map((attribute) => [
      wrappedCell(shorten(attribute.name, NAME_LIMIT)),
      ...columns.map(({ cell }) => ownCell(cell(attribute))),
    ]),
  );
}
