import type { Result } from '../../kernel/result/result.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  group,
  joinLines,
  list,
  paragraph,
  table,
  text,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { andMore, change, moreBlock, rates } from '../../report/sections/phrases.ts';
import { signed, count, counted, meansInWords } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { suitesWorstFirst } from '../../wording/figures.ts';
import {
  KIND_WORDS,
  attributesWorstFirst,
  explainedSuites,
  explainers,
  didMove,
  movedCounts,
  type ExplainedSuite,
} from './explained-suites.ts';
import type { AttributeResult } from './result.ts';

const NAME_CHARACTERS = 40;

/** Explains the direction, because for most shares in a report higher is better. */
export const ALIGNMENT_WORDS =
  'Other skills: share of answers that use the skill clearly more or less than the expected ' +
  'answer does; lower is better.';

export const VALUES_WORDS =
  'Means of a metric are shown but not tested: the verdict of an attribute depends on its pass rate.';

interface AttributeRow {
  attribute: AttributeResult;
  of: ExplainedSuite;
}

export function attributes(result: Result, { collapsedItems: items }: Detail): Block[] {
  const { attributes: all, mode } = result;
  if (all.length === 0) return [];
  const suites = explainedSuites(result, suitesWorstFirst(result.suites)).filter(
    (suite) => suite.attributes.length > 0,
  );
  const rows = suites.flatMap((of) =>
    attributesWorstFirst(of.attributes).map((attribute): AttributeRow => ({ attribute, of })),
  );
  const several = suites.length > 1;
  if (mode === 'sweep')
    return group(
      [text(counted(all.length, 'attribute'))],
      attributesTable(
        rows.filter(({ attribute }) => attribute.n > 0),
        items,
        several,
        mode,
      ),
    );
  const moved = rows.filter(({ attribute }) => didMove(attribute));
  moved.sort((a, b) =>
    a.attribute.verdict === b.attribute.verdict
      ? (a.attribute.difference ?? 0) - (b.attribute.difference ?? 0)
      : a.attribute.verdict === 'regressed'
        ? -1
        : 1,
  );
  const shared = rows.filter(({ attribute }) => attribute.explained_by.length > 0);
  const few = all.filter(({ verdict }) => verdict === 'too few').length;
  return group(
    [text(movedCounts(all))],
    [
      ...attributesTable(moved, items, several, mode),
      ...movedWithList(shared, items, several),
      ...(few === 0
        ? []
        : [paragraph([text(`${counted(few, 'attribute')} with too few references to judge.`)])]),
      ...(moved.length === 0 && few < all.length
        ? [paragraph([text(`No change seen in any of ${few === 0 ? 'them' : 'the others'}.`)])]
        : []),
    ],
  );
}

function attributesTable(
  rows: readonly AttributeRow[],
  items: number,
  several: boolean,
  mode: Result['mode'],
): Block[] {
  const shown = rows.slice(0, items);
  const skills = shown.some(({ attribute: { alignment } }) => alignment !== null);
  const valued = valuesHead(shown.map(({ attribute }) => attribute));
  const diff = mode === 'diff';
  const columns: { head: string; cell(attribute: AttributeResult): Line }[] = [
    { head: 'Pass rate', cell: ({ base, head }) => [text(rates(base, head))] },
    ...(valued === null ? [] : [{ head: valued, cell: textCell(valuesWords) }]),
    ...(skills ? [{ head: 'Other skills', cell: textCell(alignmentWords) }] : []),
    ...(diff ? [{ head: 'Verdict', cell: textCell(({ verdict }) => verdict) }] : []),
  ];
  return [
    ...table(
      ['Attribute', ...columns.map(({ head }) => head)],
      shown.map(({ attribute, of }) => [
        [...nameLine(attribute, of, several), text(` (${count(attribute.n)})`)],
        ...columns.map(({ cell }) => cell(attribute)),
      ]),
    ),
    ...moreBlock(rows.length, shown.length),
    ...(valued === null ? [] : [paragraph([text(VALUES_WORDS)], 'small')]),
    ...(skills ? [paragraph([text(ALIGNMENT_WORDS)], 'small')] : []),
  ];
}

function textCell(words: (attribute: AttributeResult) => string) {
  return (attribute: AttributeResult): Line => [text(words(attribute))];
}

function nameLine({ name, kind }: AttributeResult, of: ExplainedSuite, several: boolean): Line {
  return [
    code(name),
    text(` ${KIND_WORDS[kind]}`),
    ...(several ? [text(' of '), code(of.name)] : []),
  ];
}

/** `Mean of rouge`; null: no attribute has means. */
export function valuesHead(attributes: readonly AttributeResult[]): string | null {
  const metrics = new Set(attributes.flatMap(({ values }) => values?.metric ?? []));
  const [only] = metrics;
  if (only === undefined) return null;
  return metrics.size === 1 ? `Mean of ${shorten(only, NAME_CHARACTERS)}` : 'Mean';
}

/** `0.41 → 0.33`. */
export function valuesWords({ values }: AttributeResult): string {
  return values === undefined ? '–' : meansInWords(values.base, values.head);
}

export function alignmentWords({ alignment }: AttributeResult): string {
  return alignment === null ? '–' : rates(alignment.base, alignment.head);
}

export function attributeFigures({ attributes: all }: Result): Line[] {
  return all.filter(didMove).flatMap((attribute): Line[] => {
    const { name, low, high } = attribute;
    if (low === null || high === null) return [];
    const range = `90 % sure to lie between ${signed(low)} and ${signed(high)}`;
    return [[code(name), text(`: ${change(attribute)}; ${range}`)]];
  });
}

/** One bullet for all references that changed in the same way with the same attributes. */
function movedWithList(rows: readonly AttributeRow[], items: number, several: boolean): Block[] {
  if (rows.length === 0) return [];
  if (items === 0)
    return [
      paragraph([
        text(
          `${counted(rows.length, 'attribute')} moved only with the references shared with another.`,
        ),
      ]),
    ];
  const neighbours = [
    ...Map.groupBy(rows, ({ attribute, of }) =>
      JSON.stringify([of.name, directionOf(attribute), [...attribute.explained_by].sort()]),
    ).values(),
  ];
  const shown = neighbours.slice(0, items);
  return [
    ...list(shown.map((together) => neighboursLine(together, items, several))),
    ...moreBlock(rows.length, shown.flat().length),
  ];
}

function directionOf({ difference }: AttributeResult): 'fell' | 'rose' {
  return (difference ?? 0) < 0 ? 'fell' : 'rose';
}

function neighboursLine(together: readonly AttributeRow[], items: number, several: boolean): Line {
  const [first] = together;
  if (first === undefined) return [];
  const alone = together.length === 1;
  const figures = ({ base, head, n }: AttributeResult): string =>
    `${rates(base, head)} over ${counted(n, 'reference')}`;
  const shown = together
    .slice(0, items)
    .map(({ attribute, of }): Line => [
      ...nameLine(attribute, of, several),
      ...(alone ? [] : [text(` (${figures(attribute)})`)]),
    ]);
  const more = andMore(together.length, shown.length);
  return [
    ...joinLines(shown, ', '),
    text(
      `${more === null ? '' : ` ${more}`} ${directionOf(first.attribute)} only with the references ` +
        `${alone ? 'it shares' : 'they share'} with `,
    ),
    ...joinLines(
      explainers(first.attribute, first.of).map((name): Line => [code(name)]),
      ', ',
    ),
    text(alone ? `: ${figures(first.attribute)}.` : '.'),
  ];
}
